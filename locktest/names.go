package locktest

import (
	"fmt"

	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// A Hazard is a class of faults. docs/hazards.md explains each.
type Hazard int

// The hazards, in the order in which Check tries them.
const (
	Contention Hazard = iota
	Crash
	Hang
	Overrun
	ClientClock
	LostReply
	LostPush
	LateRequest
	Reentry
	NodeRestart
	NodeClock
	Eviction
	Failover
	Partition
	ScriptFlush
	Cancel
	LongWork
)

// String returns the id in reports and on the command line.
func (h Hazard) String() string {
	if all := explore.Hazards(); h >= 0 && int(h) < len(all) {
		return all[h].ID
	}
	return fmt.Sprintf("Hazard(%d)", int(h))
}

// An Invariant is a promise of a lock. docs/hazards.md explains each.
type Invariant int

// The invariants, the gravest first.
const (
	MutualExclusion Invariant = iota
	ForeignRelease
	ForeignRenewal
	EqualTokens
	OverwrittenLease
	PhantomHold
	LockRecovers
	LostWakeup
	SelfDeadlock
	StaleWrite
	LostUpdate
	Leak
	Panic
	BlockedForever
)

// String returns the id in reports and on the command line.
func (i Invariant) String() string {
	if all := history.Invariants(); i >= 0 && int(i) < len(all) {
		return all[i]
	}
	return fmt.Sprintf("Invariant(%d)", int(i))
}
