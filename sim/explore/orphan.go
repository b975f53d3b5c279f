package explore

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"lockstep/sim"
	"lockstep/sim/history"
)

// noteEnd remembers a state in which nobody goes on without another fault, or
// to which a fault has just led, once for all that are alike: what the nodes
// hold, counted from now, what is on its way, and who still has code to run.
func (e *search) noteEnd(n int32, state []int32) {
	width := len(e.config.Clients)
	env := e.envs.list[state[width]]
	var b strings.Builder
	for _, id := range env.nodes {
		for _, k := range e.nodes.list[id].Keys {
			left := k.State.Deadline
			if left > 0 {
				left -= env.now
			}
			fmt.Fprintf(&b, "%q %q %q %d\n", k.Key, k.Raw, k.Fields, left)
		}
		fmt.Fprintln(&b, e.nodes.list[id].Watches)
	}
	for _, l := range env.late {
		fmt.Fprintln(&b, l.client, l.what.Node, l.what.Units)
	}
	for who := range e.config.Clients {
		if c := e.clients[who].list[state[who]]; !e.over(who, c) {
			fmt.Fprintln(&b, who, env.now, c.key())
		}
	}
	key := b.String()
	if _, known := e.ends[key]; !known {
		e.ends[key] = n
	}
}

// over says whether a client's code has nothing left to do.
func (e *search) over(who int, c *clientState) bool {
	if c.dead {
		return true
	}
	threads := e.learners[who].nodes[c.node].threads
	return !slices.ContainsFunc(threads, func(p sim.Pending) bool { return !p.Ended })
}

// maxTries bounds how many states are tried for the shortest way to an orphan.
const maxTries = 400

// findOrphan decides lock-recovers: for every state to which a fault has just
// led and every state in which nobody goes on. What follows from a fault shows
// in the first; what a lock does to itself shows in the last. If one is an
// orphan, the states are tried in the order of fewest faults and then fewest
// steps, for the shortest way to one.
func (e *search) findOrphan() error {
	orphan := int32(-1)
	for _, n := range e.ends {
		ok, err := e.recovers(n)
		if err != nil {
			return err
		}
		if !ok && (orphan < 0 || e.before(n, orphan) < 0) {
			orphan = n
		}
	}
	if orphan < 0 {
		return nil
	}
	order := make([]int32, e.states.len())
	for n := range order {
		order[n] = int32(n)
	}
	slices.SortFunc(order, e.before)
	shortest := true
	for i, n := range order {
		if n == orphan || e.ctx.Err() != nil {
			break
		}
		if i == maxTries {
			shortest = false
			break
		}
		ok, err := e.recovers(n)
		if err != nil {
			return err
		}
		if !ok {
			orphan = n
			break
		}
	}
	s := e.schedule(orphan)
	_, detail, err := sim.Recovers(e.config, e.subject, s)
	e.found[history.LockRecovers] = Found{history.Violation{Invariant: history.LockRecovers, Key: e.config.Key(), Detail: detail}, s, shortest}
	return err
}

// recovers asks whether the lock recovers from a state. What cannot be decided
// counts as a limit of the search.
func (e *search) recovers(n int32) (bool, error) {
	ok, _, err := sim.Recovers(e.config, e.subject, e.schedule(n))
	if errors.Is(err, sim.ErrUndecided) {
		e.report.Limit = "recovery"
		return true, nil
	}
	return ok, err
}

// before orders states by fewest faults, then fewest steps, then as found.
func (e *search) before(a, b int32) int {
	if d := e.faultsOf(a) - e.faultsOf(b); d != 0 {
		return d
	}
	if d := int(e.depths[a]) - int(e.depths[b]); d != 0 {
		return d
	}
	return int(a - b)
}

func (e *search) faultsOf(n int32) int {
	state := e.states.at(n)
	return e.envs.list[state[len(e.config.Clients)]].faults
}
