package model

import (
	"fmt"
	"slices"

	"lockstep/sim/program"
)

// This file is about code that draws: after the same observations it does one thing or
// another, as select does between cases that are ready, or a loop over a map. Each is a way
// of its own. The first run that comes there draws the usual one, and Observation.Drew asks for
// another. A run that is led over a way begins again until it draws what that says, and
// so others are found.

// maxOthers bounds what code draws at a way besides the usual.
const maxOthers = 3

// enoughDraws is enough where code draws elsewhere: at a node that draws one of two things, each
// as likely, as many runs draw the same but once in 128.
const enoughDraws = 8

// drawing is how a way begins: what ways that draw have in common.
func (l *learner) drawing(w *way) string {
	want := &l.nodes[w.from].wants[w.strand]
	return fmt.Sprint(want.Name, want.Label, w.saw.Kind)
}

// mayDraw reports whether code that comes to a node does what drew one of several things elsewhere.
func (l *learner) mayDraw(node int32) bool {
	return len(l.draw) > 0 && node > 0 && l.draw[l.drawing(l.wayTo(node))]
}

// noteOthers notes what a run drew otherwise, on a path from the start.
func (l *learner) noteOthers(p path, others []program.Other) error {
	for _, o := range others {
		if o.At >= len(p) || p[o.At].to == 0 || len(l.rounds) > 0 {
			continue
		}
		w := p[o.At]
		id, known := l.usual(w.from, w.strand, w.saw)
		if !known || l.ways[id].saw.Drew == o.Drew || slices.Contains(l.draws[id], o.Drew) {
			continue
		}
		if len(l.draws[id]) == maxOthers {
			return l.diverged(w, o.Did)
		}
		l.draws[id] = append(l.draws[id], o.Drew)
		l.draw[l.drawing(w)] = true
	}
	return nil
}

// appendDraws appends an effect as often as the client's code draws there, each with the action
// that says what it draws.
func (m *Model) appendDraws(list []Effect, who int, client, env int32, e Effect) ([]Effect, error) {
	l, way := m.learners[who], e.way-1
	if len(l.draws[way]) == 0 {
		return append(list, e), nil
	}
	a := m.actions.list[e.Action]
	for _, a.Drew = range append([]uint32{l.ways[way].saw.Drew}, l.draws[way]...) {
		e, _, err := m.Act(who, client, env, m.Number(a)) // it is possible, as what it draws makes no difference to that
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
	return list, nil
}

// Draws returns at how many ways the code draws, and how many things it draws there in all.
func (m *Model) Draws() (ways, things int) {
	for _, l := range m.learners {
		ways += len(l.draws)
		for _, others := range l.draws {
			things += 1 + len(others)
		}
	}
	return ways, things
}
