package main

import (
	"encoding/json"
	"fmt"

	"lockstep/sim/explore"
	"lockstep/sim/fuzz"
)

// A huntRow is what hunt --json prints of one hazard. What was not found, or is
// not known, is absent.
type huntRow struct {
	Schema      int             `json:"schema"`
	Lock        string          `json:"lock"`
	Hazard      string          `json:"hazard"`
	Verdict     explore.Verdict `json:"verdict"`
	Reason      string          `json:"reason,omitempty"`
	Limit       string          `json:"limit"`
	Pick        fuzz.Picking    `json:"pick"`
	BugDepth    int             `json:"bug_depth,omitempty"` // of pct
	Swarm       bool            `json:"swarm"`
	Seed        uint64          `json:"seed"`
	Runs        int             `json:"runs"`
	RunsAsked   int             `json:"runs_asked"`
	Actions     int             `json:"actions"` // of all runs
	Fewest      int             `json:"fewest_actions"`
	Most        int             `json:"most_actions"`
	Cut         int             `json:"cut_runs"`
	Undecided   int             `json:"undecided_runs"`
	Bound       *boundRow       `json:"bound,omitempty"`
	Reproduced  int             `json:"reproduced,omitempty"`
	Found       []huntFoundRow  `json:"found,omitempty"`
	Counts      countsRow       `json:"counts"`
	Assumptions string          `json:"assumptions"`
}

type huntFoundRow struct {
	foundRow
	Runs     int `json:"runs"`
	FirstRun int `json:"first_run"`
}

// A boundRow is the least probability with which so many runs find a bug that
// shows within the first Choices of a run.
type boundRow struct {
	Probability json.Number `json:"probability"` // to three digits, the same on all machines
	Actors      int         `json:"actors"`
	Choices     int         `json:"choices"`
	Longest     int         `json:"longest"` // choices of any run
	Runs        int         `json:"runs"`
}

func (e *huntResult) row() huntRow {
	r := &e.hunt
	row := huntRow{
		Schema: 1, Lock: e.lock, Hazard: e.Hazard, Limit: e.Limit,
		Pick: r.Options.Pick, Swarm: r.Options.Swarm, Seed: r.Options.Seed,
		Runs: r.Runs, RunsAsked: r.Options.Runs, Actions: r.Transitions, Fewest: r.Fewest, Most: r.Depth,
		Cut: r.Cut, Undecided: r.Undecided, Counts: newCountsRow(&e.Report), Assumptions: e.Assumptions(),
	}
	row.Verdict, row.Reason = e.Verdict()
	if r.Options.Pick == fuzz.PCT {
		row.BugDepth = r.Options.BugDepth
	}
	if p, ok := r.Bound(); ok {
		row.Bound = &boundRow{json.Number(fmt.Sprintf("%.3g", p)), r.Promise.Actors, r.Promise.Choices, r.Promise.Longest, r.Promise.Runs}
	}
	if e.worst != nil && e.unplayed == nil {
		row.Reproduced = replays
	}
	for i, hit := range r.Hits {
		row.Found = append(row.Found, huntFoundRow{e.foundRow(&e.Found[i]), hit.Runs, hit.First})
	}
	return row
}
