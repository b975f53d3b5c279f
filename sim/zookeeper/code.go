package zookeeper

import "strconv"

// A Code says in a reply what is wrong.
type Code int32

// The codes that this server sends, with the numbers of KeeperException.Code.
const (
	OK                      Code = 0
	RuntimeInconsistency    Code = -2 // of a multi: not tried, because another part failed
	MarshallingError        Code = -5 // the request cannot be read
	Unimplemented           Code = -6
	BadArguments            Code = -8
	NoNode                  Code = -101
	NoAuth                  Code = -102
	BadVersion              Code = -103
	NoChildrenForEphemerals Code = -108
	NodeExists              Code = -110
	NotEmpty                Code = -111
	SessionExpired          Code = -112
	InvalidACL              Code = -114
	AuthFailed              Code = -115
)

var codeNames = map[Code]string{
	OK:                      "OK",
	RuntimeInconsistency:    "RuntimeInconsistency",
	MarshallingError:        "MarshallingError",
	Unimplemented:           "Unimplemented",
	BadArguments:            "BadArguments",
	NoNode:                  "NoNode",
	NoAuth:                  "NoAuth",
	BadVersion:              "BadVersion",
	NoChildrenForEphemerals: "NoChildrenForEphemerals",
	NodeExists:              "NodeExists",
	NotEmpty:                "NotEmpty",
	SessionExpired:          "SessionExpired",
	InvalidACL:              "InvalidACL",
	AuthFailed:              "AuthFailed",
}

// String returns the code's name, as ZooKeeper's documentation has it.
func (c Code) String() string {
	if name, known := codeNames[c]; known {
		return name
	}
	return strconv.Itoa(int(c))
}

// An Op is the kind of a request.
type Op int32

// The requests that this server knows, with the numbers of ZooDefs.OpCode.
// Connect has none: it is what a connection begins with.
const (
	Create       Op = 1
	Delete       Op = 2
	Exists       Op = 3
	GetData      Op = 4
	SetData      Op = 5
	GetACL       Op = 6
	SetACL       Op = 7
	GetChildren  Op = 8
	Sync         Op = 9
	Ping         Op = 11
	GetChildren2 Op = 12
	Check        Op = 13 // within a multi only
	Multi        Op = 14
	Create2      Op = 15
	Auth         Op = 100
	SetWatches   Op = 101
	CloseSession Op = -11

	Connect Op = -1000
)

// opError marks the part of a reply to a multi that failed.
const opError Op = -1

var opNames = map[Op]string{
	Create:       "create",
	Delete:       "delete",
	Exists:       "exists",
	GetData:      "getData",
	SetData:      "setData",
	GetACL:       "getACL",
	SetACL:       "setACL",
	GetChildren:  "getChildren",
	Sync:         "sync",
	Ping:         "ping",
	GetChildren2: "getChildren2",
	Check:        "check",
	Multi:        "multi",
	Create2:      "create2",
	Auth:         "auth",
	SetWatches:   "setWatches",
	CloseSession: "closeSession",
	Connect:      "connect",
}

// String returns the name that ZooKeeper's Java code has for the request.
func (o Op) String() string {
	if name, known := opNames[o]; known {
		return name
	}
	return "op " + strconv.Itoa(int(o))
}

// writes says whether the leader gives the request a zxid, even if it fails.
func (o Op) writes() bool {
	switch o {
	case Create, Create2, Delete, SetData, SetACL, Multi, CloseSession:
		return true
	}
	return false
}

// Reads reports whether the request changes nothing but watches.
func (o Op) Reads() bool { return o != Connect && o.known() && !o.writes() }

// known says whether this server answers the request.
func (o Op) known() bool {
	switch o {
	case Exists, GetData, GetACL, GetChildren, GetChildren2, Sync, Ping, Auth, SetWatches:
		return true
	}
	return o.writes()
}
