// Package history holds what one run of a world left behind: its
// configuration, the schedule that drove it, the ordered events, and the
// verdict of the invariants over them. It knows neither Redis nor the
// simulator, so that renderers and exporters can use it alone.
//
// Start with Event. Observe in monitor.go is where a violation is found.
package history

import (
	"slices"
	"strconv"

	"lockstep/internal/lang"
)

// Kind says what an event is.
type Kind string

// The kinds of events. An operation is an Invoke and the Return, Fail or
// Unknown with the same Call; a command is a Request, an Apply and a Reply
// with the same Call.
const (
	Invoke   Kind = "invoke"   // a client calls an operation: Op
	Return   Kind = "return"   // it came back with an Outcome
	Fail     Kind = "fail"     // it came back with an error: Text
	Unknown  Kind = "unknown"  // it came back not knowing whether it took effect: Text
	Panic    Kind = "panic"    // the client's code panicked: Text, Source
	Blocked  Kind = "blocked"  // it waits, and nothing of its own wakes it for By: Source
	Request  Kind = "request"  // a command left the client: Cmds, Source
	Apply    Kind = "apply"    // a node executed it: Cmds, Reply, Changes
	Reply    Kind = "reply"    // the client read the reply: Cmds, Reply
	Wait     Kind = "wait"     // a node holds a command until it can reply: Cmds
	Push     Kind = "push"     // a node sent the client what it did not ask for now: Reply; Changes on its behalf
	Receive  Kind = "receive"  // the client read it: Reply
	TimeOut  Kind = "timeout"  // the client gave up waiting for the reply
	Broken   Kind = "broken"   // its connection failed before a reply: Op says how
	Sleep    Kind = "sleep"    // a strand sleeps for By, on its own clock
	Read     Kind = "now"      // a strand read its clock: Text
	Clock    Kind = "clock"    // time moved by By
	Expire   Kind = "expire"   // a key's TTL ended: Changes
	Fault    Kind = "fault"    // Op says which: an action's verb
	Resource Kind = "resource" // a client touched what the lock guards: Op
	Start    Kind = "start"    // a background strand began: Text
	End      Kind = "end"      // a strand ended
)

// The operations of a client.
const (
	OpAcquire = "acquire"
	OpRelease = "release"
	OpUpdate  = "update" // read and write without a lock, for an optimistic strategy
)

// The outcomes of a Return.
const (
	Acquired = "acquired"
	Refused  = "refused"
	Released = "released"
	Unread   = "unread" // of an Apply: its sender no longer waits for the reply
	Lost     = "lost"   // at release, the lock was no longer the client's
	Updated  = "updated"
	// Cancelled is the outcome of a Resource that is an Abandon, if the client's context has ended.
	Cancelled = "cancelled"
)

// How a connection is Broken.
const (
	NoServer = "refused" // nobody listens: the command was not executed
	Reset    = "reset"   // it ended under way: nobody knows whether it was
	Unheard  = "unheard" // its client ended it: no ping was answered for By
)

// What a client does to the resource.
const (
	Enter   = "enter"   // it begins the work that the lock guards
	ReadOp  = "read"    // Value, Version
	WriteOp = "write"   // Value and Version after it, Based on which version
	Refuse  = "refuse"  // the resource refused a write: Fence or Based is too old
	Leave   = "leave"   // the work is done
	Abandon = "abandon" // the work is given up: its context has ended, usually as the lease is lost
)

// A KeyState is what a node stores under one key.
type KeyState struct {
	Type  string `json:"type"`  // as TYPE answers: string, hash
	Value string `json:"value"` // a hash as "{field=value ...}", fields sorted
	// Deadline is the last moment at which the key is still there; 0 if it has
	// no TTL.
	Deadline Millis `json:"deadline,omitempty"`
}

// The types of znodes: one that goes with its session, and any other.
const (
	Ephemeral = "ephemeral"
	Znode     = "znode"
)

// A Change is one key of one node before and after an event; nil is absent.
type Change struct {
	Key    string    `json:"key"`
	Before *KeyState `json:"before,omitempty"`
	After  *KeyState `json:"after,omitempty"`
}

// An Event is one entry of a history. Which fields are set depends on its
// Kind; the zero value of a field means that it does not apply.
type Event struct {
	Seq    int    `json:"seq"`  // its place in the history, from 0
	Pick   int    `json:"pick"` // the action of the schedule that led to it, from 0
	At     Millis `json:"at"`   // virtual time
	Kind   Kind   `json:"kind"`
	Client string `json:"client,omitempty"`
	Strand int    `json:"thread,omitempty"` // 0 is the client's main strand
	Node   string `json:"node,omitempty"`
	// Call numbers the operation or the command; the events of one share it.
	Call int `json:"call,omitempty"`
	// During is the Call of the operation in which a command was sent.
	During  int        `json:"during,omitempty"`
	Op      string     `json:"op,omitempty"`
	Outcome string     `json:"outcome,omitempty"`
	Cmds    [][]string `json:"cmds,omitempty"`   // one command, or MULTI to EXEC
	Reply   string     `json:"reply,omitempty"`  // as redis-cli would show it, on one line
	Source  string     `json:"source,omitempty"` // the strategy's file and line
	Changes []Change   `json:"changes,omitempty"`
	Value   int64      `json:"value,omitempty"`
	Version int64      `json:"version,omitempty"`
	Based   int64      `json:"based,omitempty"`
	Fence   int64      `json:"fence,omitempty"`
	Token   string     `json:"token,omitempty"` // of a Return, what it acquired with; of an Apply, see Compares
	By      Millis     `json:"by,omitempty"`
	Text    string     `json:"text,omitempty"`
	// Busy is set at the end of a release, or of an acquisition whose context was cancelled, if
	// the client still has a command under way, or sends one next, so that the key may yet be
	// removed.
	Busy  bool         `json:"busy,omitempty"`
	while lang.Message // Text, of the fault of a client
}

// While returns the event of a fault with what the client was doing or about to do.
func (e Event) While(doing lang.Message) Event {
	e.Text, e.while = doing.String(), doing
	return e
}

// located adds the line of the code to what is said of an event.
func (e *Event) located(said lang.Message) lang.Message {
	if e.Source == "" {
		return said
	}
	return lang.New("%v at %s", said, e.Source)
}

// A History is one run: what was set up, what was picked, what happened.
type History struct {
	Config   Config
	Nodes    int // how many Redis nodes the strategy uses
	Schedule Schedule
	Events   []Event
	Next     []Next // what the threads of a world did next; none where nobody looks
}

// A Next is the line of code that a thread does next once so many actions have been played, until
// there is another one of it.
type Next struct {
	After       int
	Who, Source string
}

// Acquires says whether somebody has just got what it came for: the lock, or
// an update without one.
func (e Event) Acquires() bool {
	return e.Kind == Return && (e.Outcome == Acquired || e.Outcome == Updated)
}

// Is reports whether an event is a fault.
func (e *Event) Is(fault Verb) bool { return e.Kind == Fault && e.Op == string(fault) }

// Listens says whether a client listens for messages, or sends a command that its
// node may hold: only then can a wake-up be lost.
func (h History) Listens() bool {
	for i := range h.Events {
		switch e := &h.Events[i]; {
		case e.Kind == Wait, e.Kind == Push, e.Kind == Receive:
			return true
		case e.Kind == Request && (e.Cmds[0][0] == "SUBSCRIBE" || e.Cmds[0][0] == "PSUBSCRIBE"):
			return true
		case e.Kind == Request:
			if TimeOutOf(e.Cmds[0]) != "" {
				return true
			}
		}
	}
	return false
}

// Judges reports whether an invariant says something of a run: what only foreign code does, not
// where it has not happened.
func (h History) Judges(invariant string) bool {
	kind := Panic
	switch invariant {
	case LostWakeup:
		return h.Listens()
	case BlockedForever:
		kind = Blocked
	case Panics:
	default:
		return true
	}
	return slices.ContainsFunc(h.Events, func(e Event) bool { return e.Kind == kind })
}

// TimeOutOf returns the word of a command that says for how many seconds its node may hold
// it; "" for a command that a node does not hold.
func TimeOutOf(cmd []string) string {
	switch cmd[0] {
	case "BLPOP", "BRPOP", "BZPOPMIN", "BZPOPMAX", "BRPOPLPUSH", "BLMOVE":
		if len(cmd) > 2 {
			return cmd[len(cmd)-1]
		}
	}
	return ""
}

// NodeName is the name of the node with an index.
func NodeName(i int) string { return "r" + strconv.Itoa(i+1) }
