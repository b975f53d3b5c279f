package world

import (
	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// This file bounds a run, whoever drives it: a story, a token, a learner, a
// hunt, on real servers or not. What a run can have, a token of it can hold.

// ErrTooLong says that a run is as long as a run can be.
var ErrTooLong = lang.Errorf("the run is too long")

// maxBytes bounds the memory of a history. Locks that send short commands come
// to history.MaxSchedule long before.
const maxBytes = 64 << 20

// full says why nothing more may happen in the world; nil if it may.
func (w *World) full() error {
	strands := 0
	for i := range w.programs {
		strands += len(w.wants(i))
	}
	switch {
	case len(w.schedule) >= history.MaxSchedule:
		return lang.Errorf("%w: it has %d actions, and no run may have more", ErrTooLong, len(w.schedule))
	case strands > history.MaxStrands:
		return lang.Errorf("%w: its clients have started %d threads, and no more than %d may be", ErrTooLong, strands, history.MaxStrands)
	}
	return w.large()
}

// large says that the history takes too much memory; nil if it does not.
func (w *World) large() error {
	if w.bytes > maxBytes {
		return lang.Errorf("%w: its history takes more than %d MiB, and none may", ErrTooLong, maxBytes>>20)
	}
	return nil
}

// bytesOf says about how much memory an event takes. It is no matter of the
// machine, on which would depend whether a token can be replayed.
func bytesOf(e *history.Event) int {
	const (
		event  = 400
		change = 100
		word   = 16
	)
	n := event + len(e.Reply) + len(e.Text)
	for _, cmd := range e.Cmds {
		for _, w := range cmd {
			n += word + len(w)
		}
	}
	for _, c := range e.Changes {
		n += change + len(c.Key)
		for _, k := range []*history.KeyState{c.Before, c.After} {
			if k != nil {
				n += len(k.Value)
			}
		}
	}
	return n
}
