package server

import (
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/live"
)

// Fault is Server's. It kills and restarts the server's process, or promotes
// its replica. The seam makes a node slow. Lockstep cannot change the server's
// clock.
func (l *Real) Fault(_ sim.Ref, a history.Action, now history.Millis) (sim.Ref, sim.Happened, error) {
	changes, err := l.fault(a, now)
	return 0, sim.Happened{Changes: changes}, err
}

func (l *Real) fault(a history.Action, now history.Millis) ([]history.Change, error) {
	var err error
	switch a.Verb {
	case history.Slow, history.Fast:
		l.health.Slow = a.Verb == history.Slow
		return nil, nil
	case history.Flush:
		return nil, l.space.FlushScripts()
	case history.Up:
		l.health.Down = false
		return nil, l.space.Revive(false)
	case history.Down:
		l.health.Down = true
		l.anew()
		return nil, l.kill()
	case history.Restart, history.Wipe:
		if err = l.kill(); err == nil {
			err = l.space.Revive(a.Verb == history.Wipe)
		}
	case history.Promote:
		err = l.space.Promote(l.offsets[a.By-1])
		l.offsets, l.lag = []int64{}, 0
	default:
		err = &live.RefusedError{Why: lang.New("the clock of a server cannot be turned from here")}
	}
	if err != nil {
		return nil, err
	}
	l.anew()
	return l.found(now)
}

// anew records that the process has restarted: its connections have ended, and
// a client that WATCHes notices.
func (l *Real) anew() {
	l.health.Life++
	for conn, p := range l.peers {
		if p.watch {
			l.gone[conn] = true
		}
	}
	clear(l.peers)
}

func (l *Real) kill() error {
	if l.offsets != nil {
		return &live.RefusedError{Why: lang.New("a restart of a server that has a replica")}
	}
	return l.space.Kill()
}

// found returns the changes of a node's keys after a fault.
func (l *Real) found(now history.Millis) ([]history.Change, error) {
	keys, at, err := l.space.Look()
	if err != nil {
		return nil, err
	}
	if l.held && l.ticks() {
		l.ahead(at, now)
	}
	a := live.Answer{Keys: keys, Before: at, After: at}
	return l.keys.become(l.views(a, nil, history.Millis(at-l.zero))), nil
}

// follow starts a replica if the configuration has a lag.
func (l *Real) follow() error {
	if l.lag == 0 {
		return nil
	}
	l.offsets = []int64{}
	return l.space.Follow()
}

// remember keeps the replica's offset if it has missed the last write that
// changed a key, the last two, and so on.
func (l *Real) remember(before int64) {
	l.offsets = slices.Insert(l.offsets, 0, before)
	l.offsets = l.offsets[:min(len(l.offsets), l.lag)]
}
