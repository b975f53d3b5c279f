package model

import (
	"bytes"
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/program"
)

// This file detects code that spins: it repeats the same observations while no
// time passes, like a loop that polls without a pause. Each round would add
// nodes, without end. So a learner that has seen two equal rounds lets a run
// continue for SpinRounds more. If the run repeats them all, the learner
// assumes that the code is in the same state as a round ago, and closes the
// round: its observations lead back. If the code leaves the round on the way,
// for example because it counts, it is learned node by node.
//
// The assumption concerns only the code. The rest of the client, the env and
// the monitor remain part of a state. So a spin that changes any of these leads
// to new states, and another client or time can end a spin at any of its nodes.

// SpinRounds is how many equal rounds count as a spin; of code that keeps time, as many do as
// mostAtOnce allows.
const SpinRounds = 1000

// mostAtOnce bounds the observations of a spin of code that keeps time: each is made
// a little after the one before, and more would move its timers. See offset and grain of
// package bubble.
const mostAtOnce = 200

// maxRound bounds the observations in a round.
const maxRound = 8

// ErrCounts means that code that seemed to spin acts by the number of its
// rounds.
var ErrCounts = lang.Errorf("the code of the lock counts how often it does the same")

// roundTo returns the nodes of the round that ends at a node, in order, if the
// round before it was equal; otherwise nil.
func (l *learner) roundTo(id int32) []int32 {
	var path []int32 // the latest first
	for n := id; len(path) < 2*maxRound && n > 0 && !l.pauses(n); n = l.before(n) {
		path = append(path, n)
	}
	for period := 1; 2*period <= len(path); period++ {
		if slices.EqualFunc(path[:period], path[period:2*period], l.alike) {
			round := path[:period:period]
			slices.Reverse(round)
			return round
		}
	}
	return nil
}

// pauses reports whether time must pass before the observation of a node.
func (l *learner) pauses(id int32) bool {
	n := l.wayTo(id)
	w := &l.nodes[n.from].wants[n.strand]
	return n.saw.Kind == sim.SawTimeOut || w.Sleeps && (w.For > 0 || !w.Wakes.IsZero())
}

// alike reports whether two nodes have the same observation, events and wants.
func (l *learner) alike(a, b int32) bool {
	x, y := l.wayTo(a), l.wayTo(b)
	return x.strand == y.strand && x.saw.Kind == y.saw.Kind && bytes.Equal(x.saw.Append(nil), y.saw.Append(nil)) &&
		l.didOn(x).Same(*l.didOn(y))
}

// lookForSpin closes the round that ends at a node if a run at that node spins.
// If it does not, the run may have moved on: stays reports whether it is still
// at the node.
func (l *learner) lookForSpin(id int32, s program.Code) (stays bool, err error) {
	if l.ignoresSpins {
		return true, nil
	}
	round := l.roundTo(id)
	if round == nil {
		return true, nil
	}
	n := &l.nodes[id]
	if n.leavesAfter = l.nodes[l.before(id)].leavesAfter - 1; n.leavesAfter > 0 {
		return true, nil
	}
	repeated, err := l.repeats(s, round)
	if err != nil {
		return false, err
	}
	if repeated < l.spinLength(round) {
		n.leavesAfter = repeated + 1
		return false, nil
	}
	l.closeRound(id, round)
	return true, nil
}

// spinLength is how many observations make a round a spin.
func (l *learner) spinLength(round []int32) int {
	if l.subject.KeepsTime() {
		return mostAtOnce / len(round) * len(round)
	}
	return SpinRounds * len(round)
}

// repeats returns how many observations of a spin a run makes as in the round.
func (l *learner) repeats(s program.Code, round []int32) (n int, err error) {
	n, _, err = l.retrace(s, l.turns(round, l.spinLength(round)), 0, func(i int) bool { return i < len(round) })
	if err != nil {
		l.stuck = err
		s.Close()
	}
	return n, err
}

// closeRound makes the observations of a round lead from its last node back to
// that node. The nodes between are new, so that no search has visited them, and
// its result does not depend on what was learned first.
func (l *learner) closeRound(id int32, like []int32) {
	at, round := id, make([]int32, 0, len(like))
	for i, k := range like {
		w := *l.wayTo(k)
		w.from, w.to = at, id
		if i < len(like)-1 {
			w.to = int32(len(l.nodes))
			l.nodes = append(l.nodes, clientNode{first: int32(len(l.ways)), wants: l.nodes[k].wants, ran: enough, leavesAfter: l.nodes[k].leavesAfter})
		}
		w.saw.Drew = 0
		l.kids[string(l.keyOf(at, w.strand, w.saw))] = l.join(w)
		round, at = append(round, w.to), w.to
	}
	l.alone(id)
	for i, k := range round {
		l.rounds[k] = slices.Concat(round[i+1:], round[:i+1])
	}
}

// turns returns so many ways of a round, over and over.
func (l *learner) turns(round []int32, most int) (p path) {
	for n := range most {
		w := *l.wayTo(round[n%len(round)])
		w.saw.Drew = 0 // who leaves the round has not drawn
		p = append(p, &w)
	}
	return p
}

// farPath returns the path to a node, but for a run that goes round many times where code
// spins, and how many ways come before that. The nodes after a round are learned by such
// a run, while a second one takes the shortest path. So code that counts differs; see verify.
func (l *learner) farPath(node int32) (p path, shortest int) {
	shortest = -1
	goRound := func(round []int32) {
		if shortest < 0 {
			shortest = len(p)
		}
		p = append(p, l.turns(round, l.spinLength(round))...)
	}
	for _, w := range l.pathTo(node) {
		if round := l.rounds[w.from]; round != nil && round[0] != w.to {
			goRound(round)
		}
		p = append(p, w)
	}
	if round := l.rounds[node]; round != nil {
		goRound(round)
	}
	if shortest < 0 {
		shortest = len(p)
	}
	return p, shortest
}

// InRound reports whether a client's code is in a closed round.
func (m *Model) InRound(who int, client int32) bool {
	return m.learners[who].rounds[int32(m.Client(who, client).Code)] != nil
}

// Spins reports whether the client's own steps only lead round, back to the
// same client and env.
func (m *Model) Spins(who int, client, env int32) (bool, error) {
	if !m.InRound(who, client) {
		return false, nil
	}
	at, in := client, env
	for range m.learners[who].rounds[int32(m.Client(who, client).Code)] {
		steps := m.enabledOf(who, at, in).steps
		if len(steps) != 1 || !m.InRound(who, at) {
			return false, nil
		}
		to, ok, err := m.Act(who, at, in, steps[0].action)
		if !ok || err != nil {
			return false, err
		}
		at, in = to.Client, to.Env
	}
	return at == client && in == env, nil
}

// A Spin is what code repeats while no time passes.
type Spin struct {
	Client string   `json:"client"`
	Does   []string `json:"does"`             // in the order of the round, from the first command if there is one
	Source string   `json:"source,omitempty"` // the line that sends it
	Rounds int      `json:"rounds"`           // how often it was seen to, at least
}

func (s Spin) String() string { return s.In(nil) }

// In returns it in a language.
func (s Spin) In(l lang.Language) string {
	text := lang.New("%s %s over and over while no time passes", s.Client, lang.Names(s.Does))
	if s.Source != "" {
		text = lang.New("%v (%s)", text, s.Source)
	}
	return text.In(l)
}

// Spin describes the round that a client's code is in. It runs the code once
// more to find the line.
func (m *Model) Spin(who int, client int32) (Spin, error) {
	l, code := m.learners[who], int32(m.Client(who, client).Code)
	s := l.start()
	s.Show(func() int { return 0 })
	p := l.pathTo(code)
	if err := l.lead(&trip{Code: s, path: p, told: l.tells(p)}); err != nil {
		return Spin{}, err
	}
	defer s.Close()
	spin := Spin{Client: m.Names[who], Rounds: l.spinLength(l.rounds[code]) / len(l.rounds[code])}
	first := -1
	for i, w := range l.turns(l.rounds[code], len(l.rounds[code])) {
		want := l.nodes[w.from].wants[w.strand]
		spin.Does = append(spin.Does, does(&want))
		if now := s.Wants(0); want.Saw == sim.SawReply && first < 0 && w.strand < len(now) { // its process may have had no time left
			first, spin.Source = i, sourceOf(now[w.strand:w.strand+1])
		}
		if err := l.lead(&trip{Code: s, path: path{w}}); err != nil {
			return Spin{}, err
		}
	}
	spin.Does = slices.Concat(spin.Does[max(0, first):], spin.Does[:max(0, first)])
	return spin, nil
}

func does(w *sim.Want) string {
	switch {
	case w.Saw == sim.SawReply:
		return "sends " + w.InFull(sim.Clock{}).String()
	case w.Saw == sim.SawNow:
		return "reads its clock"
	case w.Saw == sim.SawAccess:
		return "does " + w.Access.Doing().String()
	}
	return "sleeps " + w.For.String()
}
