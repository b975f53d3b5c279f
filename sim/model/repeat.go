package model

import (
	"context"
	"errors"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// This file runs a client's code again and compares it with earlier runs.

// sameEvent reports whether two events are equal to the code that emits them.
func sameEvent(a, b history.Event) bool {
	return a.Kind == b.Kind && a.Op == b.Op && a.Outcome == b.Outcome && a.Token == b.Token && a.Fence == b.Fence && a.Text == b.Text && a.By == b.By && a.Client == b.Client
}

// repeat runs the client's code from its start to a known node, by the shortest
// path; see lead.
func (l *learner) repeat(node int32) error {
	s := l.startAs(l.missing(node))
	lead := func() error { return l.lead(s, node, false) }
	if sleeper, ok := s.Code.(program.Sleeper); ok {
		lead = func() error { return l.leadAtOnce(s, sleeper, node) }
	}
	if err := lead(); err != nil {
		return err
	}
	s.Close()
	return nil
}

// leadAtOnce is lead, not far, for code that makes many observations at once.
func (l *learner) leadAtOnce(s run, sleeper program.Sleeper, node int32) error {
	var ways []*way
	var steps []program.Stride
	for _, to := range l.path(node) {
		w, trusted := l.wayTo(to), l.settled(to)
		if trusted && len(steps) == 0 {
			sleeper.Told(w.strand, w.saw)
			continue
		}
		ways = append(ways, w)
		steps = append(steps, program.Stride{Observed: program.Observed{Strand: w.strand, Observation: w.saw}, Clock: !trusted})
	}
	did, err := sleeper.Walk(steps)
	if err != nil {
		l.stuck = err
		s.Close()
		return l.elsewhere(l.before(node), err)
	}
	for i, w := range ways {
		if !l.settled(w.to) && !l.did(w, did[i].Wants, did[i].Events) {
			s.Close()
			return l.diverged(w, true, l.nodes[w.to].wants, did[i].Wants, did[i].Events)
		}
		l.reached(w.to, s)
	}
	return nil
}

// lead leads a new run to a known node. It closes the run if that differs from
// earlier ones. It takes the shortest path or, if far, goes round many times
// where code spins.
func (l *learner) lead(s run, node int32, far bool) error {
	nodes := l.path(node)
	straight := len(nodes)
	if far {
		nodes, straight = l.farPath(node)
	}
	for i, to := range nodes {
		if err := l.follow(s, l.wayTo(to), l.settled(to)); err != nil {
			return err
		}
		if i < straight {
			l.reached(to, s)
		}
	}
	return nil
}

// follow lets a run continue on a known way. If the run is trusted, what it does
// there is not compared.
func (l *learner) follow(s run, w *way, trusted bool) error {
	if sleeper, ok := s.Code.(program.Sleeper); !ok {
		if !l.waitsFor(s, w) {
			defer s.Close()
			return l.diverged(w, false, l.nodes[w.from].wants, s.Wants(0), nil)
		}
	} else if trusted { // Observe itself checks that the strand waits there
		sleeper.Told(w.strand, w.saw)
		return nil
	}
	events, err := l.observe(s, w.strand, w.saw)
	if err != nil {
		return l.elsewhere(w.from, err)
	}
	if now := s.Wants(0); !trusted && !l.did(w, now, events) {
		s.Close()
		return l.diverged(w, true, l.nodes[w.to].wants, now, events)
	}
	return nil
}

// waitsFor reports whether a run can go a way: its strand waits for such an observation.
func (l *learner) waitsFor(s run, w *way) bool {
	now := s.Wants(0)
	if w.strand >= len(now) {
		return false
	}
	once, want := &l.nodes[w.from].wants[w.strand], &now[w.strand]
	return !want.Ended && want.Saw == once.Saw && want.InFull() == once.InFull()
}

// diverged is the error of a run that differs from an earlier one: before a way, or
// gone it, after which the events are of that run.
func (l *learner) diverged(w *way, gone bool, wants, now []sim.Want, events []history.Event) error {
	why := program.ErrNondeterministic
	switch {
	case l.repeated(w, gone):
		why = ErrTellsApart
	case len(l.rounds) > 0:
		why = ErrCounts
	}
	var before []history.Event
	if gone {
		before = w.events
	}
	once, again := sim.Apart(before, events, wants, now)
	return lang.Errorf("%w: client %s was told the same in two runs, and did two things:\nonce   %v\nagain  %v%v\nIt may keep something in a package variable, or go by the order of a map, by select or by random numbers that nobody can repeat", why, l.circle[0], once, again, l.place(w, gone))
}

// repeated reports whether code that runs under some name still does what it did before up
// to a way, and on it if it has gone it. Then code that did something else had another
// name.
func (l *learner) repeated(w *way, gone bool) bool {
	if len(l.circle) == 1 {
		return false
	}
	path := l.path(w.from)
	does := func(s run) bool {
		defer s.Close()
		for _, to := range path {
			if !l.does(s, l.wayTo(to)) {
				return false
			}
		}
		return !gone || l.does(s, w)
	}
	for place := range len(l.circle) {
		if does(l.startAs(place)) {
			return true
		}
	}
	return false
}

// does reports whether a run does on a way what code did before.
func (l *learner) does(s run, w *way) bool {
	if w.strand >= len(s.Wants(0)) {
		return false
	}
	_, events, err := s.Observe(0, w.strand, w.saw)
	return err == nil && l.did(w, s.Wants(0), events)
}

// place says where in the code the client is after a way, or before it: at which
// line it sends its command, or after which it waits. It runs the code once more.
func (l *learner) place(w *way, gone bool) lang.Message {
	s := l.startAs(0)
	defer s.Close()
	s.Show(func() int { return 0 })
	var ways []*way
	for _, to := range l.path(w.from) {
		ways = append(ways, l.wayTo(to))
	}
	if gone {
		ways = append(ways, w)
	}
	last := ""
	for _, w := range ways {
		if source := sourceOf(s.Wants(0)); source != "" {
			last = source
		}
		if _, _, err := s.Observe(0, w.strand, w.saw); err != nil {
			break
		}
	}
	switch source := sourceOf(s.Wants(0)); {
	case source != "":
		return lang.New("\nat     %s", source)
	case last != "":
		return lang.New("\nafter  %s", last)
	}
	return lang.Message{}
}

// sourceOf is the line at which the first of some commands is sent.
func sourceOf(wants []sim.Want) string {
	for _, w := range wants {
		for _, u := range w.Units {
			if u.Source != "" {
				return u.Source
			}
		}
	}
	return ""
}

// maxCompared bounds the runs of code that is compared step by step.
const maxCompared = 16

// elsewhere tells of an error of code that was led to a node where it differs from
// earlier runs, by a run that differs likewise, if there is one.
func (l *learner) elsewhere(node int32, err error) error {
	var stuck *program.StuckError
	if errors.As(err, &stuck) {
		return err
	}
	for range maxCompared {
		s := l.start()
		for _, to := range l.path(node) {
			w := l.wayTo(to)
			_, events, failed := s.Observe(0, w.strand, w.saw)
			if failed != nil {
				break
			}
			if now := s.Wants(0); !l.did(w, now, events) {
				s.Close()
				l.stuck = l.diverged(w, true, l.nodes[to].wants, now, events)
				return l.stuck
			}
		}
		s.Close()
	}
	return err
}

// maxVerified bounds the paths that run a second time only for verification. It does not
// bound those of a circle: that they are the same under all names is no more than an
// assumption before.
const maxVerified = 256

// verify runs the client's code a second time along paths that only one run has
// taken, the latest first; in a circle, once under each name, until ctx ends. Paths to a
// fork have been taken more often. Paths out of a round were learned after many rounds,
// and so was what follows.
func (l *learner) verify(ctx context.Context) error {
	if err := l.sample(ctx); err != nil {
		return err
	}
	verified := 0
	for n := len(l.nodes) - 1; n > 0; n-- { // leaves have larger numbers than the nodes before them
		for !l.trusted(int32(n)) {
			goesOn := verified < maxVerified || l.rounds[l.before(int32(n))] != nil
			if len(l.circle) > 1 {
				goesOn = ctx.Err() == nil
			}
			if !goesOn {
				break
			}
			verified++
			if err := l.repeat(int32(n)); err != nil {
				return err
			}
		}
	}
	return nil
}
