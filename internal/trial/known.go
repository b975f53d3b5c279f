package trial

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os"

	"lockstep/internal/cache"
	"lockstep/internal/lang"
)

// This file keeps the compiled tests of a suite, and which locks they have, between runs
// of the program.

// maxBinary bounds, in bytes, a binary that is kept.
const maxBinary = 128 << 20

// link makes the binary, or takes one of the same code from the store.
func (s *Suite) link(ctx context.Context) error {
	build := func() error { return s.Build(ctx, s.binary()) }
	return s.make(cache.KeyOf("binary", s.whole), s.binary(), build, s.Unchanged)
}

// linkAdapted is link for code that the running program has adapted.
func (s *Suite) linkAdapted(ctx context.Context) error {
	build := func() error { return s.BuildAdapted(ctx, s.adapted(), s.temp) }
	program, ok := cache.Builtin()
	if !ok {
		return build()
	}
	return s.make(cache.KeyOf("adapted binary", program, s.whole), s.adapted(), build, func() bool { return s.again(ctx) })
}

// make builds a file, or takes it from the store. What it builds is kept if the code is
// unchanged afterwards.
func (s *Suite) make(k cache.Key, file string, build func() error, unchanged func() bool) error {
	if s.store == nil {
		return build()
	}
	if s.taken(k, file) {
		return nil
	}
	if err := build(); err != nil {
		return err
	}
	if unchanged() {
		s.keep(k, file)
	}
	return nil
}

// Unchanged reports whether the code is still what was listed, once there is a binary. If
// a file was saved meanwhile, the binary may be of other code, or the identities, and
// nothing of it is kept.
func (s *Suite) Unchanged() bool { return s.unchanged() }

// again lists the code again, and compares.
func (s *Suite) again(ctx context.Context) bool {
	code, err := s.Package.Code(ctx, true)
	return err == nil && code.whole == s.whole
}

// keep puts a binary into the store. Without it, the next one is linked again.
func (s *Suite) keep(k cache.Key, file string) {
	f, err := os.Open(file)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }() // it was only read
	if info, err := f.Stat(); err == nil && info.Size() <= maxBinary {
		_ = s.store.PutFrom(k, f)
	}
}

// taken copies a binary from the store.
func (s *Suite) taken(k cache.Key, file string) bool {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o700)
	if err != nil {
		return false
	}
	_, ok := s.store.CopyTo(f, k, maxBinary)
	if f.Close() == nil && ok {
		return true
	}
	_ = os.Remove(file) // the go tool replaces nothing but a binary
	return false
}

// listed is list, unless the store knows what the tests said.
func (s *Suite) listed(ctx context.Context, tests []string, tell func(lang.Message)) error {
	k := cache.KeyOf(append([]string{"locks", s.whole}, tests...)...)
	if s.store != nil {
		if text, _, ok := s.store.Get(k, maxList); ok {
			if all, err := read(bytes.NewReader(text)); err == nil && len(all) > 0 {
				s.addAll(all)
				return nil
			}
		}
	}
	tell(lang.New("%s: linking its tests", s.Path))
	if err := s.build(); err != nil {
		return err
	}
	tell(lang.New("%s: asking its tests for their locks", s.Path))
	if err := s.list(ctx, tests); err != nil || s.store == nil || !s.Unchanged() {
		return err
	}
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	for _, l := range s.Locks {
		if err := out.Encode(l.Listed); err != nil {
			return err
		}
	}
	_ = s.store.Put(k, text.Bytes()) // without it, the tests are asked again
	return nil
}

// Identity is the code that a lock's verdicts depend on, as far as it can be told from
// other code, and the environment; false if it is unknown.
func (s *Suite) Identity(lock *Lock) (string, bool) {
	if s.store == nil {
		return "", false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.ids[lock.Test]; !known {
		s.ids[lock.Test] = s.whole
		if s.reach != nil {
			s.ids[lock.Test] = cmp.Or(s.reach.of(lock.Test, s.around), s.whole)
		}
	}
	return s.ids[lock.Test], true
}
