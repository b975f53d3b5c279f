package world

import (
	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// This file bounds every run, on simulated and on real servers, so that a token
// can hold any run.

// ErrTooLong means that a run has reached its maximum length.
var ErrTooLong = lang.Errorf("the run is too long")

// maxBytes bounds the memory of a history. Locks with short commands reach
// history.MaxSchedule long before.
const maxBytes = 64 << 20

// full returns an error if the run has reached a bound.
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

// large returns an error if the history takes too much memory.
func (w *World) large() error {
	if w.bytes > maxBytes {
		return lang.Errorf("%w: its history takes more than %d MiB, and none may", ErrTooLong, maxBytes>>20)
	}
	return nil
}

// bytesOf estimates the memory of an event. The estimate does not depend on the
// machine, so that every machine replays the same tokens.
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
