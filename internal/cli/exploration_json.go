package cli

import (
	"encoding/json"
	"fmt"

	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/sim/fuzz"
	"lockstep/sim/history"
)

// A row is one lock under one hazard, as --json prints it: of matrix without what follows
// Cached, of hunt without a cell.
type row struct {
	With    *enlargement    `json:"with,omitempty"` // of a larger world
	Schema  int             `json:"schema"`
	Lock    string          `json:"lock"`
	Hazard  string          `json:"hazard"`
	Verdict explore.Verdict `json:"verdict"`
	Reason  string          `json:"reason,omitempty"`
	*cell
	Limit string `json:"limit,omitempty"`
	*huntCounts
	Reproduced int            `json:"reproduced,omitempty"`
	Found      []foundRow     `json:"found,omitempty"`
	Spins      []explore.Spin `json:"spins,omitempty"`
	Counts     *countsRow     `json:"counts,omitempty"`
	*codeRuns
	Assumptions string `json:"assumptions,omitempty"`
	// Merging is what was taken to be equal.
	Merging *explore.Merging `json:"merging,omitempty"`
	Larger  []row            `json:"larger,omitempty"`
}

// A cell is what a row of an exploration has, with the first counterexample.
type cell struct {
	Invariant   string `json:"invariant,omitempty"`
	Faults      *int   `json:"faults,omitempty"`
	Steps       int    `json:"steps,omitempty"`
	States      int    `json:"states"`
	Transitions int    `json:"transitions"`
	Depth       int    `json:"depth"`
	Token       string `json:"token,omitempty"`
	Cached      string `json:"cached,omitempty"` // when it was computed, if not just now
}

// huntCounts are what only a row of a hunt has.
type huntCounts struct {
	BugDepth  int       `json:"bug_depth"`
	Seed      uint64    `json:"seed"`
	Runs      int       `json:"runs"`
	RunsAsked int       `json:"runs_asked"`
	Actions   int       `json:"actions"` // of all runs
	Fewest    int       `json:"fewest_actions"`
	Most      int       `json:"most_actions"`
	Cut       int       `json:"cut_runs"`
	Undecided int       `json:"undecided_runs"`
	Bound     *boundRow `json:"bound,omitempty"`
}

// codeRuns are how often real code ran.
type codeRuns struct {
	Clients int `json:"client_runs"`
	Servers int `json:"server_runs"`
}

type foundRow struct {
	Invariant string `json:"invariant"`
	Faults    int    `json:"faults"`
	Steps     int    `json:"steps"`
	Shortest  bool   `json:"shortest"`
	Says      string `json:"says"`
	Point     int    `json:"point_of_no_return,omitempty"` // see explore.Found
	Token     string `json:"token"`
	*explore.Hit
}

// A boundRow is the least probability with which the runs find a bug that shows
// within the first Choices of a run.
type boundRow struct {
	Probability json.Number `json:"probability"` // to three digits, the same on all machines
	explore.Promise
}

type countsRow struct {
	Entered int                  `json:"entered"`
	Refused int                  `json:"refused"`
	Expired int                  `json:"expired"`
	Nested  int                  `json:"nested"`
	Scripts int                  `json:"scripts"`
	Clocks  int                  `json:"clock_readings"`
	Faults  map[history.Verb]int `json:"faults,omitempty"`
}

// newRow is a row without a cell.
func newRow(r *explore.Report) row {
	verdict, reason := r.Verdict()
	return row{Schema: 1, Lock: r.Config.Strategy, Hazard: r.Hazard, Verdict: verdict, Reason: reason.String()}
}

// cellRow is a row of matrix.
func cellRow(r *explore.Report) row {
	out := newRow(r)
	out.cell = &cell{States: r.States, Transitions: r.Transitions, Depth: r.Depth, Cached: sinceRow(r.Since)}
	if f := r.First(); f != nil {
		faults := r.Faults(f)
		out.Invariant, out.Faults, out.Steps, out.Token = f.Violation.Invariant, &faults, len(f.Schedule), history.Token(r.Config, f.Schedule)
	}
	return out
}

// row is a row of explore or hunt.
func (e *exploration) row() (out row) {
	if h := e.Hunt; h != nil {
		out = newRow(&e.Report)
		out.Schema = 2
		out.huntCounts = &huntCounts{
			BugDepth: h.BugDepth, Seed: h.Seed, Runs: h.Runs, RunsAsked: h.Asked,
			Actions: e.Transitions, Fewest: h.Fewest, Most: e.Depth, Cut: h.Cut, Undecided: h.Undecided,
		}
		if p, ok := fuzz.Bound(h); ok {
			out.Bound = &boundRow{json.Number(fmt.Sprintf("%.3g", p)), h.Promise}
		}
	} else {
		out = cellRow(&e.Report)
		out.codeRuns = &codeRuns{e.ClientRuns, e.NodeRuns}
	}
	out.Limit, out.Spins, out.Counts, out.Assumptions = e.Limit, e.Spins, newCountsRow(&e.Report), e.Assumptions().String()
	if e.first != nil && e.unplayed == nil {
		out.Reproduced = replays
	}
	if e.Merging.Ways > 0 {
		out.Merging = &e.Merging
	}
	for i := range e.Found {
		out.Found = append(out.Found, e.foundRow(i))
	}
	for _, l := range e.larger {
		larger := l.row()
		larger.With = &l.with
		out.Larger = append(out.Larger, larger)
	}
	return out
}

func (e *exploration) foundRow(i int) foundRow {
	f := &e.Found[i]
	out := foundRow{
		f.Violation.Invariant, e.Faults(f), len(f.Schedule), f.Shortest,
		scenarios.Verdict(f.Violation), f.Point, history.Token(e.Config, f.Schedule), nil,
	}
	if e.Hunt != nil {
		out.Hit = &f.Hit
	}
	return out
}

func newCountsRow(r *explore.Report) *countsRow {
	c := r.Counts
	row := &countsRow{c.Enters, c.Refused, c.Expired, c.Nested, c.Scripts, c.Clocks, map[history.Verb]int{}}
	for _, v := range faultVerbs(r) {
		row.Faults[v] = c.Faults[v]
	}
	return row
}
