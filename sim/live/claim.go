package live

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim/resp"
)

// marker is the key that says that a run uses a database, so that a second one
// does not. It has no TTL: a run that was killed may have left other keys too.
const marker = "lockstep:run"

// ErrLeft means that there are keys after a run.
var ErrLeft = lang.Errorf("the database is not empty after the run")

// Open takes an empty logical database of somebody else's server for a run. Close
// gives it back.
func Open(ctx context.Context, t Target) (*Server, error) {
	s := &Server{ctx: ctx, target: t}
	err := s.inspect()
	if err == nil {
		err = s.claim()
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// claim sets the marker if there is no key, and the user may send what a run needs.
func (s *Server) claim() error {
	w, err := dial(s.ctx, s.target)
	if err != nil {
		return err
	}
	defer w.close()
	replies, err := w.all([]string{"DBSIZE"}, []string{"EXISTS", marker})
	if err != nil {
		return lang.Errorf("%s: DBSIZE and EXISTS, which show whether the database is empty: %w", s, err)
	}
	size, _ := replies[0].Number()
	if marked, _ := replies[1].Number(); marked > 0 || size > 0 {
		return s.inUse(size, marked > 0)
	}
	if _, err = w.all([]string{"DEL", "lockstep:none"}, []string{"MULTI"}, []string{"EXEC"}); err == nil {
		replies, err = w.all([]string{"SET", marker, "a run of Lockstep uses this database", "NX"}, []string{"DBSIZE"})
	}
	if err != nil {
		return lang.Errorf("%s: take the empty database: %w", s, err)
	}
	size, _ = replies[1].Number()
	switch {
	case replies[0].Null: // another run was faster
		return s.inUse(size, true)
	case size != 1:
		_, err := w.ask("DEL", marker)
		return errors.Join(s.inUse(size-1, false), err)
	}
	return nil
}

// inUse is the error of a database that is not empty.
func (s *Server) inUse(size int64, marked bool) error {
	if marked {
		return lang.Errorf("%s: another run of Lockstep uses database %d, or was killed and has left its keys there (%d, with %s); use another one, or delete them if no run is left", s, s.target.db, size, marker)
	}
	return lang.Errorf("%s: database %d is not empty (keys: %d); use another one, such as redis://HOST:PORT/9", s, s.target.db, size)
}

// Close ends the run's connections and deletes its keys, even if its context has
// ended. A server that Lockstep started ends.
func (s *Server) Close() error {
	s.hangUp()
	if s.Own() {
		s.Stop()
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), lastTimeout)
	defer cancel()
	names := append(slices.Clone(s.names), marker)
	left, err := s.clear(ctx, names)
	switch {
	case err != nil:
		return lang.Errorf("%w: database %d of %s may still have keys of the run, %s: %w", ErrLeft, s.target.db, s, lang.Names(names), err)
	case left > 0:
		return lang.Errorf("%w: while the story ran, others have put keys into database %d of %s, and they are left as they are (%d)", ErrLeft, s.target.db, s, left)
	}
	return nil
}

// clear deletes keys, and returns how many others there are.
func (s *Server) clear(ctx context.Context, names []string) (left int64, err error) {
	w, err := dial(ctx, s.target)
	if err != nil {
		return 0, err
	}
	defer w.close()
	replies, err := w.all(append([]string{"DEL"}, names...), []string{"DBSIZE"})
	if err != nil {
		return 0, err
	}
	left, _ = replies[1].Number()
	return left, nil
}

// all executes commands, none of which may fail.
func (w *wire) all(cmds ...[]string) ([]resp.Value, error) {
	replies, err := w.exchange(cmds)
	return replies, cmp.Or(err, oneFailed(replies))
}

// hangUp ends the run's connections.
func (s *Server) hangUp() {
	for _, c := range s.conns {
		c.close()
	}
	s.conns = nil
}
