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

// String returns the code's name, as ZooKeeper's documentation has it.
func (c Code) String() string {
	switch c {
	case OK:
		return "OK"
	case RuntimeInconsistency:
		return "RuntimeInconsistency"
	case MarshallingError:
		return "MarshallingError"
	case Unimplemented:
		return "Unimplemented"
	case BadArguments:
		return "BadArguments"
	case NoNode:
		return "NoNode"
	case NoAuth:
		return "NoAuth"
	case BadVersion:
		return "BadVersion"
	case NoChildrenForEphemerals:
		return "NoChildrenForEphemerals"
	case NodeExists:
		return "NodeExists"
	case NotEmpty:
		return "NotEmpty"
	case SessionExpired:
		return "SessionExpired"
	case InvalidACL:
		return "InvalidACL"
	case AuthFailed:
		return "AuthFailed"
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

// String returns the name that ZooKeeper's Java code has for the request.
func (o Op) String() string {
	switch o {
	case Create:
		return "create"
	case Delete:
		return "delete"
	case Exists:
		return "exists"
	case GetData:
		return "getData"
	case SetData:
		return "setData"
	case GetACL:
		return "getACL"
	case SetACL:
		return "setACL"
	case GetChildren:
		return "getChildren"
	case Sync:
		return "sync"
	case Ping:
		return "ping"
	case GetChildren2:
		return "getChildren2"
	case Check:
		return "check"
	case Multi:
		return "multi"
	case Create2:
		return "create2"
	case Auth:
		return "auth"
	case SetWatches:
		return "setWatches"
	case CloseSession:
		return "closeSession"
	case Connect:
		return "connect"
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

// known says whether this server answers the request.
func (o Op) known() bool {
	switch o {
	case Exists, GetData, GetACL, GetChildren, GetChildren2, Sync, Ping, Auth, SetWatches:
		return true
	}
	return o.writes()
}
