package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hibiken/asynq"

	"lockstep/internal/lang"
)

// Options say what to do with answers.
type Options struct {
	// Answered is called with the answer to each job. An error refuses it and ends the run;
	// stop ends the run as well.
	Answered func(job Job, answer []byte) (stop bool, err error)
	// Progress is called about once a second.
	Progress func(Progress)
}

// Progress is how far a run is.
type Progress struct {
	Done, Of int
	Workers  int           // that can do jobs of these versions
	Took     time.Duration // since Do began
	Trouble  error         // with Redis, if there is any now
	// Others are the workers that can do no job of these versions, by host and process.
	Others []string
	// Lacking are the versions with jobs to be done for which there is no worker.
	Lacking []string
}

const (
	window   = 512                   // jobs in the queue at a time
	few      = 64                    // answers that are read at a time
	beat     = time.Second           // between looks at the queue
	readTime = 50 * time.Millisecond // between looks for answers
	maxTime  = 24 * time.Hour        // of one job, in asynq's eyes
	maxTries = 1000                  // the same
)

// Do has jobs answered by workers and returns when all are, or Answered ends it, or ctx
// ends. Then no job is left in the queue but those that workers have begun; if Redis does
// not answer, q is of no more use. Answers that are there already count.
func (q *Queue) Do(ctx context.Context, jobs []Job, o Options) (Progress, error) {
	d := &doing{
		Queue: q, Options: o, client: asynq.NewClientFromRedisClient(q.redis), inspector: asynq.NewInspectorFromRedisClient(q.redis), began: time.Now(),
		versions: map[string]bool{}, progress: Progress{Of: len(jobs)},
	}
	for _, j := range jobs {
		d.left = append(d.left, &jobState{Job: j})
		d.versions[j.Version] = true
	}
	err := d.loop(ctx)
	if d.progress.Trouble != nil {
		q.giveUp()
	}
	d.cancelRest()
	return d.progress, err
}

// A jobState is a job without an answer.
type jobState struct {
	Job
	sent bool
}

// A doing is one call of Do.
type doing struct {
	*Queue
	Options
	left      []*jobState     // in order
	versions  map[string]bool // of all jobs
	client    *asynq.Client
	inspector *asynq.Inspector
	began     time.Time
	progress  Progress
	over      bool  // nothing else is to be done
	refused   error // why an answer ended the run
}

func (d *doing) loop(ctx context.Context) error {
	var looked time.Time
	for {
		err := d.collect(ctx)
		if err == nil {
			err = d.send(ctx)
		}
		d.over = d.over || len(d.left) == 0
		due := time.Since(looked) >= beat
		if due && err == nil && !d.over {
			err, looked = d.look(ctx), time.Now()
		}
		if (due || d.over || err != nil) && !errors.Is(err, context.Canceled) {
			d.progress.Trouble, d.progress.Took = d.explain(err), time.Since(d.began)
			d.Progress(d.progress)
		}
		if d.over {
			return d.refused
		}
		if !pause(ctx, readTime) {
			return ctx.Err()
		}
	}
}

// open are the jobs that may be in the queue.
func (d *doing) open() []*jobState { return d.left[:min(len(d.left), window)] }

// collect takes the answers that are there.
func (d *doing) collect(ctx context.Context) error {
	for jobs := range slices.Chunk(slices.Clone(d.open()), few) {
		var keys []string
		for _, j := range jobs {
			keys = append(keys, keyOf(j.ID))
		}
		values, err := d.redis.MGet(ctx, keys...).Result()
		if err != nil {
			return err
		}
		for i, value := range values {
			text, there := value.(string)
			if !there || d.over {
				continue
			}
			stop, err := d.take(jobs[i].Job, text)
			if err != nil { // a later call does the job anew
				d.over, d.refused = true, err
				return d.redis.Del(ctx, keys[i]).Err()
			}
			d.over = d.over || stop
			d.progress.Done++
			d.left = slices.DeleteFunc(d.left, func(j *jobState) bool { return j == jobs[i] })
		}
	}
	return nil
}

// take takes an answer. An error refuses it.
func (d *doing) take(j Job, text string) (stop bool, err error) {
	var a answer
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return false, lang.Errorf("the answer to %s is not the answer of a worker: %w", j.ID, err)
	}
	if a.Trouble != "" {
		return false, lang.Errorf("worker %s cannot do %s: %s", a.Worker, j.ID, a.Trouble)
	}
	if stop, err = d.Answered(j, a.Answer); err != nil {
		return false, lang.Errorf("the answer of worker %s to %s is refused: %w", a.Worker, j.ID, err)
	}
	return stop, nil
}

// send puts jobs into the queue. Under an ID that the queue knows a job is there already.
func (d *doing) send(ctx context.Context) error {
	for _, j := range d.open() {
		if j.sent || d.over {
			continue
		}
		task := asynq.NewTask(kind, j.Payload)
		_, err := d.client.EnqueueContext(ctx, task, asynq.TaskID(j.ID), asynq.Queue(queueOf(j.Version)), asynq.Timeout(maxTime), asynq.MaxRetry(maxTries))
		if err != nil && !errors.Is(err, asynq.ErrTaskIDConflict) {
			return err
		}
		j.sent = true
	}
	return nil
}

// look asks whether Redis can keep jobs, who works, and which jobs Redis has lost.
func (d *doing) look(ctx context.Context) error {
	if err := cmp.Or(d.able(ctx), d.lookAtWorkers()); err != nil {
		return err
	}
	for _, j := range d.open() {
		_, err := d.inspector.GetTaskInfo(queueOf(j.Version), j.ID)
		if !errors.Is(err, asynq.ErrTaskNotFound) && !errors.Is(err, asynq.ErrQueueNotFound) {
			if err != nil {
				return err
			}
			continue
		}
		there, err := d.redis.Exists(ctx, keyOf(j.ID)).Result()
		if err != nil {
			return err
		}
		if j.sent = there > 0; !j.sent {
			d.client = asynq.NewClientFromRedisClient(d.redis) // the old one would not make the queue known again
		}
	}
	return nil
}

// lookAtWorkers notes who can do the jobs, who cannot, and for which there is nobody.
func (d *doing) lookAtWorkers() error {
	servers, err := d.inspector.Servers()
	if err != nil {
		return err
	}
	served := map[string]bool{}
	p := &d.progress
	p.Workers, p.Others, p.Lacking = 0, nil, nil
	for _, s := range servers {
		known, useful := false, false
		for name := range s.Queues {
			version, ours := strings.CutPrefix(name, prefix)
			served[version] = true
			known, useful = known || ours, useful || ours && d.versions[version]
		}
		switch {
		case useful:
			p.Workers++
		case known:
			p.Others = append(p.Others, fmt.Sprintf("%s:%d", s.Host, s.PID))
		}
	}
	slices.Sort(p.Others)
	for _, j := range d.left {
		if !served[j.Version] && !slices.Contains(p.Lacking, j.Version) {
			p.Lacking = append(p.Lacking, j.Version)
		}
	}
	return nil
}

// cancelRest takes what nobody has begun out of the queue, until Redis has done nothing of it
// for too long.
func (d *doing) cancelRest() {
	did := time.Now()
	for _, j := range d.open() {
		if !j.sent || time.Since(did) >= patience {
			continue
		}
		if d.inspector.DeleteTask(queueOf(j.Version), j.ID) == nil { // one that somebody has begun stays
			did = time.Now()
		}
	}
}
