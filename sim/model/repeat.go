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

// This file runs a client's code again and compares it with earlier runs.

// ErrNondeterministic means that a client's code acted differently after the
// same observations. It may read the real clock, use randomness or the order of
// a map, or talk to a service outside the world.
var ErrNondeterministic = lang.Errorf("the code of the lock is not deterministic")

// sameWant reports whether two strands are about to do the same.
func sameWant(a, b sim.Want) bool {
	return a.Name == b.Name && a.Ended == b.Ended && a.Fresh == b.Fresh && a.Saw == b.Saw && a.Label == b.Label && a.Text == b.Text &&
		a.Node == b.Node && a.Conn == b.Conn && slices.EqualFunc(a.Units, b.Units, sameUnit) &&
		a.Access == b.Access && a.Sleeps == b.Sleeps && a.For == b.For && a.Wakes.Equal(b.Wakes) && a.Stays == b.Stays && a.Blocks == b.Blocks &&
		slices.Equal(a.Closed, b.Closed)
}

func sameUnit(a, b sim.Unit) bool { return slices.EqualFunc(a.Cmds, b.Cmds, slices.Equal[[]string]) }

// sameEvent reports whether two events are equal to the code that emits them.
func sameEvent(a, b history.Event) bool {
	return a.Kind == b.Kind && a.Op == b.Op && a.Outcome == b.Outcome && a.Token == b.Token && a.Fence == b.Fence && a.Text == b.Text && a.By == b.By
}

// describe describes a client's wants and the events before them.
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

// repeat runs the client's code from its start to a known node, by the shortest
// path; see lead.
func (l *learner) repeat(node int32) (program.Code, error) {
	s := l.start()
	if err := l.lead(s, node, false); err != nil {
		return nil, err
	}
	return s, nil
}

// lead leads a new run to a known node. It closes the run if that differs from
// earlier ones. It takes the shortest path or, if far, goes round many times
// where code spins.
func (l *learner) lead(s program.Code, node int32, far bool) error {
	went := false // further than by the shortest path
	for observed, to := range l.path(node) {
		if from := l.before(to); far && l.rounds[from] != nil && l.rounds[from][0] != to {
			if err := l.goRound(s, from); err != nil {
				return err
			}
			went = true
		}
		if err := l.follow(s, l.wayTo(to), observed, l.nodes[to].twice); err != nil {
			return err
		}
		l.nodes[to].twice = l.nodes[to].twice || !went
	}
	if far && l.rounds[node] != nil {
		return l.goRound(s, node)
	}
	return nil
}

// follow lets a run, after some observations, continue on a known way. If the
// run is trusted, what it does there is not compared.
func (l *learner) follow(s program.Code, w *way, observed int, trusted bool) error {
	if sleeper, ok := s.(program.Sleeper); !ok {
		once, now := l.nodes[w.from].wants, s.Wants(0)
		if w.strand >= len(now) || now[w.strand].Saw != once[w.strand].Saw || now[w.strand].InFull() != once[w.strand].InFull() {
			s.Close()
			return l.diverged(observed, describe(once, nil), describe(now, nil))
		}
	} else if trusted { // Observe itself checks that the strand waits there
		sleeper.Told(w.strand, w.saw)
		return nil
	}
	events, err := l.observe(s, w.strand, w.saw)
	if err != nil || trusted {
		return err
	}
	if now := s.Wants(0); !l.did(w, now, events) {
		s.Close()
		return l.diverged(observed+1, describe(l.nodes[w.to].wants, w.events), describe(now, events))
	}
	return nil
}

// diverged returns the error of a run that differs from an earlier one.
func (l *learner) diverged(observed int, once, again string) error {
	why := ErrNondeterministic
	if len(l.rounds) > 0 {
		why = ErrCounts
	}
	return lang.Errorf("%w: client %s, after the same %d observations,\nonce  %s\nagain %s", why, l.name, observed, once, again)
}

// maxVerified bounds the paths that run a second time only for verification.
const maxVerified = 256

// verify runs the client's code a second time along paths that only one run has
// taken, the latest first. Paths to a fork have been taken more often. Paths
// out of a round were learned after many rounds, and so was what follows.
func (l *learner) verify() error {
	verified := 0
	for n := len(l.nodes) - 1; n > 0; n-- { // leaves have larger numbers than the nodes before them
		if l.nodes[n].twice || verified >= maxVerified && l.rounds[l.before(int32(n))] == nil {
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
