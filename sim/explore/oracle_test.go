package explore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/judge"
	"lockstep/internal/testkit/simtest"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
)

// bruteForce explores breadth first by replaying a real world for every
// schedule. It shares nothing between schedules, so it is correct if the world
// is. Explore is compared with it.
func bruteForce(config history.Config, subject program.Subject, b Bounds) (Report, error) {
	return newBrute(config, subject, b).run()
}

func newBrute(config history.Config, subject program.Subject, b Bounds) *brute {
	e := &brute{config: config, subject: subject, bounds: b, states: map[string]int{}, acted: map[string]int{}, found: map[string]Found{}}
	e.report.Counts.Faults = map[history.Verb]int{}
	return e
}

func (e *brute) run() (Report, error) {
	var level []visited
	first, _, err := e.visit(e.after)
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
		case e.bounds.States > 0 && e.report.States > e.bounds.States:
			return e.finish("states"), nil
		case e.bounds.Depth > 0 && depth+1 == e.bounds.Depth:
			return e.finish("depth"), nil
		}
	}
	return e.finish(""), nil
}

type brute struct {
	config  history.Config
	subject program.Subject
	bounds  Bounds
	states  map[string]int // by state: the actions that lead there
	found   map[string]Found
	report  Report
	orphans bool // lock-recovers is violated in a state that counts
	after   history.Schedule

	// switching tells states apart by the client that acted last, and keeps, of the
	// shortest schedules, one with the fewest context switches.
	switching bool
	acted     map[string]int // with switching: the fewest, by state and client
	again     bool           // of the state that is left; see visited
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
	again    bool // the state is known, and only the context switches matter
}

// expand takes every allowed action in every state of a level and returns the
// new states.
func (e *brute) expand(level []visited) (next []visited, err error) {
	for _, v := range level {
		for _, a := range v.next {
			if e.again = v.again; !v.again {
				e.report.Transitions++
			}
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
	simtest.Record(w)
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
	var last []history.Violation
	caused := e.bounds.Because == ""
	for _, ev := range h.Events {
		found := m.Observe(ev)
		caused = caused || slices.ContainsFunc(found, func(v history.Violation) bool { return v.Invariant == e.bounds.Because })
		if ev.Pick == len(s)-1 {
			latest, last = append(latest, ev), append(last, found...)
		}
	}
	for _, v := range last {
		if caused {
			e.note(v, s)
		}
	}
	if len(s) > 0 && !e.again {
		e.report.Counts.Action(e.bounds, s[len(s)-1], latest, e.config.Key(), m)
	}
	state := simtest.Canonical(w) + string(m.Canonical()) + fmt.Sprint(e.bounds.Spending(s), caused)
	at, known := e.states[state]
	if known && (!e.switching || at < len(s) || !e.better(state, s)) {
		return v, false, nil
	}
	if !known {
		e.states[state] = len(s)
		e.report.States++
		e.better(state, s)
	}
	v = visited{s, e.bounds.Allowed(w, e.bounds.Spending(s)), known}
	if !caused {
		return v, true, nil
	}
	return v, true, e.tries(v)
}

// better reports whether no schedule to a state is known that ends with the same client
// and has as few context switches.
func (e *brute) better(state string, s history.Schedule) bool {
	last := ""
	for _, a := range s {
		last = cmp.Or(a.Client, last)
	}
	known, any := e.acted[state+"\n"+last]
	if any && known <= switches(s) {
		return false
	}
	e.acted[state+"\n"+last] = switches(s)
	return true
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
// counterexample, or as it switches less, or none is known.
func (e *brute) cheaper(invariant string, s history.Schedule) bool {
	f, known := e.found[invariant]
	if !known {
		return true
	}
	fewer := cmp.Compare(e.bounds.Spending(s).Faults, e.bounds.Spending(f.Schedule).Faults)
	return fewer < 0 || e.switching && fewer == 0 && len(s) == len(f.Schedule) && switches(s) < switches(f.Schedule)
}

// switches counts the context switches: how often a client acts after another one.
// Time and nodes belong to nobody.
func switches(s history.Schedule) int {
	n, last := 0, ""
	for _, a := range s {
		if a.Client == "" {
			continue
		}
		if last != "" && a.Client != last {
			n++
		}
		last = a.Client
	}
	return n
}

// TestSwitches: time and nodes belong to nobody.
func TestSwitches(t *testing.T) {
	for text, want := range map[string]int{"": 0, "A*3": 0, "+5 A A/1 tick A": 0, "A B": 1, "A +5 B r1.wipe B.crash A": 2, "r1.wipe A flush": 0} {
		s := testkit.Must(history.ParseSchedule(text))(t)
		if got := switches(s); got != want {
			t.Errorf("%q has %d switches, not %d", text, got, want)
		}
	}
}
