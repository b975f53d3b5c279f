package explore

import (
	"slices"

	"lockstep/sim/history"
	"lockstep/sim/world"
)

// Allowed lists what may happen next in a world within the bounds, in a fixed
// order: steps, time, faults.
func (b Bounds) Allowed(w *world.World, spent Spending) []history.Action {
	var steps, ticks, faults []history.Action
	holds := false // somebody who has begun keeps time from passing
	for _, a := range w.Enabled() {
		switch {
		case a.Verb == history.Step:
			threads := w.Threads(a.Client)
			if t := threads[a.Thread]; b.slow() && t.Waits && t.Until > w.Now() {
				continue
			}
			steps = append(steps, a)
			holds = holds || threads[0].Pending != "start"
		case a.Verb == history.Tick:
			ticks = append(ticks, a)
		case b.IsFault(a.Verb):
			faults = append(faults, a)
		}
	}
	leap := history.Action{Verb: history.Advance, By: b.Leap}
	if len(ticks) == 0 && w.Refusal(leap) == "" {
		ticks = []history.Action{leap}
	}
	if spent.Ticks >= b.Ticks || holds && !b.Anywhere {
		ticks = nil
	}
	faults = append(faults, b.always(w)...)
	if spent.Faults >= b.Budget {
		faults = nil
	}
	return slices.Concat(steps, ticks, faults)
}

// always lists the faults that World.Enabled leaves to its driver.
func (b Bounds) always(w *world.World) []history.Action {
	actions := slices.DeleteFunc(b.ofNodes(len(w.Nodes())), func(a history.Action) bool { return w.Refusal(a) != "" })
	for _, fault := range b.Faults {
		switch {
		case fault.Verb == history.Cut, fault.Verb == history.Heal:
			actions = append(actions, links(w, fault)...)
		case fault.Node == "" && (fault.Verb == history.Jump || fault.Verb == history.Rate):
			for _, name := range w.History().Config.Clients {
				if fault.Client = name; w.Refusal(fault) == "" {
					actions = append(actions, fault)
				}
			}
		}
	}
	return actions
}

// links lists a fault between clients and nodes for each pair that can have it.
func links(w *world.World, fault history.Action) (actions []history.Action) {
	for _, fault.Client = range w.History().Config.Clients {
		for _, n := range w.Nodes() {
			if fault.Node = n.Name; w.Refusal(fault) == "" {
				actions = append(actions, fault)
			}
		}
	}
	return actions
}
