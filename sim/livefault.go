package sim

import (
	"slices"

	"lockstep/sim/history"
	"lockstep/sim/live"
)

// faultLive lets something go wrong with a node on a real server: its process
// is killed and started again, its replica takes over. A slow node is a matter
// of the seam, and a clock is not ours to turn.
func (n *node) faultLive(a history.Action, now history.Millis) ([]history.Change, error) {
	l := n.live
	var err error
	switch a.Verb {
	case history.Slow, history.Fast:
		n.Slow = a.Verb == history.Slow
		return nil, nil
	case history.Up:
		n.Down = false
		return nil, l.space.Revive(false)
	case history.Down:
		n.Down = true
		n.Life++
		return nil, l.kill()
	case history.Restart, history.Wipe:
		if err = l.kill(); err == nil {
			err = l.space.Revive(a.Verb == history.Wipe)
		}
	case history.Promote:
		err = l.space.Promote(l.offsets[a.By-1])
		n.behind, n.lag = nil, 0
	default:
		err = &live.RefusedError{Why: "the clock of a server cannot be turned from here"}
	}
	n.Life++
	if err != nil {
		return nil, err
	}
	return n.found(now)
}

func (l *liveNode) kill() error {
	if l.offsets != nil {
		return &live.RefusedError{Why: "a restart of a server that has a replica"}
	}
	return l.space.Kill()
}

// found says what has become of a node's keys by something other than a command.
func (n *node) found(now history.Millis) ([]history.Change, error) {
	keys, at, err := n.live.space.Look()
	if err != nil {
		return nil, err
	}
	if n.live.held && n.ticks() {
		n.live.ahead(at, now)
	}
	a := live.Answer{Keys: keys, Before: at, After: at}
	return n.become(n.live.views(a, nil, history.Millis(at-n.live.zero))), nil
}

// follow gives the node's server a replica, if the world wants one.
func (n *node) follow(lag int) error {
	if lag == 0 {
		return nil
	}
	n.live.offsets = []int64{}
	return n.live.space.Follow()
}

// remember keeps the offset at which the replica is, if it has missed the last
// write that changed something, the last two, and so on.
func (n *node) remember(before int64) {
	n.live.offsets = slices.Insert(n.live.offsets, 0, before)
	n.live.offsets = n.live.offsets[:min(len(n.live.offsets), n.lag)]
	n.behind = make([]NodeState, len(n.live.offsets))
}
