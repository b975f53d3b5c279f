package explore

import (
	"fmt"

	"lockstep/sim"
	"lockstep/sim/history"
)

// bruteForce explores breadth first by replaying a real world for every
// schedule. It shares nothing between schedules, so that it is right if the
// world is. It is the measure for Explore.
func bruteForce(config history.Config, subject sim.Subject, b Bounds) (Report, error) {
	e := &brute{config: config, subject: subject, bounds: b, visited: map[string]bool{}, found: map[string]Found{}}
	level := []history.Schedule{nil}
	if _, err := e.visit(nil); err != nil {
		return Report{}, err
	}
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
	subject sim.Subject
	bounds  Bounds
	visited map[string]bool
	found   map[string]Found
	report  Report
}

func (e *brute) finish(limit string) Report {
	e.report.Limit = limit
	for _, id := range history.Invariants {
		if f, ok := e.found[id]; ok {
			e.report.Found = append(e.report.Found, f)
		}
	}
	return e.report
}

// expand takes every allowed action in every state of a level and returns the
// schedules that lead to new states.
func (e *brute) expand(level []history.Schedule) ([]history.Schedule, error) {
	var next []history.Schedule
	for _, s := range level {
		actions, err := e.actions(s)
		if err != nil {
			return nil, err
		}
		for _, a := range actions {
			longer := append(s[:len(s):len(s)], a)
			e.report.Transitions++
			fresh, err := e.visit(longer)
			if err != nil {
				return nil, err
			}
			if fresh {
				next = append(next, longer)
			}
		}
	}
	return next, nil
}

func (e *brute) actions(s history.Schedule) ([]history.Action, error) {
	w, err := e.replay(s)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	return e.bounds.allowed(w, e.bounds.spending(s)), nil
}

func (e *brute) replay(s history.Schedule) (*sim.World, error) {
	w, err := sim.New(e.config, e.subject)
	if err != nil {
		return nil, err
	}
	if err := w.Run(s); err != nil {
		w.Close()
		return nil, fmt.Errorf("explore: %w", err)
	}
	return w, nil
}

// visit judges the state that a schedule leads to and says whether it is new.
func (e *brute) visit(s history.Schedule) (bool, error) {
	w, err := e.replay(s)
	if err != nil {
		return false, err
	}
	defer w.Close()
	h := w.History()
	m := history.NewMonitor(h.Config, h.Nodes)
	for _, ev := range h.Events {
		for _, v := range m.Observe(ev) {
			e.note(v, s)
		}
	}
	state := w.Canonical() + string(m.Canonical()) + fmt.Sprint(e.bounds.spending(s))
	if e.visited[state] {
		return false, nil
	}
	e.visited[state] = true
	e.report.States++
	return true, e.recovers(s)
}

func (e *brute) recovers(s history.Schedule) error {
	if _, known := e.found[history.LockRecovers]; known {
		return nil
	}
	ok, detail, err := sim.Recovers(e.config, e.subject, s)
	if err == nil && !ok {
		e.note(history.Violation{Invariant: history.LockRecovers, Key: e.config.Key(), Detail: detail}, s)
	}
	return err
}

// note keeps the first violation of each invariant: the search is breadth
// first, so its schedule is a shortest one.
func (e *brute) note(v history.Violation, s history.Schedule) {
	if _, known := e.found[v.Invariant]; !known {
		e.found[v.Invariant] = Found{Violation: v, Schedule: s, Shortest: true}
	}
}
