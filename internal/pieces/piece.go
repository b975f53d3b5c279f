// Package pieces cuts work that outgrows a machine: a hunt, a matrix, a check. A Job is
// the whole work, a Piece one part of it, and Run makes a Result of a Piece, which depends
// on the Piece and on nothing else. Merge puts the Results together, in whatever order they
// come and however often. A Result is answers to questions: whoever asks these finds what
// one machine would have found. file.go has the form of a Result in a file. Who distributes
// the pieces is not this package's concern.
package pieces

import (
	"cmp"
	"slices"
	"strings"

	"lockstep/internal/lang"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// A What is a kind of work.
type What string

// The kinds of work, each after the command that does it.
const (
	Hunt   What = "hunt"   // a part is a range of the runs under each hazard
	Matrix What = "matrix" // a part is cells of the table
	Check  What = "check"  // a part is hazards of the locks of a package
)

func whats() []string { return []string{string(Hunt), string(Matrix), string(Check)} }

// A Job is work that can be cut. It has all that decides the outcome besides the
// code, and nothing of the machine that does it.
type Job struct {
	What    What     `json:"what"`
	Locks   []string `json:"locks"`
	Hazards []string `json:"hazards"`
	// Package is the import path of the package whose tests put locks under test; it
	// may be empty.
	Package string   `json:"package,omitempty"`
	Clients []string `json:"clients,omitempty"`
	Rounds  int      `json:"rounds,omitempty"` // 0 for the hazard's own
	Ticks   int      `json:"ticks"`            // the bounds' own if negative
	Faults  int      `json:"faults"`           // the same, and of a hazard without faults always
	// States, Unbroken, Depth and Exact are those of explore.Bounds.
	States   int      `json:"states,omitempty"`
	Unbroken int      `json:"unbroken,omitempty"`
	Depth    int      `json:"depth,omitempty"`
	Exact    bool     `json:"exact,omitempty"`
	Hunt     *Hunting `json:"hunt,omitempty"`
}

// A Hunting is what a Job says of a hunt besides.
type Hunting struct {
	BugDepth int    `json:"bug_depth"`
	Seed     uint64 `json:"seed"`
	Runs     int    `json:"runs"`
	Prove    int    `json:"prove,omitempty"` // fuzz.Options.States
}

// A Piece is one part of a Job, from 1 to Of.
type Piece struct {
	Schema  int    `json:"schema"`
	Version string `json:"version"` // of the code: Lockstep's and the locks'
	Job     Job    `json:"job"`
	Part    int    `json:"part"`
	Of      int    `json:"of"`
}

// Schema is the version of the form of pieces and results.
const Schema = 2

// MostParts is the most parts of a job.
const MostParts = 10_000

// Name is the piece in an error.
func (p *Piece) Name() lang.Message { return lang.New("part %d of %d", p.Part, p.Of) }

// known returns an error for a form that is not this program's.
func known(schema int) error {
	if schema != Schema {
		return lang.Errorf("its form is %d; this program knows %d", schema, Schema)
	}
	return nil
}

// check returns an error for a piece that cannot be one.
func (p *Piece) check() error {
	j := &p.Job
	switch {
	case p.Schema != Schema:
		return known(p.Schema)
	case p.Of < 1 || p.Of > MostParts || p.Part < 1 || p.Part > p.Of:
		return lang.Errorf("there is no part %d of %d; use parts from 1 to at most %d", p.Part, p.Of, MostParts)
	case !slices.Contains(whats(), string(j.What)):
		return lang.Errorf("%q cannot be cut; %s", j.What, lang.Names(whats()))
	case len(j.Locks) == 0 || len(j.Hazards) == 0:
		return lang.Errorf("it has no lock or no hazard")
	case len(j.Locks)*len(j.Hazards) > mostCells:
		return lang.Errorf("it has %d cells, and may have %d", len(j.Locks)*len(j.Hazards), mostCells)
	case j.What == Hunt && (j.Hunt == nil || j.Hunt.Runs < 1 || j.Hunt.Runs > mostRuns):
		return lang.Errorf("it is a hunt without runs, or with more than %d", mostRuns)
	}
	if j.What != Check {
		var c history.Config
		if err := c.Set("clients", strings.Join(j.Clients, ",")); err != nil {
			return err
		}
	}
	for _, id := range j.Hazards {
		if _, known := explore.FindHazard(id); !known {
			return lang.Errorf("%q is not a hazard", id)
		}
	}
	return nil
}

// mostRuns bounds the runs of a hunt.
const mostRuns = 1_000_000_000

// mostCells bounds the locks times the hazards of a job.
const mostCells = 100_000

// runsOfPart are the runs of a part of a hunt, since each part first measures the world, in
// about a thousand.
const runsOfPart = 10_000

// Parts is how many parts a job has for workers.
func (j *Job) Parts() int {
	if j.What == Hunt {
		return min((j.Hunt.Runs+runsOfPart-1)/runsOfPart, MostParts)
	}
	return len(j.Locks) * len(j.Hazards)
}

// has reports whether a piece has something of the nth cell of its job, lock by lock. Only a
// hunt cuts cells.
func (p *Piece) has(n int) bool { return p.Job.What == Hunt || n%p.Of == p.Part-1 }

// runs is the range of a piece's runs of a hunt: from the first to below the last.
func (p *Piece) runs() (from, to int) {
	n := p.Job.Hunt.Runs
	return n * (p.Part - 1) / p.Of, n * p.Part / p.Of
}

// Axes are the locks and the hazards of a job.
func (j *Job) Axes() (locks []explore.Lock, hazards []explore.Hazard, err error) {
	for _, id := range j.Locks {
		lock, err := scenarios.LockOf(id)
		if err != nil {
			return nil, nil, err
		}
		locks = append(locks, lock)
	}
	for _, id := range j.Hazards {
		h, _ := explore.FindHazard(id)
		hazards = append(hazards, h)
	}
	return locks, hazards, nil
}

// Question returns what is asked of a lock under a hazard.
func (j *Job) Question(lock explore.Lock, h explore.Hazard, memory int) explore.Question {
	limits := explore.Bounds{States: j.States, Unbroken: j.Unbroken, Depth: j.Depth, Memory: memory, Exact: j.Exact}
	q := explore.Within(limits, j.Clients...)(lock, h)
	b := &q.Hazard.Bounds
	if j.Ticks >= 0 {
		b.Ticks = j.Ticks
	}
	if j.Faults >= 0 && len(b.Faults) > 0 {
		b.Budget = j.Faults
	}
	q.Config.Rounds = cmp.Or(j.Rounds, q.Config.Rounds)
	if j.What == Hunt {
		if _, promised := q.Promised(); !promised {
			b.Ticks = 0
		}
	}
	return q
}

// Questions returns what is asked of all cells, lock by lock.
func (j *Job) Questions(memory int) (all []explore.Question, err error) {
	locks, hazards, err := j.Axes()
	for _, lock := range locks {
		for _, h := range hazards {
			all = append(all, j.Question(lock, h, memory))
		}
	}
	return all, err
}

// asked are the questions of a piece.
func (p *Piece) asked(memory int) (some []explore.Question, err error) {
	all, err := p.Job.Questions(memory)
	for n, q := range all {
		if p.has(n) {
			some = append(some, q)
		}
	}
	return some, err
}
