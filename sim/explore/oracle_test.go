package explore

import (
	"context"
	"fmt"
	"slices"

	"lockstep/internal/testkit/judge"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
)

// bruteForce explores breadth first by replaying a real world for every
// schedule. It shares nothing between schedules, so it is correct if the world
// is. Explore is compared with it.
func bruteForce(config history.Config, subject program.Subject, b Bounds) (Report, error) {
	e := &brute{config: config, subject: subject, bounds: b, states: map[string]bool{}, found: map[string]Found{}}
	e.report.Counts.Faults = map[history.Verb]int{}
	var level []visited
	first, _, err := e.visit(nil)
	if err != nil {
		return Report{}, err
	}
	level = append(level, first)
	for depth := 0; len(level) > 0; depth++ {
		e.report.Depth = depth
		next, err := e.expand(level)
		if err != nil {
			return Report{}, err
		}
		level = next
		switch {
		case len(level) == 0:
		case b.States > 0 && e.report.States > b.States:
			return e.finish("states"), nil
		case b.Depth > 0 && depth+1 == b.Depth:
			return e.finish("depth"), nil
		}
	}
	return e.finish(""), nil
}

type brute struct {
	config  history.Config
	subject program.Subject
	bounds  Bounds
	states  map[string]bool
	found   map[string]Found
	report  Report
	orphans bool // lock-recovers is violated in a state that counts
}

func (e *brute) finish(limit string) Report {
	e.report.Limit = limit
	if !e.orphans {
		delete(e.found, history.LockRecovers)
	}
	for _, id := range history.Invariants() {
		if f, ok := e.found[id]; ok {
			e.report.Found = append(e.report.Found, f)
		}
	}
	return e.report
}

// A visited is a state, a schedule that leads to it, and its allowed actions.
type visited struct {
	schedule history.Schedule
	next     []history.Action
}

// expand takes every allowed action in every state of a level and returns the
// new states.
func (e *brute) expand(level []visited) (next []visited, err error) {
	for _, v := range level {
		for _, a := range v.next {
			e.report.Transitions++
			to, fresh, err := e.visit(append(v.schedule[:len(v.schedule):len(v.schedule)], a))
			if err != nil {
				return nil, err
			}
			if fresh {
				next = append(next, to)
			}
		}
	}
	return next, nil
}

func (e *brute) replay(s history.Schedule) (*world.World, error) {
	w, err := world.New(e.config, e.subject)
	if err != nil {
		return nil, err
	}
	if err := w.Run(s); err != nil {
		w.Close()
		return nil, fmt.Errorf("explore: %w", err)
	}
	return w, nil
}

// visit judges the state after a schedule and reports whether it is new.
func (e *brute) visit(s history.Schedule) (v visited, fresh bool, err error) {
	w, err := e.replay(s)
	if err != nil {
		return v, false, err
	}
	defer w.Close()
	h := w.History()
	if why := judge.Differ(h); why != "" {
		return v, false, fmt.Errorf("%s: %s", s, why)
	}
	m := history.NewMonitor(h.Config, h.Nodes)
	var latest []history.Event // of the last action
	for _, ev := range h.Events {
		for _, v := range m.Observe(ev) {
			e.note(v, s)
		}
		if ev.Pick == len(s)-1 {
			latest = append(latest, ev)
		}
	}
	if len(s) > 0 {
		e.report.Counts.Action(e.bounds, s[len(s)-1], latest, e.config.Key())
	}
	state := w.Canonical() + string(m.Canonical()) + fmt.Sprint(e.bounds.Spending(s))
	if e.states[state] {
		return v, false, nil
	}
	e.states[state] = true
	e.report.States++
	v = visited{s, e.bounds.Allowed(w, e.bounds.Spending(s))}
	return v, true, e.tries(v)
}

// tries decides what is tried: lock-recovers, and lost-wakeup where nothing can
// happen any more.
func (e *brute) tries(v visited) error {
	ended := !slices.ContainsFunc(v.next, func(a history.Action) bool { return !e.bounds.IsFault(a.Verb) })
	if ended && e.cheaper(history.LostWakeup, v.schedule) {
		lost, err := world.LostWakeup(context.Background(), e.config, e.subject, v.schedule)
		if err != nil {
			return err
		}
		if lost != nil {
			e.note(*lost, v.schedule)
		}
	}
	// A client that sleeps until it is woken may miss that on its way to
	// recovery. So it counts only where a fault was the last to happen, or
	// nothing can; see findOrphan.
	counts := ended || len(v.schedule) > 0 && e.bounds.IsFault(v.schedule[len(v.schedule)-1].Verb)
	if !e.cheaper(history.LockRecovers, v.schedule) && (!counts || e.orphans) {
		return nil
	}
	ok, detail, err := world.Recovers(context.Background(), e.config, e.subject, v.schedule)
	if err == nil && !ok {
		e.note(sim.Orphaned(e.config, v.schedule, detail), v.schedule)
		e.orphans = e.orphans || counts
	}
	return err
}

// note keeps the violation of each invariant with the fewest faults, and the
// first of these: the search is breadth first, so its schedule is shortest.
func (e *brute) note(v history.Violation, s history.Schedule) {
	if e.cheaper(v.Invariant, s) {
		e.found[v.Invariant] = Found{Violation: v, Schedule: s, Shortest: true}
	}
}

// cheaper reports whether a schedule has fewer faults than the known
// counterexample, or none is known.
func (e *brute) cheaper(invariant string, s history.Schedule) bool {
	f, known := e.found[invariant]
	return !known || e.bounds.Spending(s).Faults < e.bounds.Spending(f.Schedule).Faults
}
