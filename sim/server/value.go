package server

import (
	"slices"

	"lockstep/sim"
	"lockstep/sim/history"
)

// A Value is a node as a value, for explorers: all of it that can change what a
// client sees. No method changes its receiver. Each kind of server implements
// it; a Valued makes a live node of it.
type Value interface {
	// Append appends a text that identifies the value. Equal text means the
	// same future.
	Append(b []byte) []byte
	// Same reports whether the value is plainly the same as another. If not,
	// Append decides.
	Same(Value) bool
	// Condition is the effect of faults on the node.
	Condition() sim.Health
	// Missed returns how many writes its replica can have missed.
	Missed() int
	// Has reports whether a key exists that can be evicted.
	Has(key string) bool
	// List lists what the node stores, sorted by key.
	List() []KeyView
	// Timed reports whether what units do depends on the time, and not only on
	// the time that is left to keys; timed says so of a word.
	Timed(units []sim.Unit, timed func(word string) bool) bool
	// Do executes units that arrive over a connection.
	Do(name, conn string, units []sim.Unit, now history.Millis) (Value, []sim.Executed, error)
	// Next returns when time alone next changes something.
	Next() (history.Millis, bool)
	// Wait lets time pass to a moment.
	Wait(now history.Millis) (Value, sim.Happened)
	// Hit applies a fault to the node.
	Hit(a history.Action, now history.Millis) (Value, sim.Happened)
	// Unread returns the oldest message that a connection's client has not read.
	Unread(conn string) (sim.Message, bool)
	// Read returns the value without this message.
	Read(conn string) Value
	// Broken reports whether a connection has ended and its client has not
	// noticed.
	Broken(conn string) bool
	// Drop drops connections that are no longer used.
	Drop(gone func(conn string) bool) Value
	// Attend records whether a client keeps its sessions alive; "" is all.
	Attend(client string, how sim.Attendance) Value
	// Move returns the value moved in time.
	Move(by history.Millis) Value
}

// kinds are the first states of the kinds of servers.
var kinds = map[sim.Kind]func(history.Config) Value{
	sim.Redis:     func(c history.Config) Value { return redisValue{NodeState{Lag: c.Lag}} },
	sim.ZooKeeper: newEnsemble,
}

// Register adds a kind of server. Call it before any world is built, with
// program.Register.
func Register(kind sim.Kind, first func(history.Config) Value) { kinds[kind] = first }

// New returns the first state of a node of a known kind.
func New(kind sim.Kind, c history.Config) Value { return kinds[kind](c) }

// A redisValue is a NodeState as a Value.
type redisValue struct{ NodeState }

// ValueOf returns a node as a Value.
func ValueOf(s NodeState) Value { return redisValue{s} }

// RedisOf returns the state of a Redis node; ok is false for another server's.
func RedisOf(v Value) (s NodeState, ok bool) {
	r, ok := v.(redisValue)
	return r.NodeState, ok
}

func (v redisValue) Append(b []byte) []byte { return v.NodeState.Append(b) }

// Same is Value's. Pass and Forget change a state only if there is something to
// change.
func (v redisValue) Same(to Value) bool {
	after := to.(redisValue)
	return sameSlice(v.Keys, after.Keys) && sameSlice(v.Watches, after.Watches) && sameSlice(v.Blocked, after.Blocked) &&
		len(v.Behind)+len(after.Behind) == 0 && v.Health == after.Health && sameSlice(v.Scripts, after.Scripts)
}

// sameSlice reports whether two slices are the same memory.
func sameSlice[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func (v redisValue) Condition() sim.Health { return v.Health }
func (v redisValue) Missed() int           { return len(v.Behind) }
func (v redisValue) List() []KeyView       { return v.views() }

func (v redisValue) Has(key string) bool {
	return slices.ContainsFunc(v.Keys, func(k StoredKey) bool { return k.Key == key })
}

// Timed is Value's: TIME, EXPIREAT, PEXPIREAT, EXPIRETIME, and SET with EXAT or
// PXAT, also in a script.
func (v redisValue) Timed(units []sim.Unit, timed func(string) bool) bool {
	for _, u := range units {
		for _, cmd := range u.Cmds {
			if slices.ContainsFunc(cmd, timed) {
				return true
			}
		}
	}
	return slices.ContainsFunc(v.Scripts, timed)
}

func (v redisValue) Do(name, conn string, units []sim.Unit, now history.Millis) (Value, []sim.Executed, error) {
	after, done, err := v.Execute(name, conn, units, now)
	return redisValue{after}, done, err
}

func (v redisValue) Next() (history.Millis, bool) { return v.NextExpiry() }

func (v redisValue) Wait(now history.Millis) (Value, sim.Happened) {
	after, did := v.Pass(now)
	return redisValue{after}, did
}

func (v redisValue) Hit(a history.Action, now history.Millis) (Value, sim.Happened) {
	after, did := v.Fault(a, now)
	return redisValue{after}, did
}

func (v redisValue) Read(conn string) Value { return redisValue{v.Take(conn)} }

func (v redisValue) Drop(gone func(string) bool) Value {
	if len(v.Watches)+len(v.Blocked) == 0 {
		return v
	}
	return redisValue{v.Forget(gone)}
}

// Attend is Value's. Nothing in Redis depends on who is alive.
func (v redisValue) Attend(string, sim.Attendance) Value { return v }

func (v redisValue) Move(by history.Millis) Value { return redisValue{v.Shift(by)} }

// A Valued is a live node that is a Value.
type Valued struct {
	name  string
	value Value
}

// NewValued returns a live node in a state.
func NewValued(name string, v Value) *Valued { return &Valued{name, v} }

// Health is Server's.
func (n *Valued) Health(sim.Ref) sim.Health { return n.value.Condition() }

// Behind is Server's.
func (n *Valued) Behind(sim.Ref) int { return n.value.Missed() }

// Has is Server's.
func (n *Valued) Has(_ sim.Ref, key string) bool { return n.value.Has(key) }

// Execute is Server's.
func (n *Valued) Execute(_ sim.Ref, conn string, units []sim.Unit, now history.Millis) (sim.Ref, []sim.Executed, error) {
	after, done, err := n.value.Do(n.name, conn, units, now)
	if err == nil {
		n.value = after
	}
	return 0, done, err
}

// NextExpiry is Server's.
func (n *Valued) NextExpiry(sim.Ref) (history.Millis, bool) { return n.value.Next() }

// Pass is Server's.
func (n *Valued) Pass(_ sim.Ref, now history.Millis) (_ sim.Ref, did sim.Happened, _ error) {
	n.value, did = n.value.Wait(now)
	return 0, did, nil
}

// Fault is Server's.
func (n *Valued) Fault(_ sim.Ref, a history.Action, now history.Millis) (_ sim.Ref, did sim.Happened, _ error) {
	n.value, did = n.value.Hit(a, now)
	return 0, did, nil
}

// Unread is Server's.
func (n *Valued) Unread(_ sim.Ref, conn string) (sim.Message, bool) { return n.value.Unread(conn) }

// Take is Server's.
func (n *Valued) Take(_ sim.Ref, conn string) sim.Ref {
	n.value = n.value.Read(conn)
	return 0
}

// Broken is Server's.
func (n *Valued) Broken(_ sim.Ref, conn string) bool { return n.value.Broken(conn) }

// Forget is Server's.
func (n *Valued) Forget(_ sim.Ref, gone func(conn string) bool) sim.Ref {
	n.value = n.value.Drop(gone)
	return 0
}

// Attend is Server's.
func (n *Valued) Attend(_ sim.Ref, client string, how sim.Attendance) sim.Ref {
	n.value = n.value.Attend(client, how)
	return 0
}

// Keys returns what the node stores, sorted by key.
func (n *Valued) Keys() []KeyView {
	views := n.value.List()
	for i := range views {
		views[i].Node = n.name
	}
	return views
}

// Canonical returns the node as text. Equal text means the same future.
func (n *Valued) Canonical() string { return string(n.value.Append([]byte(n.name+" "))) + "\n" }

// Remembers returns "": Canonical has all that the node keeps of connections.
func (n *Valued) Remembers(string) string { return "" }

// Close ends the node.
func (n *Valued) Close() error { return nil }
