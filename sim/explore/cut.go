package explore

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim/history"
)

// This file cuts a search that is too large for a machine, by how schedules begin.
// Every part visits the beginning: all states within the first After actions. The
// states that take exactly as many, the starts, are divided among the parts, and each
// part goes on from its own.
//
// A state beyond the beginning lies behind some start, on a path on which every
// state is first reached as late as in the whole search. The part with that start
// therefore reaches the state by as few faults and steps as the whole search does,
// and the least of what the parts find is the least there is. What lies behind the
// starts of several parts is visited by each of them.

// A Cut is a part of a search; the zero Cut is the whole.
type Cut struct {
	After    int // actions, at least 1
	Part, Of int // from 1
}

// A Beginning is what all parts of a search have in common.
type Beginning struct {
	After       int    `json:"after"`       // Cut.After
	States      int    `json:"states"`      // of the beginning, with the starts
	Transitions int    `json:"transitions"` // between them
	Starts      int    `json:"starts"`
	Counts      Counts `json:"counts"`
	// Key is a hash of the paths to the starts, in order. Parts with other starts do
	// not belong together.
	Key string `json:"key"`
	// Straight is set if no code may be taken to spin.
	Straight bool `json:"straight,omitempty"`
}

// begin visits the beginning, and decides which starts are another part's. If a limit
// ends it, that is the limit of the search.
func (e *search) begin() error {
	c := e.options.Cut
	b := e.bounds
	if b.Depth == 0 || b.Depth > c.After {
		b.Depth = c.After
	}
	first := newSearch(e.ctx, e.Model, b, Options{Jobs: e.options.Jobs})
	defer first.stop()
	if err := first.unlessStuck(first.run); err != nil {
		return err
	}
	first.count()
	if limit := first.report.Limit; limit != "" && limit != "depth" {
		e.report.Limit, e.stuck = limit, first.stuck
	}
	if e.report.Begun = (&Beginning{After: c.After}); first.stuck != nil {
		e.report.Limit = RealTime
		return nil
	}
	starts, err := first.starts(c.After)
	if err != nil {
		return err
	}
	e.others = map[string]bool{}
	key := sha256.New()
	for i, at := range starts {
		_, _ = io.WriteString(key, at.path.String()+"\n") // writing to a hash cannot fail
		if i*c.Of/len(starts) != c.Part-1 {
			e.others[keyOf(first.states.at(at.state))] = true
		}
	}
	*e.report.Begun = Beginning{
		After: c.After, States: first.report.States, Transitions: first.report.Transitions, Starts: len(starts), Counts: first.report.Counts,
		Key: hex.EncodeToString(key.Sum(nil)), Straight: e.Straightened(),
	}
	return nil
}

// A start is a state that takes exactly Cut.After actions, and how it was first reached.
type start struct {
	state uint32
	path  history.Schedule
}

// starts lists the starts in the order of their paths, so that a part gets those that
// begin alike: they lead to the same states more often than others do.
func (e *search) starts(after int) (list []start, err error) {
	for faults := range e.levels {
		for n := range e.level(faults, after).states() {
			path, _, err := e.pathTo(n)
			if err != nil {
				return nil, err
			}
			list = append(list, start{n, path})
		}
	}
	slices.SortFunc(list, func(a, b start) int {
		return slices.CompareFunc(a.path, b.path, func(x, y history.Action) int { return cmp.Compare(x.String(), y.String()) })
	})
	return list, nil
}

// leaves reports whether a state of a level is a start of another part, which alone
// goes on from it.
func (e *search) leaves(n uint32, depth int) bool {
	return e.others != nil && depth == e.options.Cut.After && e.others[keyOf(e.states.at(n))]
}

// Whole returns the report of a search from those of all its parts, in order. What
// several parts visited is counted in each, but for the beginning, which is counted
// once. A part may also reach a state later than the whole search, if the shortest path
// to it is another part's: so Depth can be greater, and a limit on it be met that the
// whole search does not meet. The search holds only if every part does.
//
// A counterexample is the least of those of all parts, and that of the whole search. Of
// lock-recovers it is proven shortest only if every part has one: a part without looks no
// further than the states after faults and the ends.
func Whole(parts []Report) (Report, error) {
	if len(parts) == 0 || slices.ContainsFunc(parts, func(r Report) bool { return r.Begun == nil }) {
		return Report{}, lang.Errorf("explore: not the parts of a search that was cut")
	}
	begun := parts[0].Begun
	sum := parts[0]
	sum.Parts, sum.Found, sum.Spins = len(parts), nil, nil
	sum.States, sum.Transitions, sum.Bytes, sum.ClientRuns, sum.NodeRuns, sum.Merging.Runs = begun.States, begun.Transitions, 0, 0, 0, 0
	sum.Counts = Counts{Faults: map[history.Verb]int{}}
	sum.Counts.Add(begun.Counts, 1)
	complete := true
	for i := range parts {
		p := &parts[i]
		if p.Begun.Key != begun.Key || p.Begun.Straight != begun.Straight || p.Merging.Relearned != sum.Merging.Relearned || p.Merging.Clients != sum.Merging.Clients {
			return Report{}, lang.Errorf("explore: part %d learned something of the lock's code that part 1 did not, and so was cut in another way; explore it whole, or with --exact", i+1)
		}
		sum.States += p.States - p.Begun.States
		sum.Transitions += p.Transitions - p.Begun.Transitions
		sum.Counts.Add(p.Counts, 1)
		sum.Counts.Add(p.Begun.Counts, -1)
		sum.Depth, sum.Bytes = max(sum.Depth, p.Depth), sum.Bytes+p.Bytes
		sum.ClientRuns, sum.NodeRuns = sum.ClientRuns+p.ClientRuns, sum.NodeRuns+p.NodeRuns
		sum.Merging.Ways, sum.Merging.Runs = max(sum.Merging.Ways, p.Merging.Ways), sum.Merging.Runs+p.Merging.Runs
		if sum.Limit == "" || sum.Limit == "depth" && p.Limit != "" {
			sum.Limit = p.Limit
		}
		if sum.Trouble.None() {
			sum.Trouble = p.Trouble
		}
		for _, s := range p.Spins {
			if !slices.ContainsFunc(sum.Spins, func(t Spin) bool { return t.Client == s.Client }) {
				sum.Spins = append(sum.Spins, s)
			}
		}
		complete = complete && (p.Limit == "" || p.Limit == "depth")
	}
	slices.SortFunc(sum.Spins, func(a, b Spin) int {
		return cmp.Compare(slices.Index(sum.Config.Clients, a.Client), slices.Index(sum.Config.Clients, b.Client))
	})
	shallow := sum.Limit == "depth"
	for _, id := range history.Invariants() {
		least, times := (*Found)(nil), 0
		for i := range parts {
			if f := parts[i].Of(id); f != nil {
				if times++; least == nil || sum.simpler(f, least) {
					least = f
				}
			}
		}
		if least == nil {
			continue
		}
		f := *least
		f.Shortest = f.Shortest && complete && (!shallow || sum.Faults(&f) == 0)
		if id == history.LockRecovers && (times < len(parts) || !f.Shortest) {
			f.Shortest, f.Point = false, 0
		}
		sum.Found = append(sum.Found, f)
	}
	return sum, nil
}

// simpler reports whether the whole search would rather report f than g: it has fewer
// faults, fewer steps, fewer context switches, or else takes the first transition.
func (r *Report) simpler(f, g *Found) bool {
	return cmp.Or(
		cmp.Compare(r.Faults(f), r.Faults(g)), cmp.Compare(len(f.Schedule), len(g.Schedule)),
		cmp.Compare(f.Schedule.Switches(), g.Schedule.Switches()),
		slices.CompareFunc(f.Schedule, g.Schedule, func(a, b history.Action) int { return slices.Compare(r.rank(a), r.rank(b)) }),
	) < 0
}

// rank orders the actions that are possible in a state as search.transitions does.
func (r *Report) rank(a history.Action) []int {
	fault, of := 0, 0
	if r.Bounds.IsFault(a.Verb) {
		fault = 1
		of = slices.IndexFunc(r.Bounds.Faults, func(f history.Action) bool { return f.Verb == a.Verb && f.By == a.By })
	}
	who := slices.Index(r.Config.Clients, a.Client)
	if who < 0 { // time, and faults of nodes
		who = len(r.Config.Clients)
	}
	return []int{fault, who, of, a.Strand}
}
