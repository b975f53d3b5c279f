package pieces

import (
	"context"
	"encoding/json"
	"time"

	"lockstep/internal/cache"
	"lockstep/internal/lang"
	"lockstep/internal/parallel"
	"lockstep/sim/explore"
	"lockstep/sim/fuzz"
)

// A Machine is what a piece runs on. It does not change the result, except that a
// search can end at Memory.
type Machine struct {
	Jobs   int // workers
	Memory int // of a search or of all cells at work, in bytes
	// Progress, if not nil, is called with the progress in a cell. Calls can overlap.
	Progress func(lock, hazard string, done, of int)
	// Try tries a lock of a package under a hazard, for Check.
	Try func(ctx context.Context, lock, hazard string) (json.RawMessage, error)
}

// A Result is what came of a piece.
type Result struct {
	Piece
	Cells []Cell `json:"cells"` // those of the piece, in the order of the job
	Sum   string `json:"sum"`   // a hash of the rest, by which a damaged file is known
	From  string `json:"-"`     // where it was read, for errors
}

// A Cell is what came of one lock under one hazard, as far as it is of the piece.
type Cell struct {
	Lock    string          `json:"lock"`
	Hazard  string          `json:"hazard"`
	Report  *cache.Stored   `json:"report,omitempty"`
	Trouble lang.Message    `json:"trouble,omitzero"` // explore.Report's
	Memory  int             `json:"memory,omitempty"` // the limit in bytes, if it ended the search
	Hunt    *fuzz.Played    `json:"hunt,omitempty"`
	Checked json.RawMessage `json:"checked,omitempty"` // what Machine.Try returned
	// Took is how long it took, if that is known. No result depends on it.
	Took time.Duration `json:"-"`
}

// Run makes the result of a piece. When ctx ends, there is none.
func Run(ctx context.Context, p Piece, m Machine) (Result, error) {
	if err := p.check(); err != nil {
		return Result{}, err
	}
	ids := p.cells()
	r := Result{Piece: p, Cells: make([]Cell, len(ids))}
	run, jobs := p.runOne(), 1
	if p.Job.What == Matrix { // the others use the workers in a cell
		jobs = max(1, min(m.Jobs, len(ids)))
		m.Jobs, m.Memory = 1, m.Memory/jobs
	}
	errs := make([]error, len(ids))
	parallel.Do(jobs, len(ids), func(i int) {
		if ctx.Err() == nil {
			r.Cells[i], errs[i] = run(ctx, ids[i], m)
		}
	})
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	for i, err := range errs {
		if err != nil {
			return Result{}, lang.Errorf("%s, %s: %w", ids[i].lock, ids[i].hazard, err)
		}
	}
	r.Sum = r.sum()
	return r, nil
}

// runOne is how the piece's kind of work runs one of its cells.
func (p *Piece) runOne() func(context.Context, cellID, Machine) (Cell, error) {
	switch p.Job.What {
	case Hunt:
		return p.hunt
	case Check:
		return func(ctx context.Context, id cellID, m Machine) (Cell, error) {
			if m.Try == nil {
				return Cell{}, lang.Errorf("the tests of the package are not at hand")
			}
			checked, err := m.Try(ctx, id.lock, id.hazard)
			return Cell{Lock: id.lock, Hazard: id.hazard, Checked: checked}, err
		}
	}
	return p.explore
}

// explore explores a cell with nothing learned from others: what it learns from
// depends on who has which cells.
func (p *Piece) explore(ctx context.Context, id cellID, m Machine) (Cell, error) {
	q, err := p.Job.question(id, m.Memory)
	if err != nil {
		return Cell{}, err
	}
	row := explore.NewRow(ctx, q.Lock)
	defer row.Close()
	o := explore.Options{}
	if m.Progress != nil {
		o.Progress = func(p explore.Progress) { m.Progress(id.lock, id.hazard, p.States, 0) }
	}
	report, err := row.Explore(ctx, q.Hazard, q.Config, o)
	if err != nil {
		return Cell{}, err
	}
	c := Cell{Lock: id.lock, Hazard: id.hazard, Report: stored(&report), Trouble: report.Trouble}
	if report.Limit == outOfMemory {
		c.Memory = m.Memory
	}
	return c, nil
}

// outOfMemory is the limit of a search that exceeds its memory.
const outOfMemory = "memory"

func stored(r *explore.Report) *cache.Stored { return cache.NewStored(&cache.Answer{Report: *r}) }

func (p *Piece) hunt(ctx context.Context, id cellID, m Machine) (Cell, error) {
	q, err := p.Job.question(id, 0)
	if err != nil {
		return Cell{}, err
	}
	o := p.Job.HuntOptions(m)
	if m.Progress != nil {
		o.Progress = func(done, _ int) { m.Progress(id.lock, id.hazard, done, o.Runs) }
	}
	from, to := p.runs()
	r, err := fuzz.Part(ctx, q.Config, q.Lock.Subject, q.Hazard.Bounds, o, from, to)
	if err != nil {
		return Cell{}, err
	}
	return Cell{Lock: id.lock, Hazard: id.hazard, Report: stored(&r.Report), Trouble: r.Trouble, Hunt: &r.Played}, nil
}

// HuntOptions are those of a job's hunt.
func (j *Job) HuntOptions(m Machine) fuzz.Options {
	h := j.Hunt
	return fuzz.Options{
		BugDepth: h.BugDepth, Seed: h.Seed, Runs: h.Runs,
		Jobs: m.Jobs, States: h.Prove, Memory: m.Memory,
	}
}

// Verify plays the counterexamples of a result again; those of a Check by played, which gets
// what Machine.Try returned. An error says that it is not what its piece comes to.
func (r *Result) Verify(ctx context.Context, played func(ctx context.Context, checked json.RawMessage) error) error {
	w := &Whole{Job: r.Job, Parts: []Result{*r}}
	for i, id := range r.cells() {
		var err error
		if r.Job.What == Check {
			err = played(ctx, r.Cells[i].Checked)
		} else {
			_, _, err = w.reportOf(ctx, r, id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
