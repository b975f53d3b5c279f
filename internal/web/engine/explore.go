package engine

import (
	"context"
	"slices"
	"sync"

	"lockstep/internal/course"
	"lockstep/internal/lang"
	"lockstep/internal/matrix"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/strategies"
	"lockstep/tui/pages"
)

// A Job is an exploration for another worker, since it would block the keys
// here.
type Job struct {
	ID    int    `json:"id"`
	Level string `json:"level,omitempty"` // "" means the matrix
	After string `json:"after,omitempty"` // the moves that are made in it
	Made  bool   `json:"made,omitempty"`  // the matrix that comes with the site
	// Course is the level's course, which the browser adds; empty for the
	// default one.
	Course []byte `json:"course,omitempty"`
}

// A Finding is a result of a job.
type Finding struct {
	ID     int              `json:"id"`
	Cells  []explore.Report `json:"cells,omitempty"`  // of the matrix
	Report *explore.Report  `json:"report,omitempty"` // on a level
	End    bool             `json:"end,omitempty"`    // the job has ended
	Error  string           `json:"error,omitempty"`  // why it ended
}

// memory bounds an exploration in a browser.
const memory = 256 << 20

// Explore does a job and reports its findings.
func Explore(ctx context.Context, job Job, tell func(Finding)) {
	end := Finding{ID: job.ID, End: true}
	if err := job.explore(ctx, tell); err != nil {
		end.Error = err.Error()
	}
	tell(end)
}

func (job Job) explore(ctx context.Context, tell func(Finding)) error {
	limits := matrix.Limits(memory)
	if job.Level != "" {
		level, err := levelOf(job.Course, job.Level)
		if err != nil {
			return err
		}
		level.After = job.After
		r, err := matrix.Level(ctx, level, limits)
		if err == nil {
			tell(Finding{ID: job.ID, Report: &r})
		}
		return err
	}
	locks, err := everyLock()
	if err != nil {
		return err
	}
	_, err = explore.Matrix(ctx, locks, explore.Hazards(), explore.Within(limits, "A", "B"), 1, nil, func(_, _ int, c explore.Report) {
		tell(Finding{ID: job.ID, Cells: []explore.Report{c}})
	})
	return err
}

// courseOf reads the course of a site.
func courseOf(packed []byte) (*course.Course, error) {
	if len(packed) == 0 {
		return course.Usual(), nil
	}
	files, err := course.Zip(packed)
	if err != nil {
		return nil, err
	}
	return course.Read(files, "course")
}

func levelOf(packed []byte, id string) (*scenarios.Level, error) {
	own, err := courseOf(packed)
	if err != nil {
		return nil, err
	}
	for _, l := range slices.Concat(own.Levels, scenarios.ProvedLevels()) {
		if l.ID == id {
			return &l, nil
		}
	}
	return nil, lang.Errorf("%q is not a level", id)
}

func everyLock() (locks []explore.Lock, err error) {
	for _, id := range strategies.IDs() {
		lock, err := scenarios.LockOf(id)
		if err != nil {
			return nil, err
		}
		locks = append(locks, lock)
	}
	return locks, nil
}

// jobs are the explorations in other workers.
type jobs struct {
	send func(Answer)

	mu    sync.Mutex
	last  int
	under map[int]chan Finding
}

// do starts a job and passes on its findings. The job ends with ctx.
func (j *jobs) do(ctx context.Context, job Job, report func(Finding)) error {
	findings := make(chan Finding)
	j.mu.Lock()
	j.last++
	job.ID = j.last
	j.under[job.ID] = findings
	j.mu.Unlock()
	defer func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		delete(j.under, job.ID)
	}()
	j.send(Answer{Job: &job})
	for {
		select {
		case f := <-findings:
			switch {
			case f.Report != nil || f.Cells != nil:
				report(f)
			case f.Error != "":
				return lang.Errorf("the exploration has ended: %v", lang.Quote(f.Error))
			case f.End:
				return nil
			}
		case <-ctx.Done():
			j.send(Answer{Stop: job.ID})
			return ctx.Err()
		}
	}
}

// hear takes a finding of a job that has not been cancelled.
func (j *jobs) hear(ctx context.Context, f Finding) {
	j.mu.Lock()
	findings := j.under[f.ID]
	j.mu.Unlock()
	if findings == nil {
		return
	}
	select {
	case findings <- f:
	case <-ctx.Done():
	}
}

// matrix is the pages' matrix: the one that comes with the site, if a program has made one,
// or else computed in other workers.
func (j *jobs) matrix(made string) *pages.Matrix {
	m := matrix.Matrix(nil, explore.Hazards(), explore.Bounds{}, 1, nil)
	m.Locks = strategies.IDs()
	by := func(job Job) func(context.Context, func(...explore.Report)) error {
		return func(ctx context.Context, report func(...explore.Report)) error {
			return j.do(ctx, job, func(f Finding) { report(f.Cells...) })
		}
	}
	if m.Compute = by(Job{}); made != "" {
		m.Made, m.Compute, m.Again = made, by(Job{Made: true}), by(Job{})
	}
	return m
}

// prove explores a level in another worker.
func (j *jobs) prove(ctx context.Context, l *scenarios.Level) (p pages.Proof, err error) {
	err = j.do(ctx, Job{Level: l.ID, After: l.After}, func(f Finding) { p = matrix.Shortest(l, f.Report) })
	return p, err
}
