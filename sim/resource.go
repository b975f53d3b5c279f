package sim

import (
	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// A ResourceState is what the lock guards: a quantity of remaining work, with a
// version. It refuses a fencing token older than the newest it has seen, and a
// conditional write with an outdated version.
type ResourceState struct {
	Value   int64
	Version int64
	Fence   int64 // the newest fencing token seen
}

// An Access is an access of a client to the resource and, once done, its result.
type Access struct {
	Resource    string // its name
	Op          string // one of the resource's operations in package history; Refuse if it was refused
	Fence       int64  // 0 for none
	Value       int64  // to write; or what was read
	Based       int64  // the version that a write was computed from
	Version     int64  // after it
	Outcome     string // history.Cancelled, or none
	Conditional bool   // the write is refused unless Based is the present version
}

// Doing describes the access.
func (a *Access) Doing() lang.Message {
	switch a.Op {
	case history.Enter:
		return lang.New("enter %s", a.Resource)
	case history.ReadOp:
		return lang.New("read %s", a.Resource)
	case history.WriteOp:
		return lang.New("write %s", a.Resource)
	case history.Leave:
		return lang.New("leave %s", a.Resource)
	}
	return lang.New("abandon %s", a.Resource)
}

// Do performs the access.
func (a *Access) Do(r *ResourceState) {
	switch a.Op {
	case history.ReadOp:
		a.Value = r.Value
		if !r.admit(a.Fence) {
			a.Op = history.Refuse
		}
	case history.WriteOp:
		if a.Conditional && a.Based != r.Version || !r.admit(a.Fence) {
			a.Op = history.Refuse
			break
		}
		r.Value = a.Value
		r.Version++
	}
	a.Version = r.Version
}

// Event describes a completed access.
func (a *Access) Event(c history.Config) history.Event {
	return history.Event{
		Kind: history.Resource, Op: a.Op, Text: c.Resource,
		Value: a.Value, Version: a.Version, Based: a.Based, Fence: a.Fence, Outcome: a.Outcome,
	}
}

// admit reports whether a fencing token is new enough; 0 means none.
func (r *ResourceState) admit(fence int64) bool {
	if fence == 0 {
		return true
	}
	if fence < r.Fence {
		return false
	}
	r.Fence = fence
	return true
}
