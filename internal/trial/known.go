package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"slices"
	"time"

	"lockstep/internal/cache"
	"lockstep/internal/lang"
	"lockstep/sim/remote"
)

// This file keeps the compiled tests of a suite, and which locks they have, between runs
// of the program, and says what the verdicts on these depend on.

// maxBinary bounds, in bytes, a binary that is kept.
const maxBinary = 128 << 20

// link makes the binary. The go command links nothing if the last one is of the same code.
func (s *Suite) link(ctx context.Context) error {
	k := cache.KeyOf("binary", s.Dir)
	s.take(k, s.binary())
	was, _ := cache.Identify(s.binary())
	if err := s.Build(ctx, s.binary()); err != nil {
		return err
	}
	if is, ok := cache.Identify(s.binary()); ok && is != was {
		s.keep(k, s.binary())
	}
	return nil
}

// linkAdapted makes the binary of adapted code, or takes that of the same code.
func (s *Suite) linkAdapted(ctx context.Context) error {
	program, ok := cache.Builtin() // which adapts it
	k := cache.KeyOf("adapted", program, s.id)
	if ok = ok && s.id != ""; ok && s.take(k, s.adapted()) {
		return nil
	}
	err := s.BuildAdapted(ctx, s.adapted(), s.temp)
	if err == nil && ok && s.changes() == s.before {
		s.keep(k, s.adapted())
	}
	return err
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

// take copies a binary from the store, if it is there.
func (s *Suite) take(k cache.Key, file string) bool {
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

// identify finds out what the verdicts on the locks depend on. Without it, nothing is
// found or kept.
func (s *Suite) identify() {
	s.begun, s.before = time.Now(), s.changes() // first, so that a change meanwhile counts
	program, known := cache.Identify(s.binary())
	around, ok := s.contents()
	env := environ(s.Dir)
	slices.Sort(env)
	if s.store != nil && known && ok {
		s.id = cache.KeyOf(append(env, program, around)...).String()
	}
}

// Identity is the compiled tests, what is around them and the environment; false if that
// is unknown.
func (s *Suite) Identity() (string, bool) { return s.id, s.id != "" }

// Read is what a lock has looked at so far; false if that is not known, or if something
// that it may have looked at has changed meanwhile.
func (s *Suite) Read(l *Lock) (cache.Read, bool) {
	return s.read(l.host.Reads())
}

// Reads is what the tests looked at when they said which locks they have, and what the
// locks have looked at so far.
func (s *Suite) Reads() []cache.Read {
	all := []cache.Read{s.said}
	for _, l := range s.Locks {
		r, _ := s.Read(l)
		all = append(all, r)
	}
	return all
}

// coarse is how much earlier than it was a file system may say that a file has changed.
const coarse = 20 * time.Millisecond

func (s *Suite) read(names []string, ok bool) (cache.Read, bool) {
	r := cache.ReadNow(names)
	return r, ok && s.changes() == s.before && !r.Since(s.begun.Add(-coarse))
}

// listed is list, unless the store knows what the tests said.
func (s *Suite) listed(ctx context.Context, tests []string, tell func(lang.Message)) error {
	program, _ := cache.Builtin()
	k := cache.KeyOf(append([]string{"locks", program, s.id}, tests...)...)
	if s.id != "" {
		if text, r, _, ok := s.store.GetRead(k, maxList); ok {
			if all, err := read(bytes.NewReader(text)); err == nil && len(all) > 0 {
				s.addAll(all)
				s.said = r
				return nil
			}
		}
	}
	tell(lang.New("%s: asking its tests for their locks", s.Path))
	reads := &remote.Reads{}
	if err := s.list(ctx, tests, reads); err != nil {
		return err
	}
	var text bytes.Buffer
	out := json.NewEncoder(&text)
	for _, l := range s.Locks {
		if err := out.Encode(l.Listed); err != nil {
			return err
		}
	}
	r, ok := s.read(reads.All())
	if ok && s.id != "" {
		_ = s.store.PutRead(k, r, text.Bytes()) // without it, the tests are asked again
	}
	s.said = r
	return nil
}
