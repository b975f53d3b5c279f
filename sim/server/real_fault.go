package server

import (
	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/live"
)

// Fault is Server's. It kills and restarts the server's process. A replica that
// takes over is the server without its last writes. The seam makes a node slow.
// Lockstep cannot change the server's clock.
func (l *Real) Fault(at sim.Ref, a history.Action, now history.Millis) (sim.Ref, sim.Happened, error) {
	if a.Verb == history.Slow || a.Verb == history.Fast {
		return l.Node.Fault(at, a, now)
	}
	changes, err := l.fault(a, now)
	return 0, sim.Happened{Changes: changes}, err
}

func (l *Real) fault(a history.Action, now history.Millis) ([]history.Change, error) {
	switch a.Verb {
	case history.Flush:
		return nil, l.server.FlushScripts()
	case history.Up:
		l.state.Down = false
		return nil, l.server.Revive(false)
	case history.Restart, history.Wipe, history.Down, history.Promote:
		if err := l.server.Kill(); err != nil {
			return nil, err
		}
	default:
		return nil, &live.RefusedError{Why: lang.New("the clock of a server cannot be turned from here")}
	}
	l.anew()
	switch a.Verb {
	case history.Down:
		l.state.Down = true
		return nil, nil
	case history.Wipe:
		l.behind, l.ends = nil, nil
	case history.Promote:
		was := l.behind[a.By-1]
		if err := l.server.Forget(was.bytes); err != nil {
			return nil, err
		}
		l.behind, l.ends, l.state.Health = nil, was.ends, sim.Health{Life: l.state.Life}
	}
	if err := l.server.Revive(a.Verb == history.Wipe); err != nil {
		return nil, err
	}
	keys, err := l.server.Look(l.rests(now))
	return l.become(keys, func(k live.Entry) history.Millis { return l.ends[k.Name] }), err
}

// anew records that the process has restarted: its connections have ended, and
// a client that WATCHes notices.
func (l *Real) anew() {
	for conn, p := range l.peers {
		if p.watch {
			l.state.Watches = append(l.state.Watches, Watch{Conn: conn})
		}
	}
	l.state = l.state.anew()
	clear(l.peers)
}
