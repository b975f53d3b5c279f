package sim

import "lockstep/sim/history"

// A resource is what the lock guards: how much work is left to be done, with a
// version. It refuses a fencing token older than the newest that it has seen,
// and a conditional write whose version is not the present one.
type resource struct {
	value   int64
	version int64
	fence   int64
}

// An access is one thing that a client does to the resource, and, once done,
// what came of it.
type access struct {
	op          string // one of the resource's operations in package history; Refuse if it was refused
	fence       int64  // 0 for none
	value       int64  // to write; or what was read
	based       int64  // the version that a write was computed from
	version     int64  // after it
	conditional bool   // the write is refused unless based is the present version
}

// do performs the access.
func (a *access) do(r *resource) {
	switch a.op {
	case history.ReadOp:
		a.value = r.value
		if !r.admit(a.fence) {
			a.op = history.Refuse
		}
	case history.WriteOp:
		if a.conditional && a.based != r.version || !r.admit(a.fence) {
			a.op = history.Refuse
			break
		}
		r.value = a.value
		r.version++
	}
	a.version = r.version
}

// admit says whether a fencing token is new enough; 0 is none.
func (r *resource) admit(fence int64) bool {
	if fence == 0 {
		return true
	}
	if fence < r.fence {
		return false
	}
	r.fence = fence
	return true
}
