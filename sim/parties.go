package sim

import (
	"math"
	"slices"
	"strconv"
	"time"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// An UnsupportedError is why code cannot be tried at all: it asks a server for
// what that does not simulate.
type UnsupportedError struct{ Why lang.Message }

func (e *UnsupportedError) Error() string { return e.Why.String() }

// In returns the reason in a language.
func (e *UnsupportedError) In(l lang.Language) string { return e.Why.In(l) }

// Parties are what Step asks: the programs of the clients, the servers of the
// nodes, the store of the resource. Live parties run real code; those of a model
// have learnt it.
type Parties struct {
	Config   history.Config
	Names    []string // of the clients
	Programs []Program
	Servers  []Server
	Store    Store
	// KeepTime says that the programs have clocks of their own, so that each
	// observation has a time.
	KeepTime bool
	// Emit takes an event. The receiver fills in its number and time.
	Emit func(history.Event)
	// Call numbers commands; nil if they need no numbers.
	Call func() int
}

// A Program is the code of one client.
type Program interface {
	// Wants returns what each strand is about to do. The caller must not change
	// it.
	Wants(at Ref) []Want
	// Observe hands a strand an observation and runs it to its next step. It
	// returns where the code stands then, and the events on the way that are not
	// commands: an operation began or ended, the code panicked.
	Observe(at Ref, strand int, o Observation) (Ref, []history.Event, error)
	// Die ends the code of a dead process.
	Die()
}

// ErrNondeterministic means that a client's code acted differently after the
// same observations. It may read the real clock, use randomness or the order of
// a map, or talk to a service outside the world.
var ErrNondeterministic = lang.Errorf("the code of the lock is not deterministic")

// A Want is what a strand is about to do.
type Want struct {
	Name   string // of a background strand
	Ended  bool   // its code has returned
	Saw    Saw    // the kind of its next observation
	Source string // the line of its code that does it, where that is shown; "" for none
	Label  string // a command's name, an operation of the resource, or the kind of the event to come; "wait" if it Stays

	Node int // SawReply, SawPush: the node, from 0
	Conn int // SawReply, SawPush: the connection, among the client's
	// Blocks is for how long the node may hold the command before it replies;
	// Forever for no limit.
	Blocks history.Millis
	// Closed are the connections that the code closed before it came here,
	// among those over which it waits for messages.
	Closed []Link
	Units  []Unit // SawReply: the bytes to send
	During int    // SawReply: the current operation; 0 for none
	Access Access // SawAccess
	// SawNothing: it has not begun; or it sleeps for For on its own clock,
	// unless its context is done.
	Fresh  bool
	Sleeps bool
	For    time.Duration
	Wakes  time.Time // not zero: it sleeps until its clock shows that
	Stays  bool      // SawNothing: it waits for another strand
	// Of is which goroutine of its process does this, from 1; 0 in a process of its
	// own. See history.Shared.
	Of int
}

// A Link is a connection of a client.
type Link struct{ Node, Conn int }

// Forever is a time that never ends.
const Forever = history.Millis(math.MaxInt64)

// InFull describes what the strand is about to do; on is the clock by which it would sleep.
func (w *Want) InFull(on Clock) lang.Message {
	if w.Saw == SawReply {
		return lang.Quote(history.CommandText(w.Units[0].Shown))
	}
	switch history.Kind(w.Label) {
	case history.Start:
		return lang.New("its first step")
	case history.Read:
		return lang.New("read its clock")
	case history.Wait:
		return lang.New("wait for another thread or for time")
	case history.Receive:
		return lang.New("wait for a message")
	case history.Sleep:
		if !w.Wakes.IsZero() {
			return lang.New("wait for time")
		}
		return lang.New("sleep %s", on.Length(w.For))
	}
	return w.Access.Doing()
}

// Awaits reports whether the strand can go on with an observation of a kind.
func (w *Want) Awaits(kind Saw) bool {
	switch kind {
	case SawTimeOut, SawRefused:
		kind = SawReply
	case SawCancel:
		return !w.Fresh && !w.Ended
	case SawReset:
		return !w.Ended && (w.Saw == SawReply || w.Saw == SawPush)
	}
	return !w.Ended && !w.Stays && w.Saw == kind
}

// SameWant reports whether two strands are about to do the same.
func SameWant(a, b Want) bool {
	return a.Name == b.Name && a.Ended == b.Ended && a.Fresh == b.Fresh && a.Saw == b.Saw && a.Label == b.Label &&
		a.Node == b.Node && a.Conn == b.Conn && slices.EqualFunc(a.Units, b.Units, sameUnit) &&
		a.Access == b.Access && a.Sleeps == b.Sleeps && a.For == b.For && a.Wakes.Equal(b.Wakes) && a.Stays == b.Stays && a.Blocks == b.Blocks && a.Of == b.Of &&
		slices.Equal(a.Closed, b.Closed)
}

func sameUnit(a, b Unit) bool { return slices.EqualFunc(a.Cmds, b.Cmds, slices.Equal[[]string]) }

// A Unit is what a node executes atomically: one command, or MULTI to EXEC.
type Unit struct {
	Cmds   [][]string // as the node gets them
	Shown  [][]string // the same, fit to be printed
	Source string     // the line of the strategy
	// Renews says that the unit tells the node the last Stamp that its client has
	// read; Seen is that stamp, set when the node executes the unit.
	Renews bool
	Seen   int64
}

// Units puts the commands from MULTI to EXEC into one unit.
func Units(cmds [][]string) []Unit {
	var units []Unit
	inTx := false
	begin := 0
	for i, cmd := range cmds {
		if !inTx {
			begin = i
			units = append(units, Unit{})
		}
		units[len(units)-1].Cmds = cmds[begin : i+1 : i+1]
		switch cmd[0] {
		case "MULTI":
			inTx = true
		case "EXEC", "DISCARD":
			inTx = false
		}
	}
	return units
}

// A View is what can be read of a node in one of its states.
type View interface {
	// Condition is the effect of faults on the node.
	Condition() Health
	// Missed returns how many writes its replica can have missed.
	Missed() int
	// Has reports whether a key exists that can be evicted.
	Has(key string) bool
	// NextExpiry returns when time alone next changes something.
	NextExpiry() (history.Millis, bool)
	// Unread returns the oldest message that the node has sent over a
	// connection and that its client has not read.
	Unread(conn string) (Message, bool)
	// Broken reports whether a connection ended with the node's process and its
	// client has not noticed.
	Broken(conn string) bool
}

// A Server is a node. Its times are the world's.
type Server interface {
	View(at Ref) View
	// Execute executes units that arrive over a connection.
	Execute(at Ref, conn string, units []Unit, now history.Millis) (Ref, []Executed, error)
	// Pass lets time pass to a moment, and returns what this did.
	Pass(at Ref, now history.Millis) (Ref, Happened, error)
	// Fault applies a fault to the node and returns what this did.
	Fault(at Ref, a history.Action, now history.Millis) (Ref, Happened, error)
	// Take removes the oldest message that a connection's client has not read.
	Take(at Ref, conn string) Ref
	// Forget drops connections that are no longer used.
	Forget(at Ref, gone func(conn string) bool) Ref
	// Attend records whether a client keeps its sessions alive, by pings that
	// no action of a schedule is about; "" is all clients.
	Attend(at Ref, client string, how Attendance) Ref
}

// An Attendance says what becomes of a client's sessions.
type Attendance byte

const (
	Pings  Attendance = iota // the client keeps them alive
	Silent                   // it does not, and may again
	Left                     // its process has ended
)

// A ServerKind is a kind of server.
type ServerKind string

// The kinds of servers.
const (
	Redis     ServerKind = ""
	ZooKeeper ServerKind = "zookeeper" // an ensemble: one node
)

// ConnName is a node's name for a connection. It ends in a character that no
// number contains, so that no name is a prefix of another.
func ConnName(client string, conn int) string { return client + "/" + strconv.Itoa(conn) + "." }

// Health is the effect of faults on a node.
type Health struct {
	Down  bool // it accepts no connection
	Slow  bool // it replies after every timeout
	Life  int  // the number of restarts
	Clock Clock
}

// Happened is what something did to a node: the keys that it changed, and the
// messages that the node sent for that reason.
type Happened struct {
	Changes []history.Change
	Sent    []Message
}

// A Message is what a node sends over a connection without being asked just
// then: a push, or the reply to a command that it held.
type Message struct {
	Conn    string
	Raw     string // its bytes
	Text    string // the same, as an event shows it
	Changes []history.Change
}

// An Executed is the result of a Unit on a node: its reply, and what it did.
type Executed struct {
	Raw   []byte // the reply's bytes
	Reply string // the same, as an event shows it
	Held  bool   // there is no reply yet; a Message will be
	// Stamp numbers the reply by the state of the server: the last transaction
	// that it knew. All that a client does with it is to tell it the server when
	// it connects anew. So it is no part of the bytes, in which it would make all
	// that a client has read differ by what others did meanwhile. 0 is none, and
	// -1 means that the client forgets the one that it has.
	Stamp int64
	Happened
}

// Shift returns the result of the unit at another time.
func (x Executed) Shift(by history.Millis) Executed {
	x.Changes, x.Sent = shiftAll(x.Changes, by), slices.Clone(x.Sent)
	for i := range x.Sent {
		x.Sent[i].Changes = shiftAll(x.Sent[i].Changes, by)
	}
	return x
}

func shiftAll(changes []history.Change, by history.Millis) []history.Change {
	changes = slices.Clone(changes)
	for i := range changes {
		ch := &changes[i]
		ch.Before, ch.After = shift(ch.Before, by), shift(ch.After, by)
	}
	return changes
}

func shift(k *history.KeyState, by history.Millis) *history.KeyState {
	if k == nil || k.Deadline == 0 {
		return k
	}
	moved := *k
	moved.Deadline += by
	return &moved
}

// A Store keeps the resource.
type Store interface {
	// Do performs an access, as Access.Do does, and returns the new state.
	Do(ResourceState, *Access) (ResourceState, error)
}

// InMemory is the Store that is the State itself.
type InMemory struct{}

// Do is Store's.
func (InMemory) Do(r ResourceState, a *Access) (ResourceState, error) {
	a.Do(&r)
	return r, nil
}

// Saw is the kind of an observation.
type Saw byte

// The kinds of observations.
const (
	SawNothing Saw = iota // it began or woke
	SawNow                // its clock shows Shown
	SawReply              // the bytes Reply answer its command
	SawTimeOut            // no reply came
	SawRefused            // the node accepts no connection
	SawReset              // the connection ended under way
	SawAccess             // its access to the resource ended as Access
	SawPush               // the bytes Reply came over its connection
	SawCancel             // its context has ended, whatever it does
)

// An Observation is what a strand observes at a step: all that its code can
// depend on.
type Observation struct {
	Kind   Saw
	Shown  time.Time // by its clock: SawNow; of a program that keeps time, always
	Reply  []byte
	Access Access // with what came of it
	// Drew is what the code did then, of several things; 0 for any. Code that draws, as select
	// does between cases that are ready, does one or another after the same observations. It
	// identifies no observation.
	Drew uint32
}

// Append appends a text that identifies the observation.
func (o *Observation) Append(b []byte) []byte {
	b = append(b, byte('a'+o.Kind))
	switch o.Kind {
	case SawReply, SawPush:
		b = append(b, o.Reply...)
	case SawAccess:
		b = append(b, o.Access.Op...)
		b = strconv.AppendInt(append(b, ' '), o.Access.Value, 10)
		b = strconv.AppendInt(append(b, ' '), o.Access.Version, 10)
	}
	if !o.Shown.IsZero() {
		b = strconv.AppendInt(append(b, '@'), o.Shown.UnixNano(), 10)
	}
	return append(b, '\n')
}

// String returns a text that identifies the observation.
func (o Observation) String() string { return string(o.Append(nil)) }
