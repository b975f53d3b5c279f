package sim

// A resource is what the lock guards: how much work is left to be done, with a
// version. It refuses a fencing token older than the newest that it has seen,
// and a conditional write whose version is not the present one.
type resource struct {
	value   int64
	version int64
	fence   int64
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

func (r *resource) write(value int64) {
	r.value = value
	r.version++
}
