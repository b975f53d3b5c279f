package cli

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"lockstep/internal/cache"
	"lockstep/internal/lang"
	"lockstep/internal/pieces"
	"lockstep/internal/queue"
	"lockstep/sim/live"
)

// This file has the parts of a job done by workers, over a queue in Redis.

type queueFlags struct{ queue, passwordFile string }

// queueSays is what commands say of --queue.
const queueSays = "have workers do the work, over the queue in the Redis at `URL`, as redis://user@host:6379/1, or rediss:// for TLS"

func takesQueue(cmd *cobra.Command, f *queueFlags, says string) {
	do := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := exclude(cmd, "queue", "part"); err != nil {
			return err
		}
		return do(cmd, args)
	}
	cmd.Flags().StringVar(&f.queue, "queue", "", says)
	cmd.Flags().StringVar(&f.passwordFile, passwordFlag, "", "read the password of the Redis from `FILE`")
}

// open opens the queue of a version.
func (f *queueFlags) open(cmd *cobra.Command, version string) (*queue.Queue, error) {
	ctx, password := cmd.Context(), os.Getenv(passwordVariable)
	switch given, err := queue.HasPassword(f.queue); {
	case err != nil:
		return nil, usage(cmd, "--queue: %w", err)
	case given && f.passwordFile != "":
		return nil, usage(cmd, "--%s: the address in --queue has a password already", passwordFlag)
	case given:
		password = ""
	case f.passwordFile != "":
		if password, err = await(ctx, func() (string, error) { return live.ReadPassword(f.passwordFile) }); err != nil {
			return nil, usage(cmd, "--%s: %w", passwordFlag, err)
		}
	}
	q, err := await(ctx, func() (*queue.Queue, error) { return queue.Open(ctx, f.queue, password, shortOf(version)) })
	if err != nil {
		return nil, lang.Errorf("--queue: %w", err)
	}
	return q, nil
}

// shortOf is the part of a version that names its queue.
func shortOf(version string) string { return version[:min(len(version), 24)] }

func (a *app) workerCommand() *cobra.Command {
	var f queueFlags
	jobs := count{runtime.GOMAXPROCS(0), 1, 1024}
	memory := memoryFlag()
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Do parts of the searches that a queue has",
		Long: `Worker does parts of hunts, matrices and checks that were begun with the same
--queue, until it is interrupted; another worker gets what it was at then. It runs
nothing but Lockstep's own code, and with --with the locks of that package. It takes
only work of the very same version of both.`,
		Example: `  lockstep worker --queue redis://user@queue.example:6379/1
  lockstep worker --queue rediss://queue.example:6380 --with ./mylock --jobs 8`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.worker(cmd, f, jobs.value, memory) },
	}
	takesQueue(cmd, &f, "take work from the queue in the Redis at `URL`, as redis://user@host:6379/1, or rediss:// for TLS")
	cmd.Flags().Var(&jobs, "jobs", "do `N` parts at a time")
	cmd.Flags().Var(&memory, "memory", "let all searches together take `SIZE` of memory, as 512MiB")
	a.takesGuests(cmd)
	return cmd
}

func (a *app) worker(cmd *cobra.Command, f queueFlags, jobs int, memory size) error {
	if f.queue == "" {
		return usage(cmd, "--queue is missing")
	}
	var locks []string
	if a.suite != nil {
		for _, l := range a.suite.Locks {
			locks = append(locks, l.ID)
		}
	}
	version, err := a.versionOf(locks)
	if err != nil {
		return err
	}
	q, err := f.open(cmd, version)
	if err != nil {
		return err
	}
	defer q.Close()
	defer limitMemory(memory)()
	done, began := 0, time.Now()
	host, _ := os.Hostname()
	w := queue.Worker{
		Name: fmt.Sprintf("%s:%d:%s", host, os.Getpid(), rand.Text()[:6]), Jobs: jobs,
		Done: func(time.Duration) {
			done++
			a.progressLine(lang.New("worker: %d parts in %v", done, time.Since(began).Round(time.Second)))
		},
		Tell: func(said string) {
			a.progressLine(lang.New("worker: %s", said))
		},
	}
	m := pieces.Machine{Jobs: 1, Memory: int(memory) / max(1, jobs)}
	if a.suite != nil {
		m.Try = func(ctx context.Context, lock, hazard string) (json.RawMessage, error) {
			l := a.suite.Find(lock)
			if l == nil {
				return nil, lang.Errorf("%s is not among the locks of the package", lock)
			}
			return a.tryCell(ctx, l, hazard)
		}
	}
	w.Run = func(ctx context.Context, payload []byte) ([]byte, error) { return runPiece(ctx, payload, version, m) }
	a.say("%s takes parts of version %s from %s", w.Name, shortOf(version), q)
	if err := a.out.Flush(); err != nil {
		return err
	}
	err = q.Work(cmd.Context(), w)
	a.eraseProgress()
	a.say("%d parts in %v", done, time.Since(began).Round(time.Second))
	if err != nil {
		return unexpected(lang.Errorf("worker: %w", err))
	}
	return nil
}

// runPiece answers a job of the queue: nothing in it is code.
func runPiece(ctx context.Context, payload []byte, version string, m pieces.Machine) ([]byte, error) {
	var p pieces.Piece
	if err := json.Unmarshal(payload, &p); err != nil {
		return nil, lang.Errorf("it is no part: %w", err)
	}
	if p.Version != version {
		return nil, lang.Errorf("it is of version %s, and this is %s", shortOf(p.Version), shortOf(version))
	}
	r, err := pieces.Run(ctx, p, m)
	if err != nil {
		return nil, err
	}
	return r.Encode()
}

// runQueued has a job done in so many parts by workers, and puts the results together.
func (a *app) runQueued(cmd *cobra.Command, f queueFlags, job pieces.Job, of int, m pieces.Machine) (*pieces.Whole, error) {
	if a.suite != nil {
		job.Package = a.suite.Path
	}
	version, err := a.versionOf(job.Locks)
	if err != nil {
		return nil, err
	}
	q, err := f.open(cmd, version)
	if err != nil {
		return nil, err
	}
	defer q.Close()
	jobs, run, err := queueJobs(job, version, of)
	if err != nil {
		return nil, unexpected(err)
	}
	ctx := cmd.Context()
	var mu sync.Mutex
	results := map[string]pieces.Source{}
	o := queue.Options{
		Answered: func(j queue.Job, answer []byte) (bool, error) {
			r, err := pieces.Decode(answer)
			if err == nil && !reflect.DeepEqual(r.Piece, pieceOf(job, version, j.ID, of)) {
				err = lang.Errorf("it is the answer to %v", r.Name())
			}
			if err == nil {
				err = r.Verify(ctx, playChecked)
			}
			if err != nil {
				return false, err
			}
			mu.Lock()
			defer mu.Unlock()
			results[j.ID] = pieces.Source{Name: "part " + j.ID, Result: r}
			return false, nil
		},
		Again: func(ctx context.Context, j queue.Job) (bool, error) {
			r, err := pieces.Run(ctx, pieceOf(job, version, j.ID, of), m)
			if err != nil {
				return false, err
			}
			if text, err := r.Encode(); err != nil || queue.Fits(text) != nil {
				return false, errors.Join(err, queue.Fits(text))
			}
			mu.Lock()
			defer mu.Unlock()
			got := results[j.ID].Result
			return r.Sum == got.Sum || r.Limited() || got.Limited(), nil
		},
		Progress: a.queueProgress(),
	}
	p, err := q.Do(ctx, run, jobs, o)
	a.eraseProgress()
	for _, liar := range slices.Sorted(maps.Keys(p.Liars)) {
		a.complain(lang.Errorf("worker %s is not believed: %s", liar, p.Liars[liar]))
	}
	switch {
	case ctx.Err() != nil:
		return nil, interrupted(string(job.What), p.Done, p.Of)
	case err != nil:
		return nil, unexpected(lang.Errorf("--queue: %w", err))
	}
	sources := slices.Collect(maps.Values(results))
	slices.SortFunc(sources, func(a, b pieces.Source) int { return a.Part - b.Part })
	return pieces.Merge(version, sources)
}

// pieceOf is the piece that a job of the queue is.
func pieceOf(job pieces.Job, version, id string, of int) pieces.Piece {
	part, _ := strconv.Atoi(id) // queueJobs has made it
	return pieces.Piece{Schema: pieces.Schema, Version: version, Job: job, Part: part, Of: of}
}

// queueJobs are the parts as jobs of the queue, and the name of the run: the same job has
// the same one, so that a later call finds what was done.
func queueJobs(job pieces.Job, version string, of int) (jobs []queue.Job, run string, err error) {
	for part := range of {
		id := strconv.Itoa(part + 1)
		text, err := json.Marshal(pieceOf(job, version, id, of))
		if err != nil {
			return nil, "", err
		}
		jobs = append(jobs, queue.Job{ID: id, Payload: text})
	}
	text, err := json.Marshal(job)
	return jobs, shortOf(cache.KeyOf("queue", version, string(text), strconv.Itoa(of)).String()), err
}

// queueProgress shows how far the workers are. Where there is no terminal, it says once what
// keeps them.
func (a *app) queueProgress() func(queue.Progress) {
	told := ""
	return func(p queue.Progress) {
		keeps := lang.Join(", ", whatKeeps(p)...)
		if text := a.in(keeps); !isTerminal(a.stderr) && text != told {
			if told = text; text != "" {
				a.complain(lang.Errorf("--queue: %v", keeps))
			}
		}
		parts := []any{lang.New("queue: %d of %d parts, %v", p.Done, p.Of, lang.Count(p.Workers, "%d worker", "%d workers"))}
		if p.Done > 0 && p.Done < p.Of {
			left := time.Duration(float64(p.Took) * float64(p.Of-p.Done) / float64(p.Done))
			parts = append(parts, lang.New("%.3g a second", float64(p.Done)/p.Took.Seconds()), lang.New("about %v left", left.Round(time.Second)))
		}
		a.progressLine(lang.New("%v", lang.Join(", ", append(parts, whatKeeps(p)...)...)))
	}
}

// whatKeeps lists what keeps the workers of a queue from their work.
func whatKeeps(p queue.Progress) (parts []any) {
	if p.Done == 0 && p.Took > 3*time.Second {
		parts = append(parts, lang.New("no worker has answered: start lockstep worker with the same --queue"))
	}
	if len(p.Others) > 0 {
		parts = append(parts, lang.New("of another version: %s", strings.Join(p.Others, ", ")))
	}
	if len(p.Liars) > 0 {
		parts = append(parts, lang.New("not believed: %s", strings.Join(slices.Sorted(maps.Keys(p.Liars)), ", ")))
	}
	if p.Trouble != nil {
		parts = append(parts, lang.New("Redis: %v", p.Trouble))
	}
	return parts
}

// A part of a hunt is to take so long on one core of this machine; it has no fewer runs,
// since each part first measures the world.
const (
	partTime  = 6 * time.Second
	leastRuns = 2_000
)

// huntParts measures how many parts a hunt has.
func (a *app) huntParts(ctx context.Context, job pieces.Job, m pieces.Machine) (int, error) {
	sample, hunt := job, *job.Hunt
	hunt.Runs, hunt.Prove = min(hunt.Runs, leastRuns), 0
	sample.Hunt = &hunt
	version, err := a.versionOf(job.Locks)
	if err != nil {
		return 0, err
	}
	m.Jobs = 1
	began := time.Now()
	if _, err := pieces.Run(ctx, pieceOf(sample, version, "1", 1), m); err != nil {
		return 0, err
	}
	each := float64(time.Since(began)) / float64(hunt.Runs)
	runs := max(leastRuns, int(float64(partTime)/each))
	// Rounded to powers of two, so that a later call finds what was done though this
	// measurement differs.
	parts := math.Exp2(math.Round(math.Log2(float64(job.Hunt.Runs) / float64(runs))))
	return min(max(1, int(parts)), pieces.MostParts, job.Hunt.Runs), nil
}
