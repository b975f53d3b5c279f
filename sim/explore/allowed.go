package explore

import (
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim/history"
	"lockstep/sim/world"
)

// Allowed lists the actions that are possible in a world within the bounds, in
// a fixed order: steps, time, faults. A world does not detect spins: code that
// spins keeps time from passing here, but not in a model.
func (b Bounds) Allowed(w *world.World, spent Spending) []history.Action {
	var steps, ticks, faults []history.Action
	holds := false // a client that has begun keeps time from passing
	for _, a := range w.Enabled(verbs(history.Step)...) {
		strands := w.Strands(a.Client)
		if t := strands[a.Strand]; b.slow() && t.Waits && !t.Held && t.Until > w.Now() {
			continue
		}
		steps = append(steps, a)
		first := &strands[0]
		if w.History().Config.Process == history.Shared {
			first = &strands[a.Strand]
		}
		holds = holds || first.Begun && !w.Paused(a.Client)
	}
	if spent.Ticks < b.Ticks && (!holds || b.Anywhere) {
		if ticks = w.Enabled(verbs(history.Tick)...); len(ticks) == 0 {
			ticks = w.Enabled(history.Action{Verb: history.Advance, By: b.Leap})
		}
	}
	if spent.Faults < b.Budget {
		faults = b.faults(w)
	}
	return slices.Concat(steps, ticks, faults)
}

// errBeyond is the error for an action that the bounds do not allow.
var errBeyond = lang.Errorf("the bounds do not allow it")

// Refuses returns a function that is called before each action of a schedule, and returns an
// error if the bounds of the report do not allow it. Where code spins it is nil, see Allowed.
func (r *Report) Refuses(s history.Schedule) func(w *world.World, next int) error {
	if len(r.Spins) > 0 {
		return nil
	}
	b := r.Bounds
	return func(w *world.World, next int) error {
		if b.Depth > 0 && next >= b.Depth || !slices.Contains(b.Allowed(w, b.Spending(s[:next])), s[next]) {
			return errBeyond
		}
		return nil
	}
}

// faults lists the possible faults: of clients and their messages, by client;
// of nodes, by kind; of clocks and links, by kind.
func (b Bounds) faults(w *world.World) []history.Action {
	var own, nodes, others []history.Action
	for _, f := range b.Faults {
		switch ofClient, ofNode := f.Concerns(); {
		case !ofClient:
			nodes = append(nodes, w.Enabled(f)...)
		case ofNode || f.By != 0:
			others = append(others, w.Enabled(f)...)
		default:
			own = append(own, f)
		}
	}
	return slices.Concat(w.Enabled(own...), nodes, others)
}
