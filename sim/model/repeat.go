package model

import (
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// This file lets a client's code run again where it has been, and holds what it
// does against what it did.

// ErrNondeterministic says that a client's code did two things on the same
// observations. It may read the real clock, use randomness or the order of a
// map, or talk to something that is not the world's.
var ErrNondeterministic = lang.Errorf("the code of the lock is not deterministic")

// sameWant says whether a strand is about to do the same.
func sameWant(a, b sim.Want) bool {
	return a.Name == b.Name && a.Ended == b.Ended && a.Fresh == b.Fresh && a.Saw == b.Saw && a.Label == b.Label && a.Text == b.Text &&
		a.Node == b.Node && a.Conn == b.Conn && slices.EqualFunc(a.Units, b.Units, sameUnit) &&
		a.Access == b.Access && a.Sleeps == b.Sleeps && a.For == b.For && a.Wakes.Equal(b.Wakes) && a.Stays == b.Stays
}

func sameUnit(a, b sim.Unit) bool { return slices.EqualFunc(a.Cmds, b.Cmds, slices.Equal[[]string]) }

// sameEvent says whether the code did the same on the way.
func sameEvent(a, b history.Event) bool {
	return a.Kind == b.Kind && a.Op == b.Op && a.Outcome == b.Outcome && a.Token == b.Token && a.Fence == b.Fence && a.Text == b.Text && a.By == b.By
}

// describe writes what a client is about to do and what it did before.
func describe(wants []sim.Want, events []history.Event) string {
	var b strings.Builder
	for _, w := range wants {
		fmt.Fprintf(&b, "%s %t %t %d %q %d %d %s %+v %t %v %s; ", w.Name, w.Ended, w.Fresh, w.Saw, w.InFull(), w.Node, w.Conn, appendUnits(nil, w.Units), w.Access, w.Sleeps, w.For, w.Wakes.Format("15:04:05.000000000"))
	}
	for _, e := range events {
		fmt.Fprintf(&b, "%s %s %s %s %d %s %d; ", e.Kind, e.Op, e.Outcome, e.Token, e.Fence, e.Text, e.By)
	}
	return b.String()
}

// repeat runs the client's code again up to a node that is known, the shortest
// way; see lead.
func (l *learner) repeat(node int32) (program.Code, error) {
	s := l.start()
	if err := l.lead(s, node, false); err != nil {
		return nil, err
	}
	return s, nil
}

// lead leads a run from the start up to a node that is known. The run is over if
// it does something else than those before it. It goes the shortest way, or else
// far: many times round wherever code spins.
func (l *learner) lead(s program.Code, node int32, far bool) error {
	went := false // further than the shortest way
	for told, to := range l.path(node) {
		if from := l.nodes[to].parent; far && l.rounds[from] != nil && l.rounds[from][0] != to {
			if err := l.goRound(s, from); err != nil {
				return err
			}
			went = true
		}
		if err := l.follow(s, to, told); err != nil {
			return err
		}
		l.nodes[to].twice = l.nodes[to].twice || !went
	}
	if far && l.rounds[node] != nil {
		return l.goRound(s, node)
	}
	return nil
}

// follow lets a run that has been told so much go on to a node that is known.
func (l *learner) follow(s program.Code, to int32, told int) error {
	n := &l.nodes[to]
	if sleeper, ok := s.(program.Sleeper); !ok {
		once, now := l.nodes[n.parent].wants, s.Wants(0)
		if n.strand >= len(now) || now[n.strand].Saw != once[n.strand].Saw || now[n.strand].InFull() != once[n.strand].InFull() {
			return l.diverged(s, told, describe(once, nil), describe(now, nil))
		}
	} else if n.twice { // and whether it waits there, Observe looks itself
		sleeper.Told(n.strand, n.saw)
		return nil
	}
	events, err := l.observe(s, n.strand, n.saw)
	if err != nil || n.twice {
		return err
	}
	if now := s.Wants(0); !n.did(now, events) {
		return l.diverged(s, told+1, describe(n.wants, n.events), describe(now, events))
	}
	return nil
}

// diverged ends a run that does not do what one before it did.
func (l *learner) diverged(s program.Code, told int, once, again string) error {
	s.Close()
	why := ErrNondeterministic
	if len(l.rounds) > 0 {
		why = ErrCounts
	}
	return lang.Errorf("%w: client %s, told the same %d times over,\nonce  %s\nagain %s", why, l.name, told, once, again)
}

// maxVerified bounds how many paths are run a second time for no other reason.
const maxVerified = 256

// verify runs the client's code a second time along paths of which only one
// run has been seen, the latest first. What leads to a fork has been seen more
// often than that. What leads out of a round has been seen after many of them, and
// so has what comes later.
func (l *learner) verify() error {
	verified := 0
	for n := len(l.nodes) - 1; n > 0; n-- { // leaves come after what leads to them
		if l.nodes[n].twice || verified >= maxVerified && l.rounds[l.nodes[n].parent] == nil {
			continue
		}
		verified++
		s, err := l.repeat(int32(n))
		if err != nil {
			return err
		}
		s.Close()
	}
	return nil
}
