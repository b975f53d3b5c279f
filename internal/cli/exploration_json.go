package cli

import (
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// A cellRow is one lock under one hazard in matrix --json.
type cellRow struct {
	Schema      int             `json:"schema"`
	Lock        string          `json:"lock"`
	Hazard      string          `json:"hazard"`
	Verdict     explore.Verdict `json:"verdict"`
	Reason      string          `json:"reason,omitempty"`
	Invariant   string          `json:"invariant,omitempty"`
	Faults      *int            `json:"faults,omitempty"`
	Steps       int             `json:"steps,omitempty"`
	States      int             `json:"states"`
	Transitions int             `json:"transitions"`
	Depth       int             `json:"depth"`
	Token       string          `json:"token,omitempty"`
	Cached      string          `json:"cached,omitempty"` // when it was computed, if not just now
}

func newCellRow(lock string, r *explore.Report) cellRow {
	row := cellRow{Schema: 1, Lock: lock, Hazard: r.Hazard, States: r.States, Transitions: r.Transitions, Depth: r.Depth, Cached: sinceRow(r.Since)}
	verdict, reason := r.Verdict()
	row.Verdict, row.Reason = verdict, reason.String()
	if f := r.First(); f != nil {
		faults := r.Faults(f)
		row.Invariant, row.Faults, row.Steps = f.Violation.Invariant, &faults, len(f.Schedule)
		row.Token = history.Token(r.Config, f.Schedule)
	}
	return row
}

// An explorationRow is one hazard in explore --json.
type explorationRow struct {
	cellRow
	Limit       string     `json:"limit,omitempty"`
	Reproduced  int        `json:"reproduced,omitempty"`
	Found       []foundRow `json:"found,omitempty"`
	Spins       []spinRow  `json:"spins,omitempty"`
	Counts      countsRow  `json:"counts"`
	ClientRuns  int        `json:"client_runs"`
	ServerRuns  int        `json:"server_runs"`
	Assumptions string     `json:"assumptions"`
	// Merging is what was taken to be equal.
	Merging *explore.Merging `json:"merging,omitempty"`
}

type foundRow struct {
	Invariant string `json:"invariant"`
	Faults    int    `json:"faults"`
	Steps     int    `json:"steps"`
	Shortest  bool   `json:"shortest"`
	Says      string `json:"says"`
	Point     int    `json:"point_of_no_return,omitempty"` // see explore.Found
	Token     string `json:"token"`
}

// A spinRow is code that repeats itself while no time passes.
type spinRow struct {
	Client string   `json:"client"`
	Does   []string `json:"does"`
	Source string   `json:"source,omitempty"`
	Rounds int      `json:"rounds"`
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

func (e *exploration) row() explorationRow {
	row := explorationRow{
		cellRow: newCellRow(e.lock, &e.Report), Limit: e.Limit, Counts: newCountsRow(&e.Report),
		ClientRuns: e.ClientRuns, ServerRuns: e.NodeRuns, Assumptions: e.Assumptions().String(),
	}
	if e.worst != nil && e.unplayed == nil {
		row.Reproduced = replays
	}
	if e.Merging.Ways > 0 {
		row.Merging = &e.Merging
	}
	for _, s := range e.Spins {
		row.Spins = append(row.Spins, spinRow(s))
	}
	for i := range e.Found {
		row.Found = append(row.Found, e.foundRow(&e.Found[i]))
	}
	return row
}

func (e *exploration) foundRow(f *explore.Found) foundRow {
	return foundRow{
		f.Violation.Invariant, e.Faults(f), len(f.Schedule), f.Shortest,
		scenarios.Verdict(f.Violation), f.Point, history.Token(e.Config, f.Schedule),
	}
}

func newCountsRow(r *explore.Report) countsRow {
	c := r.Counts
	row := countsRow{c.Enters, c.Refused, c.Expired, c.Nested, c.Scripts, c.Clocks, map[history.Verb]int{}}
	for _, v := range faultVerbs(r) {
		row.Faults[v] = c.Faults[v]
	}
	return row
}
