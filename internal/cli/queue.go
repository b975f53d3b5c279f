package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"lockstep/internal/cache"
	"lockstep/internal/lang"
	"lockstep/internal/pieces"
	"lockstep/internal/queue"
	"lockstep/internal/trial"
)

// This file has the parts of a job done by workers, over a queue in Redis.

type queueFlags struct {
	queue, passwordFile string
	open                *queue.Queue // that of --queue, while the command runs
}

func takesQueue(cmd *cobra.Command, f *queueFlags) {
	do := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if f.queue == "" {
			return do(cmd, args)
		}
		q, err := f.connect(cmd)
		if err != nil {
			return err
		}
		defer q.Close()
		f.open = q
		return do(cmd, args)
	}
	takes(cmd, "queue", &f.queue, passwordFlag, &f.passwordFile)
}

// connect opens the queue.
func (f *queueFlags) connect(cmd *cobra.Command) (*queue.Queue, error) {
	ctx := cmd.Context()
	has, err := queue.HasPassword(f.queue)
	if err != nil {
		return nil, usage(cmd, "--queue: %w", err)
	}
	password, err := passwordOf(cmd, "queue", has, f.passwordFile)
	if err != nil {
		return nil, err
	}
	q, err := await(ctx, func() (*queue.Queue, error) { return queue.Open(ctx, f.queue, password) })
	if err != nil {
		return nil, lang.Errorf("--queue: %w", withPasswordHint(err))
	}
	return q, nil
}

// shortOf is the part of a version that names its queue.
func shortOf(version string) string { return version[:min(len(version), 24)] }

func (a *app) workerCommand() *cobra.Command {
	f := workerFlags{jobs: count{runtime.GOMAXPROCS(0), 1, 1024}, memory: memoryFlag()}
	cmd := withoutArguments("worker", func(cmd *cobra.Command) error { return a.worker(cmd, f) })
	takesQueue(cmd, &f.queueFlags)
	takes(cmd, "jobs", &f.jobs, "memory", &f.memory, "with", &f.with)
	return cmd
}

type workerFlags struct {
	queueFlags
	jobs   count
	memory size
	with   []string // packages, or patterns of them
}

func (a *app) worker(cmd *cobra.Command, f workerFlags) error {
	if f.queue == "" {
		return usage(cmd, "--queue is missing")
	}
	suites, err := a.openSuites(cmd.Context(), f.with)
	defer func() {
		for _, s := range suites {
			s.Close()
		}
	}()
	if err != nil {
		return err
	}
	can := abilities{}
	var versions []string
	for _, s := range append([]*trial.Suite{nil}, suites...) {
		version, err := versionOf(s)
		if err != nil {
			return err
		}
		can[version] = s
		versions = append(versions, shortOf(version))
	}
	defer limitMemory(f.memory)()
	done, began := 0, time.Now()
	host, _ := os.Hostname()
	m := pieces.Machine{Jobs: 1, Memory: int(f.memory) / max(1, f.jobs.value)}
	w := queue.Worker{
		Name: fmt.Sprintf("%s:%d:%s", host, os.Getpid(), rand.Text()[:6]), Versions: versions, Jobs: f.jobs.value,
		Run: func(ctx context.Context, payload []byte) ([]byte, error) { return a.runPiece(ctx, payload, can, m) },
		Done: func() {
			done++
			a.progressLine(lang.New("worker: %d parts in %v", done, time.Since(began).Round(time.Second)))
		},
		Tell: func(trouble error) {
			a.eraseProgress()
			a.complain(lang.Errorf("worker: %w", cmp.Or(trouble, lang.Errorf("%s answers again", f.open))))
		},
	}
	a.say("%s takes parts of version %s from %s", w.Name, versions[0], f.open)
	for i, s := range suites {
		a.say("and on the locks of %s, version %s", s.Path, versions[i+1])
	}
	if err := a.out.Flush(); err != nil {
		return err
	}
	err = f.open.Work(cmd.Context(), w)
	a.eraseProgress()
	a.say("%d parts in %v", done, time.Since(began).Round(time.Second))
	if err != nil {
		return unexpected(lang.Errorf("worker: %w", err))
	}
	return nil
}

// openSuites compiles the tests of packages. It complains of those that cannot be, and
// returns the others.
func (a *app) openSuites(ctx context.Context, patterns []string) (suites []*trial.Suite, err error) {
	if len(patterns) == 0 {
		return nil, nil
	}
	verdicts, err := a.openCache(false, false)
	if err != nil {
		return nil, err
	}
	packages, err := a.packages(ctx, patterns, regexp.MustCompile(""))
	if err != nil {
		return nil, err
	}
	for _, pkg := range packages {
		s, err := a.compile(ctx, pkg, nil, verdicts)
		if ctx.Err() != nil {
			return suites, ctx.Err()
		}
		if err != nil {
			a.complain(err)
			continue
		}
		suites = append(suites, s)
	}
	return suites, nil
}

// abilities are the versions that a worker can do parts of, and the tests of each; nil for
// the program's own locks.
type abilities map[string]*trial.Suite

// runPiece answers a job of the queue: nothing in it is code.
func (a *app) runPiece(ctx context.Context, payload []byte, can abilities, m pieces.Machine) ([]byte, error) {
	var p pieces.Piece
	if err := json.Unmarshal(payload, &p); err != nil {
		return nil, lang.Errorf("it is not a part: %w", err)
	}
	suite, known := can[p.Version]
	if !known {
		return nil, lang.Errorf("it is of version %s, which this worker does not have", shortOf(p.Version))
	}
	if suite != nil {
		m.Try = a.tryIn(suite, p.Job.Exact)
	}
	if p.Job.What != pieces.Check { // of which Try takes the turn, for each lock
		defer a.turns.take(suite, p.Job.Locks)()
	}
	r, err := pieces.Run(ctx, p, m)
	if err != nil {
		return nil, err
	}
	return r.Encode()
}

// A spread is a job that workers do in parts, as its first part.
type spread struct {
	pieces.Piece
	suite *trial.Suite // with its locks; nil if they are the program's own
}

// newSpread returns a job, on locks of a package if suite is not nil.
func newSpread(job pieces.Job, suite *trial.Suite) (*spread, error) {
	if suite != nil {
		job.Package = suite.Path
		if !slices.ContainsFunc(job.Locks, func(id string) bool { return suite.Find(id) != nil }) {
			suite = nil
		}
	}
	version, err := versionOf(suite)
	return &spread{pieces.Piece{Schema: pieces.Schema, Version: version, Job: job, Part: 1, Of: job.Parts()}, suite}, err
}

// queued are the parts as jobs of the queue, with the same IDs in a later call.
func (s *spread) queued() (jobs []queue.Job, err error) {
	first, err := json.Marshal(s.Piece)
	run := shortOf(string(cache.KeyOf("queue", string(first))))
	for p := s.Piece; p.Part <= p.Of && err == nil; p.Part++ {
		j := queue.Job{ID: run + "/" + strconv.Itoa(p.Part), Version: shortOf(p.Version)}
		j.Payload, err = json.Marshal(p)
		jobs = append(jobs, j)
	}
	return jobs, err
}

// result reads the answer to a part of the job, and plays its counterexamples.
func (s *spread) result(ctx context.Context, a *app, payload, answer []byte) (r pieces.Result, err error) {
	var asked pieces.Piece
	if err := json.Unmarshal(payload, &asked); err != nil {
		return r, err
	}
	if r, err = pieces.Decode(answer); err != nil {
		return r, err
	}
	if !reflect.DeepEqual(r.Piece, asked) {
		return r, lang.Errorf("it is the answer to %v, of version %s", r.Name(), shortOf(r.Version))
	}
	defer a.turns.take(s.suite, s.Job.Locks)()
	return r, r.Verify(ctx)
}

// runQueued has jobs done by workers, and puts the results of each together. With first
// it ends at the first violation, and some parts are missing.
func (a *app) runQueued(cmd *cobra.Command, f queueFlags, spreads []*spread, first bool) ([]*pieces.Whole, error) {
	var jobs []queue.Job
	of := map[string]*spread{} // by the job's ID
	packages := map[string]string{}
	for _, s := range spreads {
		list, err := s.queued()
		if err != nil {
			return nil, unexpected(err)
		}
		for _, j := range list {
			of[j.ID] = s
		}
		jobs = append(jobs, list...)
		packages[shortOf(s.Version)] = ""
		if s.suite != nil {
			packages[shortOf(s.Version)] = s.suite.Path
		}
	}
	ctx := cmd.Context()
	results := map[*spread][]pieces.Result{}
	ended := false
	p, err := f.open.Do(ctx, jobs, queue.Options{
		Answered: func(j queue.Job, answer []byte) (bool, error) {
			s := of[j.ID]
			r, err := s.result(ctx, a, j.Payload, answer)
			if err != nil {
				return false, err
			}
			results[s] = append(results[s], r)
			if first && !ended {
				ended, err = s.violates(ctx, a, r)
			}
			return ended, err
		},
		Progress: a.queueProgress(packages),
	})
	a.eraseProgress()
	switch {
	case ctx.Err() != nil:
		return nil, interrupted(string(spreads[0].Job.What), p.Done, p.Of)
	case err != nil:
		return nil, unexpected(lang.Errorf("--queue: %w", err))
	}
	var wholes []*pieces.Whole
	for _, s := range spreads {
		w, err := pieces.Some(s.Piece, results[s])
		if err != nil {
			return nil, err
		}
		wholes = append(wholes, w)
	}
	return wholes, nil
}

// violates reports whether a result of the job has a counterexample that nothing allows.
func (s *spread) violates(ctx context.Context, a *app, r pieces.Result) (bool, error) {
	if s.Job.What != pieces.Check {
		return slices.ContainsFunc(slices.Collect(maps.Values(r.Answers)), func(a cache.Answer) bool { return len(a.Found) > 0 }), nil
	}
	done, err := pieces.Some(r.Piece, []pieces.Result{r})
	if err != nil {
		return false, err
	}
	all, err := a.tryAll(ctx, s.suite, checkFlags{done: done}, nil)
	return worstOf(all, anyFound) != nil, err
}

// queueProgress shows how far the workers are, and says once what keeps them: a narrow
// terminal has no room for both. packages are those whose tests a version needs, "" for none.
func (a *app) queueProgress(packages map[string]string) func(queue.Progress) {
	told := ""
	return func(p queue.Progress) {
		keeps := lang.Join(", ", whatKeeps(p, packages)...)
		if text := a.in(keeps); text != told {
			if told = text; text != "" {
				a.eraseProgress()
				a.complain(lang.Errorf("--queue: %v", keeps))
			}
		}
		parts := []any{lang.New("queue: %d of %d parts, %v", p.Done, p.Of, lang.Count(p.Workers, "%d worker", "%d workers"))}
		if p.Done > 0 && p.Done < p.Of {
			left := time.Duration(float64(p.Took) * float64(p.Of-p.Done) / float64(p.Done))
			parts = append(parts, lang.New("%.3g a second", float64(p.Done)/p.Took.Seconds()), lang.New("about %v left", left.Round(time.Second)))
		}
		a.progressLine(lang.New("%v", lang.Join(", ", parts...)))
	}
}

// whatKeeps lists what keeps the workers of a queue from their work.
func whatKeeps(p queue.Progress, packages map[string]string) (parts []any) {
	if p.Trouble != nil { // what is known of the workers is old
		return []any{lang.New("Redis: %v", p.Trouble)}
	}
	var lacking []string
	for _, version := range p.Lacking {
		if packages[version] == "" {
			parts = append(parts, lang.New("there is no worker: start lockstep worker with the same --queue"))
			continue
		}
		lacking = append(lacking, packages[version])
	}
	others := lang.New("of another version: %s", lang.Few(p.Others, few))
	if slices.ContainsFunc(slices.Collect(maps.Values(packages)), func(name string) bool { return name != "" }) {
		others = lang.New("of another version, or without these packages: %s", lang.Few(p.Others, few))
	}
	if len(lacking) > 0 {
		parts = append(parts, lang.New("no worker has %s as it is here: start lockstep worker with the same --queue and --with", lang.Few(slices.Compact(lacking), few)))
	}
	if len(p.Others) > 0 {
		parts = append(parts, others)
	}
	return parts
}

// few is how many names are shown, of which there may be a thousand.
const few = 10
