package pieces

import (
	"cmp"
	"context"
	"maps"
	"slices"

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
	// Try tries a lock of a package under a hazard, for Check. It puts its answers into v.
	Try func(ctx context.Context, v *cache.Verdicts, lock, hazard string) error
}

// A Result is what came of a piece.
type Result struct {
	Piece
	Answers map[cache.Key]cache.Answer `json:"answers"`
	Sum     cache.Key                  `json:"sum"` // a hash of the rest, by which a damaged file is known
	From    string                     `json:"-"`   // where it was read, for errors
}

// verdicts are answers by a code of a version.
func verdicts(version string, held map[cache.Key]cache.Answer) *cache.Verdicts {
	return &cache.Verdicts{Held: held, Code: func(string) (string, bool) { return version, true }}
}

// Run makes the result of a piece. When ctx ends, there is none.
func Run(ctx context.Context, p Piece, m Machine) (Result, error) {
	if err := p.check(); err != nil {
		return Result{}, err
	}
	asked, err := p.asked(m.Memory)
	if err != nil {
		return Result{}, err
	}
	jobs := 1
	if p.Job.What == Matrix { // the others use the workers in a cell
		jobs = max(1, min(m.Jobs, len(asked)))
		m.Jobs = 1
	}
	held, errs := make([]map[cache.Key]cache.Answer, len(asked)), make([]error, len(asked))
	parallel.Do(jobs, len(asked), func(i int) {
		held[i] = map[cache.Key]cache.Answer{}
		asked[i].Hazard.Bounds.Memory /= jobs
		if ctx.Err() == nil {
			errs[i] = p.answer(ctx, verdicts(p.Version, held[i]), asked[i], m)
		}
	})
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	r := Result{Piece: p, Answers: map[cache.Key]cache.Answer{}}
	for i, err := range errs {
		if err != nil {
			return Result{}, lang.Errorf("%s, %s: %w", asked[i].Lock.ID, asked[i].Hazard.ID, err)
		}
		maps.Copy(r.Answers, held[i])
	}
	r.Sum = r.sum()
	return r, nil
}

// answer puts the answers to what is asked of a cell into v. It explores with nothing learned
// from others: what it learns from depends on who has which cells.
func (p *Piece) answer(ctx context.Context, v *cache.Verdicts, q explore.Question, m Machine) error {
	tell := func(done, of int) {
		if m.Progress != nil {
			m.Progress(q.Lock.ID, q.Hazard.ID, done, of)
		}
	}
	switch p.Job.What {
	case Check:
		if m.Try == nil {
			return lang.Errorf("the tests of the package are not at hand")
		}
		return m.Try(ctx, v, q.Lock.ID, q.Hazard.ID)
	case Hunt:
		o := p.Job.HuntOptions(m)
		o.Progress = func(done, _ int) { tell(done, o.Runs) }
		from, to := p.runs()
		q.Hazard.Bounds.Memory = 0
		r, err := fuzz.Part(ctx, q.Config, q.Lock.Subject, q.Hazard.Bounds, o, from, to)
		r.Hazard = q.Hazard.ID
		v.Keep(q, r)
		return err
	case Matrix:
	}
	row := explore.NewRow(ctx, q.Lock)
	defer row.Close()
	_, err := row.Answer(ctx, v, q, explore.Options{Progress: func(p explore.Progress) { tell(p.States, 0) }})
	return err
}

// HuntOptions are those of a job's hunt.
func (j *Job) HuntOptions(m Machine) fuzz.Options {
	h := j.Hunt
	return fuzz.Options{
		BugDepth: h.BugDepth, Seed: h.Seed, Runs: h.Runs,
		Jobs: m.Jobs, States: h.Prove, Memory: m.Memory,
	}
}

// Verify holds a result against its piece: each cell has its answer, and the counterexamples,
// played again, violate what they violated.
func (r *Result) Verify(ctx context.Context) error {
	if r.Job.What != Check { // what is asked of a lock depends on the lock
		asked, err := r.asked(0)
		if err != nil {
			return err
		}
		for _, q := range asked {
			if _, err := r.find(ctx, q); err != nil {
				return err
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(r.Answers)) {
		a := r.Answers[k]
		if !cache.Replay(ctx, &a.Report, false) {
			return cmp.Or(ctx.Err(), lang.Errorf("%v: %s, %s: its counterexamples, played again, do not violate what they violated", r.Name(), a.Config.Strategy, a.Hazard))
		}
	}
	return nil
}

// find returns the answer to a question.
func (r *Result) find(ctx context.Context, q explore.Question) (cache.Answer, error) {
	a, ok := verdicts(r.Version, r.Answers).FindAnswer(ctx, q)
	if !ok || (a.Hunt != nil) != (r.Job.What == Hunt) {
		return a, lang.Errorf("%v: it has no answer on %s, %s", r.Name(), q.Lock.ID, q.Hazard.ID)
	}
	return a, nil
}
