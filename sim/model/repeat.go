package model

import (
	"context"
	"errors"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/program"
)

// This file runs a client's code again and compares it with earlier runs.

// A path is ways that follow each other. The last one may be new: it leads nowhere yet.
type path []*way

// A trip is a run that goes a path, and how far it goes.
type trip struct {
	program.Code
	path
	shortest int            // so many first ways are the shortest paths of their nodes
	told     int            // see learner.retrace
	clock    func(int) bool // the same; nil for nowhere
	waited   bool           // the run has waited where the path begins
	gone     int
	did      program.Did
	err      error
}

// retrace lets code go a path for as long as it does there what code did before. It
// returns how many ways it went so, and what it did on the last way: the next one, if it
// did something else there. Only this makes code observe again what other code observed.
//
// Code that keeps time is told the first observations, and does whatever it does there. On
// the others, the want of the clock strand is compared where clock says so; see program.Stride.
func (l *learner) retrace(s program.Code, p path, told int, clock func(int) bool) (gone int, did program.Did, err error) {
	steps := make([]program.Stride, len(p))
	for i, w := range p {
		steps[i] = program.Stride{Observed: program.Observed{Strand: w.strand, Observation: w.saw}, Told: i < told, Clock: clock != nil && clock(i), Quiet: w.quiet}
		if w.to != 0 {
			steps[i].Did = l.didOn(w)
		}
	}
	return s.Walk(steps)
}

// always asks retrace for all that it can compare.
func always(int) bool { return true }

// lead lets a run go a path to its end, and notes what it has shown. An error says why it
// did not come there, after which the run is closed.
func (l *learner) lead(t *trip) error {
	t.gone, t.did, t.err = l.retrace(t.Code, t.path, t.told, t.clock)
	from := t.path
	if t.waited && len(t.did.Others) > 0 {
		from = l.pathOver(t.path[0])
	}
	if err := l.noteOthers(from, t.did.Others); err != nil {
		t.Close()
		l.stuck = err
		return err
	}
	for i := t.told; i < min(t.gone, t.shortest); i++ {
		if !l.subject.KeepsTime() || t.clock != nil && t.clock(i) {
			l.nodes[t.path[i].to].ran++
		}
	}
	if t.gone == len(t.path) {
		return nil
	}
	t.Close()
	if t.err != nil {
		if n := len(t.did.Others); n > 0 && t.did.Others[n-1].At < len(from) {
			o := t.did.Others[n-1]
			t.err = l.diverged(from[o.At], o.Did)
		}
		l.stuck = t.err
		return l.elsewhere(t.path[len(t.path)-1], t.err)
	}
	return l.diverged(t.path[t.gone], t.did)
}

// tells returns how many ways of a path to tell code that keeps time: the first ones, to
// trusted nodes.
func (l *learner) tells(p path) int {
	if !l.subject.KeepsTime() {
		return 0
	}
	for i, w := range p {
		if !l.trusted(w.to) {
			return i
		}
	}
	return len(p)
}

// repeat runs the client's code from its start to a known node, by its path, and compares.
func (l *learner) repeat(node int32) error {
	s, p := l.start(), l.pathTo(node)
	err := l.lead(&trip{Code: s, path: p, shortest: len(p), told: l.tells(p), clock: func(i int) bool { return !l.trusted(p[i].to) }})
	if err == nil {
		s.Close()
	}
	return err
}

// pathOver returns the path of a way from the start.
func (l *learner) pathOver(w *way) path { return append(l.pathTo(w.from), w) }

// diverged is the error of a run that differs from an earlier one on a way, where it did
// something else.
func (l *learner) diverged(w *way, did program.Did) error {
	why := program.ErrNondeterministic
	if len(l.rounds) > 0 {
		why = ErrCounts
	}
	once, again := sim.Apart(w.events, did.Events, l.nodes[w.to].wants, did.Wants)
	return lang.Errorf("%w: client %s was told the same in two runs, and did two things:\nonce   %v\nagain  %v%v\nIt may keep something in a package variable, or go by the order of a map, by select or by random numbers that nobody can repeat", why, l.name, once, again, l.place(l.pathOver(w)))
}

// singly is retrace, one way at a time. It calls look before each.
func (l *learner) singly(s program.Code, p path, look func()) (gone int, did program.Did, err error) {
	for on := 1; on > 0 && gone < len(p); gone += on {
		look()
		on, did, err = l.retrace(s, p[gone:gone+1], 0, always)
	}
	return gone, did, err
}

// place says where in the code the client is after a path, or where it leaves that: at
// which line it sends its command, or after which it waits. It runs the code once more.
func (l *learner) place(p path) lang.Message {
	s := l.start()
	defer s.Close()
	s.Show(func() int { return 0 })
	source, last := "", ""
	note := func() {
		if source = sourceOf(s.Wants(0)); source != "" {
			last = source
		}
	}
	_, _, _ = l.singly(s, p, note)
	note()
	switch {
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

// elsewhere tells of an error of code that was led over a way where it differs from
// earlier runs, by a run that differs likewise, if there is one.
func (l *learner) elsewhere(w *way, err error) error {
	var stuck *program.StuckError
	if errors.As(err, &stuck) {
		return err
	}
	p := l.pathOver(w)
	for range maxCompared {
		s := l.start()
		gone, did, failed := l.singly(s, p, func() {})
		if s.Close(); gone < len(p) && failed == nil {
			l.stuck = l.diverged(p[gone], did)
			return l.stuck
		}
	}
	return err
}

// maxVerified bounds the paths that run a second time only for verification. Until ctx
// ends, it does not bound those out of a round, and to where code may draw.
const maxVerified = 256

// verify runs the client's code a second time along paths that only one run has
// taken, the latest first. Paths to a fork have been taken more often. Paths out of a
// round were learned after many rounds, and so was what follows.
func (l *learner) verify(ctx context.Context) error {
	verified := 0
	for n := len(l.nodes) - 1; n > 0; n-- { // leaves have larger numbers than the nodes before them
		for !l.trusted(int32(n)) && (verified < maxVerified || (l.mayDraw(int32(n)) || l.rounds[l.before(int32(n))] != nil) && ctx.Err() == nil) {
			verified++
			if err := l.repeat(int32(n)); err != nil {
				return err
			}
		}
	}
	return nil
}
