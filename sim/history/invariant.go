package history

import (
	"slices"

	"lockstep/internal/lang"
)

// The invariants. The prose data says what each means to a learner; the
// comments here say exactly when one is violated.
const (
	// MutualExclusion: a client enters the critical section while another
	// living client is inside.
	MutualExclusion = "mutual-exclusion"
	// ForeignRelease: a client's command removes (or, outside an acquisition,
	// overwrites) the key of another living client that holds the lock or is
	// about to learn that it does.
	ForeignRelease = "foreign-release"
	// ForeignRenewal: a client's command changes the deadline of such a key.
	ForeignRenewal = "foreign-renewal"
	// EqualTokens: it does either because both clients have drawn the same token: the
	// command compares it, or the client has read it in the same operation and taken the
	// key for its own. It is found in place of the other two.
	EqualTokens = "equal-tokens"
	// OverwrittenLease: an acquisition is refused, and one of its commands had
	// changed the value or the deadline of a key that was another's.
	OverwrittenLease = "overwritten-lease"
	// PhantomHold: a living client was told that it acquired, has not begun to
	// release, and does not own the key (on a quorum of the nodes).
	PhantomHold = "phantom-hold"
	// LockRecovers: decided by trying, not by Monitor; see world.Recovers.
	LockRecovers = "lock-recovers"
	// SelfDeadlock: a client is refused, or goes to sleep while acquiring, and
	// owns the key itself.
	SelfDeadlock = "self-deadlock"
	// LostWakeup: a living client waits for a message, or a goroutine for another
	// one of its process, nothing else will happen once all faults have ended, and
	// another client could acquire. Decided by trying, like LockRecovers; see
	// world.FindLostWakeup.
	LostWakeup = "lost-wakeup"
	// StaleWrite: the resource accepts a write from a client that no longer
	// owns the lock, after it has served a client that acquired later.
	StaleWrite = "stale-write"
	// LostUpdate: an accepted write replaces a version that its client had not
	// read, or puts a value there that is not computed from the present one.
	LostUpdate = "lost-update"
	// Leak: a release came back, with an answer or an error, or an acquisition failed whose
	// context was cancelled, and the client still owns the key: at once, or until its deadline
	// if a command of the client was under way, which might have removed it.
	Leak = "leak"
	// Panics: the code of a client panics, in whatever goroutine, which ends its process.
	Panics = "panic"
	// BlockedForever: the code of a client waits, in a process of its own, and neither a timer
	// nor a goroutine of its own wakes it, nor anything that a node may send.
	BlockedForever = "blocked-forever"
)

// Invariants lists all ids in the order in which they are shown.
func Invariants() []string {
	return []string{
		MutualExclusion, ForeignRelease, ForeignRenewal, EqualTokens, OverwrittenLease, PhantomHold,
		LockRecovers, LostWakeup, SelfDeadlock, StaleWrite, LostUpdate, Leak, Panics, BlockedForever,
	}
}

// Tried reports whether an invariant is decided by trying what comes next, so
// that no event of a history shows a violation of it.
func Tried(invariant string) bool { return invariant == LockRecovers || invariant == LostWakeup }

// A Harm is how grave a violation is, for tables with room for one word.
type Harm string

// The harms, the gravest first.
const (
	Damage  Harm = "damage"   // the resource has accepted a stale write or lost an update
	Inside  Harm = "inside"   // two clients are in the critical section at once
	Stuck   Harm = "stuck"    // nobody gets the lock any more, or a client waits for ever
	ShutOut Harm = "shut-out" // a client waits for a lock of its own, until that ends
	Breaks  Harm = "breaks"   // another invariant is violated
)

// Harms lists all harms, the gravest first.
func Harms() []Harm { return []Harm{Damage, Inside, Stuck, ShutOut, Breaks} }

// HarmOf returns the harm of violating an invariant.
func HarmOf(invariant string) Harm {
	switch invariant {
	case StaleWrite, LostUpdate:
		return Damage
	case MutualExclusion:
		return Inside
	case LockRecovers, LostWakeup, BlockedForever:
		return Stuck
	case SelfDeadlock:
		return ShutOut
	}
	return Breaks
}

// Short returns the two letters for an invariant in tables: "ME".
func Short(invariant string) string {
	return map[string]string{
		MutualExclusion: "ME", ForeignRelease: "FR", ForeignRenewal: "FN", EqualTokens: "ET", OverwrittenLease: "OL", PhantomHold: "PH",
		LockRecovers: "LR", LostWakeup: "LW", SelfDeadlock: "SD", StaleWrite: "SW", LostUpdate: "LU", Leak: "LK", Panics: "PA", BlockedForever: "BF",
	}[invariant]
}

// A Violation is one invariant failing at one event.
type Violation struct {
	Invariant string       `json:"invariant"`
	Seq       int          `json:"seq"`              // the first event at which it is known; -1 if it is so before any
	Client    string       `json:"client,omitempty"` // who broke it
	Other     string       `json:"other,omitempty"`  // who else is concerned
	Key       string       `json:"key,omitempty"`
	Detail    lang.Message `json:"detail,omitzero"`  // a measured fact
	Causes    []int        `json:"causes,omitempty"` // events that led to it, in order
	// Lost is, for each client that did not own the lock, how that came; of a client that its
	// own key keeps out, why it does not know of it.
	Lost []Loss `json:"lost,omitempty"`
}

// FirstOf returns the index of the first violation of an invariant; -1 for none.
func FirstOf(found []Violation, invariant string) int {
	return slices.IndexFunc(found, func(v Violation) bool { return v.Invariant == invariant })
}

// FromTheStart says that nothing has to happen for the violation.
func (v Violation) FromTheStart() bool { return v.Seq < 0 }

// Prose is the id under which prose tells of the violation: its invariant's,
// unless what is said of that would not be true of it.
func (v Violation) Prose() string {
	switch {
	case v.FromTheStart():
		return v.Invariant + "-from-the-start"
	case v.Invariant == LostWakeup && v.Other != "": // another goroutine of its process
		return v.Invariant + "-in-a-process"
	}
	return v.Invariant
}

// Conflict returns the two lines of a transcript that a violation comes from:
// what had been done, and what was done in spite of it, to the same key or the
// same resource. There is none, and ok is false, where one event is the whole
// of it.
func (h History) Conflict(v Violation) (first, second Line, ok bool) {
	if len(v.Causes) == 0 || v.Causes[0] == v.Seq {
		return Line{}, Line{}, false
	}
	first, known := h.LineOf(v.Causes[0])
	second, ok = h.LineOf(v.Seq)
	return first, second, known && ok && first.Seq != second.Seq
}
