package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"lockstep/internal/lang"
)

// Options say what to do with answers.
type Options struct {
	// Answered is called with the first answer to each job and how long its worker says that
	// it took, one at a time, and again with another one where the worker of the first is
	// not believed any more. An error says that the answer is false. stop ends the run.
	Answered func(job Job, answer []byte, took time.Duration) (stop bool, err error)
	// Same reports whether an answer to a job comes to the one that Answered was called with
	// last. It is not called beside Answered.
	Same func(job Job, answer []byte) bool
	// Run computes a job here, beside all else. An error is one of the job: it ends the run.
	Run func(ctx context.Context, job Job) (answer []byte, err error)
	// Progress is called about once a second.
	Progress func(Progress)
}

// Progress is how far a run is.
type Progress struct {
	Done, Of int
	Workers  int           // that have answered
	Checked  int           // answers that were computed again
	Took     time.Duration // since Do began
	Trouble  error         // with Redis, if there is any now
	// Others are the workers that can do no job of these versions, by host and process.
	Others []string
	// Lacking are the versions with jobs to be done for which there is no worker.
	Lacking []string
	// Liars are the workers that are not believed, and why.
	Liars map[string]string
}

// Bounds of a run.
const (
	window   = 512              // jobs in the queue at a time
	beat     = time.Second      // between looks at the queue
	readTime = pauseTime / 4    // between looks for answers; to wait for one could not be ended
	least    = 15 * time.Second // before a job is sent again
	maxTries = 100              // of one job
	sample   = 20               // one answer in so many is computed again, picked at random
	backlog  = 8                // answers that wait to be computed again here
	asked    = 4                // how often a job is sent at most until another worker takes it
	maxTime  = 10 * time.Minute // of one job, in asynq's eyes
)

// Do has jobs answered by workers and returns when all are, or Answered stops it, or ctx
// ends. Then none is left in the queue; if Redis does not answer, q is of no more use. Answers
// of an earlier call with the same runs count: they are kept for a day after the last one.
func (q *Queue) Do(ctx context.Context, jobs []Job, o Options) (Progress, error) {
	for _, j := range jobs {
		if len(j.Payload) > maxPayload || len(j.ID) > maxName {
			return Progress{}, lang.Errorf("job %.40s: its payload has %d bytes, at most %d fit; its name at most %d", j.ID, len(j.Payload), maxPayload, maxName)
		}
	}
	d := &doing{
		Queue: q, Options: o, jobs: map[string]*jobState{}, liars: map[string]string{}, vouched: map[string]string{}, last: map[string]string{},
		client: asynq.NewClientFromRedisClient(q.redis), inspector: asynq.NewInspectorFromRedisClient(q.redis), began: time.Now(),
	}
	for _, j := range jobs {
		if d.jobs[j.name()] == nil {
			d.order = append(d.order, j.name())
			d.last[j.Run] = "0"
		}
		d.jobs[j.name()] = &jobState{Job: j}
		if !slices.Contains(d.versions, j.Version) {
			d.versions = append(d.versions, j.Version)
		}
	}
	within, cancel := context.WithCancel(ctx)
	err := d.loop(within)
	cancel()
	if d.trouble != nil {
		q.giveUp()
	}
	d.cancelRest(context.WithoutCancel(ctx))
	d.helpers.Wait()
	return d.progress(), cmp.Or(err, ctx.Err())
}

// A jobState is what is known of a job.
type jobState struct {
	Job
	tries  int       // how often it was sent
	sent   time.Time // the last time
	worker string    // whose answer counts; "" for none yet
	doubt  bool      // the answer is to be computed again
}

// A doing is one call of Do.
type doing struct {
	*Queue
	Options
	versions  []string
	jobs      map[string]*jobState // by name
	order     []string
	last      map[string]string // the last answer that was read of each run
	client    *asynq.Client
	inspector *asynq.Inspector
	began     time.Time

	done    int
	out     int // jobs that were sent and not answered
	next    int // in order: all before were sent
	longest time.Duration
	trouble error // with Redis, to which no command is sent until the next beat
	others  []string
	lacking []string
	liars   map[string]string
	// vouched has the same text for workers that gave the same answer to a job, or that
	// others connect in this way: "" for those that did so with what was computed here.
	vouched  map[string]string
	checked  int         // answers that were computed again
	doubts   []*jobState // whose answers are to be computed again
	checking bool        // something is computed here
	claims   []verdict   // that can only be judged here
	helpers  sync.WaitGroup
	stopped  bool
}

// An arrival is an answer, as a worker sent it.
type arrival struct {
	run, job, worker, trouble string
	took                      time.Duration
	answer                    []byte
}

// A verdict is what was computed here, of a job that a worker has answered.
type verdict struct {
	of      *jobState
	worker  string
	trouble string // what the worker said instead of an answer; "" if it gave one
	rival   string // a worker whose answer was another one; "" if there is none
	answer  []byte
	err     error
}

func (d *doing) loop(ctx context.Context) error {
	if err := d.catchUp(ctx); err != nil {
		return err
	}
	arrivals, verdicts, troubles := make(chan arrival), make(chan verdict), make(chan error)
	d.helpers.Go(func() { d.read(ctx, arrivals) })
	d.helpers.Go(func() { d.watch(ctx, troubles) })
	d.send(ctx)
	for !d.stopped && !d.finished() {
		d.check(ctx, verdicts)
		select {
		case a := <-arrivals:
			if err := d.arrived(ctx, a); err != nil {
				return err
			}
			d.send(ctx)
		case v := <-verdicts:
			d.checking = false
			if err := d.judged(ctx, v); err != nil {
				return err
			}
		case d.trouble = <-troubles:
			if d.trouble == nil {
				if err := d.look(ctx); err != nil {
					return err
				}
				d.send(ctx)
			}
			d.Progress(d.progress())
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	d.Progress(d.progress())
	return nil
}

// finished reports whether all jobs are answered, by workers of which none could be wrong
// alone.
func (d *doing) finished() bool { return d.done == len(d.order) && d.unvouched() == nil }

// unvouched is a job whose worker nobody vouches for, if all are answered.
func (d *doing) unvouched() *jobState {
	for _, s := range d.jobs {
		if d.vouched[s.worker] != "" {
			return s
		}
	}
	return nil
}

// few is how many answers are read at a time.
const few = 16

// catchUp takes the answers that are there already.
func (d *doing) catchUp(ctx context.Context) error {
	for run := range d.last {
		for !d.stopped {
			there, err := d.redis.XRangeN(ctx, answers(run), "("+d.last[run], "+", few).Result()
			if err != nil {
				return err
			}
			if len(there) == 0 {
				break
			}
			for _, m := range there {
				if d.last[run] = m.ID; !d.stopped {
					if err := d.arrived(ctx, arrivalOf(run, m)); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// read passes the answers after the last ones on.
func (d *doing) read(ctx context.Context, to chan<- arrival) {
	last := maps.Clone(d.last)
	for ctx.Err() == nil {
		var keys, after []string
		for run, id := range last {
			keys, after = append(keys, answers(run)), append(after, id)
		}
		streams, err := d.redis.XRead(ctx, &redis.XReadArgs{Streams: append(keys, after...), Count: few, Block: -1}).Result()
		if err != nil { // there is no more yet
			pause(ctx, readTime)
			continue
		}
		for _, stream := range streams {
			run := runOf(stream.Stream)
			for _, m := range stream.Messages {
				last[run] = m.ID
				select {
				case to <- arrivalOf(run, m):
				case <-ctx.Done():
					return
				}
			}
		}
	}
}

func arrivalOf(run string, m redis.XMessage) arrival {
	text := func(name string) string { s, _ := m.Values[name].(string); return s }
	return arrival{run, text("job"), text("worker"), text("trouble"), tookOf(text("ms")), []byte(text("answer"))}
}

// tookOf is the time that a worker says a job took, within reason.
func tookOf(text string) time.Duration {
	ms, err := strconv.Atoi(text)
	if err != nil || ms < 0 {
		return 0
	}
	return min(time.Duration(ms)*time.Millisecond, time.Minute)
}

// arrived takes an answer, unless its worker is not believed. Another answer than the
// first is compared with it.
func (d *doing) arrived(ctx context.Context, a arrival) error {
	s := d.jobs[a.run+"/"+a.job]
	if s == nil || a.worker == "" || len(a.worker) > maxName || len(a.answer) > maxAnswer {
		return nil
	}
	switch {
	case s.worker != "":
		d.compare(s, a)
		return nil
	case d.liars[a.worker] != "":
		s.sent = time.Time{} // so it is sent again
		return nil
	case a.trouble != "":
		d.claims = append(d.claims, verdict{of: s, worker: a.worker, trouble: a.trouble})
		return nil
	}
	stop, err := d.Answered(s.Job, a.answer, a.took)
	if err != nil {
		d.disbelieve(ctx, a.worker, lang.New("its answer to job %s is false: %v", s.ID, err))
		return nil
	}
	s.worker = a.worker
	d.done++
	d.longest = max(d.longest, a.took)
	if s.tries > 0 {
		d.out--
	}
	if d.meet(a.worker) || rand.IntN(sample) == 0 {
		s.doubt, d.doubts = true, append(d.doubts, s)
	}
	d.stopped = d.stopped || stop
	return nil
}

// meet reports whether a worker was not known.
func (d *doing) meet(worker string) bool {
	_, known := d.vouched[worker]
	if !known {
		d.vouched[worker] = worker
	}
	return !known
}

// compare takes one more answer to a job.
func (d *doing) compare(s *jobState, a arrival) {
	switch {
	case d.liars[a.worker] != "" || a.trouble != "":
	case a.worker == s.worker: // it does not vouch for itself
		if s.doubt {
			d.doubts = append(d.doubts, s)
		}
	case d.Same(s.Job, a.answer):
		s.doubt = false
		d.meet(a.worker)
		d.agree(d.vouched[a.worker], d.vouched[s.worker])
	default:
		d.claims = append(d.claims, verdict{of: s, worker: s.worker, rival: a.worker})
	}
}

// agree connects two groups of workers.
func (d *doing) agree(a, b string) {
	d.checked++
	for worker, group := range d.vouched {
		if group == max(a, b) {
			d.vouched[worker] = min(a, b)
		}
	}
}

// check has answers computed again: here, one at a time; what would have to wait for long,
// and what workers have time for at the end, by any worker, until it is another one.
func (d *doing) check(ctx context.Context, to chan<- verdict) {
	if len(d.claims) > 0 && !d.checking {
		d.again(ctx, d.claims[0], to)
		d.claims = d.claims[1:]
	}
	idle := d.done+len(d.vouched) > len(d.order) // some of the workers
	doubts := d.doubts
	d.doubts = nil
	for _, s := range doubts {
		switch {
		case !s.doubt: // it was, or its worker is not believed any more
		case !d.checking:
			d.again(ctx, verdict{of: s, worker: s.worker}, to)
		case len(d.vouched) > 1 && s.tries < asked && d.trouble == nil && (idle || len(d.doubts) >= backlog):
			d.enqueue(ctx, s)
		default:
			d.doubts = append(d.doubts, s)
		}
	}
	if !d.checking && d.done == len(d.order) {
		if s := d.unvouched(); s != nil {
			d.again(ctx, verdict{of: s, worker: s.worker}, to)
		}
	}
}

// again computes a job here.
func (d *doing) again(ctx context.Context, v verdict, to chan<- verdict) {
	d.checking = true
	d.helpers.Go(func() {
		v.err = guarded(func() (err error) { v.answer, err = d.Run(ctx, v.of.Job); return err })
		select {
		case to <- v:
		case <-ctx.Done():
		}
	})
}

// judged takes what was computed here.
func (d *doing) judged(ctx context.Context, v verdict) error {
	switch {
	case v.err != nil:
		return lang.Errorf("job %s, computed again here: %w", v.of.ID, v.err)
	case v.trouble != "":
		d.disbelieve(ctx, v.worker, lang.New("it says that job %s cannot be done, which can: %s", v.of.ID, v.trouble))
		v.of.sent = time.Time{} // so it is sent again
		return nil
	case v.of.worker != v.worker:
		return nil // it is not believed any more
	}
	wrong := v.rival
	if d.Same(v.of.Job, v.answer) {
		v.of.doubt = false
		d.agree(d.vouched[v.worker], "")
	} else {
		wrong = v.worker
	}
	if wrong != "" {
		d.disbelieve(ctx, wrong, lang.New("its answer to job %s is not what comes of it here", v.of.ID))
	}
	return nil
}

// disbelieve forgets all that a worker has answered and whom it vouched for, and tells it.
func (d *doing) disbelieve(ctx context.Context, worker string, why lang.Message) {
	d.liars[worker] = why.String()
	d.claims = slices.DeleteFunc(d.claims, func(v verdict) bool {
		if v.worker == worker && v.trouble != "" {
			v.of.sent = time.Time{} // so it is sent again
		}
		return v.worker == worker || v.rival == worker
	})
	_, d.trouble = d.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for run := range d.last {
			p.SAdd(ctx, disbelieved(run), worker)
			p.Expire(ctx, disbelieved(run), kept)
		}
		return nil
	})
	group := d.vouched[worker]
	delete(d.vouched, worker)
	for other, of := range d.vouched {
		if of == group {
			d.vouched[other] = other
		}
	}
	for _, s := range d.jobs {
		if s.worker == worker {
			s.worker, s.sent, s.doubt = "", time.Time{}, false
			d.done--
			if s.tries > 0 {
				d.out++
			}
		}
	}
}

// send puts jobs into the queue: those that were never sent, as far as the window goes.
func (d *doing) send(ctx context.Context) {
	for d.next < len(d.order) && d.out < window && d.trouble == nil {
		if s := d.jobs[d.order[d.next]]; s.worker == "" {
			d.enqueue(ctx, s)
		}
		if d.trouble == nil {
			d.next++
		}
	}
}

// enqueue sends a job. Under a name that the queue knows already it is there.
func (d *doing) enqueue(ctx context.Context, s *jobState) {
	payload, err := json.Marshal(s.Job)
	if err == nil {
		_, err = d.client.EnqueueContext(ctx, asynq.NewTask(kind, payload), asynq.TaskID(s.task(s.tries)), asynq.Queue(queueOf(s.Version)), asynq.Timeout(maxTime))
	}
	if err != nil && !errors.Is(err, asynq.ErrTaskIDConflict) {
		d.trouble = err
		return
	}
	if s.tries++; s.tries == 1 {
		d.out++
	}
	s.sent = time.Now()
}

// task is the name of a job in the queue.
func (s *jobState) task(try int) string { return fmt.Sprintf("%s/%d", s.name(), try) }

// look asks what is in the queues. If nothing waits in one, and a job of it was not
// answered for three times as long as the longest takes, its worker is taken for lost.
func (d *doing) look(ctx context.Context) error {
	left := map[string]bool{} // versions with jobs to be done
	for _, id := range d.order {
		if s := d.jobs[id]; s.worker == "" {
			left[s.Version] = true
		}
	}
	waiting, unknown := map[string]bool{}, map[string]bool{}
	for version := range left {
		info, err := d.inspector.GetQueueInfo(queueOf(version))
		if err != nil && strings.HasPrefix(err.Error(), "NOT_FOUND") { // nothing was sent yet, or Redis has lost it
			unknown[version] = true
			d.client = asynq.NewClientFromRedisClient(d.redis) // the old one would not make the queue known again
			continue
		}
		if d.trouble = err; err != nil {
			return nil
		}
		waiting[version] = info.Pending > 0
	}
	if d.trouble = d.lookAtWorkers(left); d.trouble != nil {
		return nil
	}
	late := time.Now().Add(-max(least, 3*d.longest))
	for _, id := range d.order[:d.next] {
		s := d.jobs[id]
		if d.trouble != nil || s.worker != "" || !unknown[s.Version] && !s.sent.IsZero() && (waiting[s.Version] || s.sent.After(late)) {
			continue
		}
		if s.tries >= maxTries {
			return lang.Errorf("job %s was sent %d times and never answered", s.ID, s.tries)
		}
		d.enqueue(ctx, s)
	}
	return nil
}

// lookAtWorkers lists the workers that can do no job here, and the versions that no worker
// has, of those with jobs left.
func (d *doing) lookAtWorkers(left map[string]bool) error {
	servers, err := d.inspector.Servers()
	if err != nil {
		return err
	}
	d.others, d.lacking = nil, nil
	served := map[string]bool{}
	for _, s := range servers {
		known, useful := false, false
		for name := range s.Queues {
			version, ours := strings.CutPrefix(name, prefix)
			served[version] = true
			known, useful = known || ours, useful || ours && slices.Contains(d.versions, version)
		}
		if known && !useful {
			d.others = append(d.others, fmt.Sprintf("%s:%d", s.Host, s.PID))
		}
	}
	slices.Sort(d.others)
	for _, v := range d.versions {
		if left[v] && !served[v] {
			d.lacking = append(d.lacking, v)
		}
	}
	return nil
}

// cancelRest takes what is not answered out of the queue. What a worker is at ends soon,
// or is answered in vain.
func (d *doing) cancelRest(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for again := range 2 {
		type task struct{ queue, id string }
		var active []task
		for _, id := range d.order[:d.next] {
			s := d.jobs[id]
			for try := range s.tries {
				if s.worker == "" || try > 0 {
					active = append(active, task{queueOf(s.Version), s.task(try)})
				}
			}
		}
		active = slices.DeleteFunc(active, func(t task) bool {
			return ctx.Err() != nil || d.inspector.DeleteTask(t.queue, t.id) == nil
		})
		if again > 0 || len(active) == 0 {
			return
		}
		for _, t := range active {
			if ctx.Err() == nil {
				_ = d.inspector.CancelProcessing(t.id)
			}
		}
		time.Sleep(pauseTime) // until they have heard it, and the queue has them back
	}
}

func (d *doing) progress() Progress {
	p := Progress{Done: d.done, Of: len(d.order), Took: time.Since(d.began), Trouble: d.explain(d.trouble), Others: d.others, Lacking: d.lacking, Checked: d.checked, Liars: maps.Clone(d.liars)}
	workers := map[string]bool{}
	for _, s := range d.jobs {
		if s.worker != "" {
			workers[s.worker] = true
		}
	}
	p.Workers = len(workers)
	return p
}
