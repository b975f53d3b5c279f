package trial

import (
	"slices"
	"time"

	"lockstep/internal/cache"
)

// This file says what the verdicts on the locks of a suite depend on.

// Identify finds that out before anything of the locks runs. Without it, or if it is
// unknown, nothing is found or kept.
func (s *Suite) Identify() {
	s.begun, s.before = time.Now(), s.changes() // first, so that a change meanwhile counts
	program, known := cache.Identify(s.binary())
	around, ok := s.contents()
	env := environ(s.Dir)
	slices.Sort(env)
	if known && ok {
		s.id = string(cache.KeyOf(append(env, program, around)...))
	}
}

// Identity is the compiled tests, what is around them and the environment; false if that
// is unknown.
func (s *Suite) Identity() (string, bool) { return s.id, s.id != "" }

// coarse is how much earlier than it was a file system may say that a file has changed.
const coarse = 20 * time.Millisecond

// Read is what a lock has looked at so far; false if that is not known, or if something
// that it may have looked at has changed since Identify.
func (s *Suite) Read(l *Lock) (cache.Read, bool) {
	names, ok := l.host.Reads()
	r := cache.ReadNow(names)
	return r, ok && s.changes() == s.before && !r.Since(s.begun.Add(-coarse))
}

// Reads is what each lock has looked at so far.
func (s *Suite) Reads() (all []cache.Read) {
	for _, l := range s.Locks {
		r, _ := s.Read(l)
		all = append(all, r)
	}
	return all
}
