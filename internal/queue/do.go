package queue

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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
	// Answered is called with the first answer to each job, one at a time, and again with
	// another one where the worker of the first is not believed any more. An error says
	// that the answer is false. stop ends the run.
	Answered func(job Job, answer []byte) (stop bool, err error)
	// Again computes a job here and reports whether that comes to the answer that Answered
	// was called with last. It runs beside Answered. An error is one of the job: it ends the
	// run.
	Again func(ctx context.Context, job Job) (same bool, err error)
	// Progress is called about once a second.
	Progress func(Progress)
}

// Progress is how far a run is.
type Progress struct {
	Done, Of int
	Workers  int           // that have answered
	Checked  int           // answers that were computed again here
	Took     time.Duration // since Do began
	Trouble  error         // with Redis, if there is any now
	// Others are the workers that listen to another version's queue, by host and process.
	Others []string
	// Liars are the workers that are not believed, and why.
	Liars map[string]string
}

// Bounds of a run.
const (
	window   = 512              // jobs in the queue at a time
	beat     = time.Second      // between looks at the queue
	least    = 15 * time.Second // before a job is sent again
	maxTries = 100              // of one job
	sample   = 20               // one answer in so many is computed again
	maxTime  = 10 * time.Minute // of one job, in asynq's eyes
)

// Do has the jobs of a run answered by workers and returns when all are, or Answered
// stops it, or ctx ends. Then nothing of the run is left in the queue. Answers of an
// earlier call with the same run count: they are kept for a day after the last one.
func (q *Queue) Do(ctx context.Context, run string, jobs []Job, o Options) (Progress, error) {
	for _, j := range jobs {
		if len(j.Payload) > maxPayload || len(j.ID) > maxName {
			return Progress{}, lang.Errorf("job %.40s: its payload has %d bytes, at most %d fit; its name at most %d", j.ID, len(j.Payload), maxPayload, maxName)
		}
	}
	d := &doing{
		Queue: q, Options: o, run: run, jobs: map[string]*jobState{}, liars: map[string]string{}, checked: map[string]int{},
		client: asynq.NewClientFromRedisClient(q.redis), inspector: asynq.NewInspectorFromRedisClient(q.redis), began: time.Now(),
	}
	for _, j := range jobs {
		if d.jobs[j.ID] == nil {
			d.order = append(d.order, j.ID)
		}
		d.jobs[j.ID] = &jobState{Job: j}
	}
	within, cancel := context.WithCancel(ctx)
	err := d.loop(within)
	cancel()
	d.helpers.Wait()
	d.cancelRest(context.WithoutCancel(ctx))
	return d.progress(), cmp.Or(err, ctx.Err())
}

// A jobState is what is known of a job.
type jobState struct {
	Job
	tries  int       // how often it was sent
	sent   time.Time // the last time
	worker string    // whose answer counts; "" for none yet
	known  bool      // the answer was computed again
}

// A doing is one call of Do.
type doing struct {
	*Queue
	Options
	run       string
	jobs      map[string]*jobState
	order     []string
	client    *asynq.Client
	inspector *asynq.Inspector
	began     time.Time

	done     int
	out      int // jobs that were sent and not answered
	next     int // in order: all before were sent
	longest  time.Duration
	trouble  error
	others   []string
	liars    map[string]string
	checked  map[string]int // answers computed again, by worker
	checking bool
	claims   []verdict // of workers that say that a job cannot be run; each is tried here
	sampled  int       // how often something was computed again
	helpers  sync.WaitGroup
	stopped  bool
}

// An arrival is an answer, as a worker sent it.
type arrival struct {
	job, worker, trouble string
	took                 time.Duration
	answer               []byte
}

// A verdict is what was computed again.
type verdict struct {
	of      *jobState
	worker  string
	trouble string // what the worker said instead of an answer; "" if it gave one
	same    bool
	err     error
}

func (d *doing) loop(ctx context.Context) error {
	last, err := d.catchUp(ctx)
	if err != nil {
		return err
	}
	arrivals, verdicts := make(chan arrival), make(chan verdict)
	d.helpers.Go(func() { d.read(ctx, last, arrivals) })
	tick := time.NewTicker(beat)
	defer tick.Stop()
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
		case <-tick.C:
			if err := d.look(ctx); err != nil {
				return err
			}
			d.send(ctx)
			d.Progress(d.progress())
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	d.Progress(d.progress())
	return nil
}

// finished reports whether all jobs are answered, and of each worker that did, an answer
// was computed again.
func (d *doing) finished() bool {
	if d.done < len(d.order) {
		return false
	}
	for _, s := range d.jobs {
		if d.checked[s.worker] == 0 {
			return false
		}
	}
	return true
}

// few is how many answers are read at a time.
const few = 16

// catchUp takes the answers that are there already, and returns where they end.
func (d *doing) catchUp(ctx context.Context) (last string, err error) {
	last = "0"
	for {
		there, err := d.redis.XRangeN(ctx, answers(d.run), "("+last, "+", few).Result()
		if err != nil || len(there) == 0 {
			return last, err
		}
		for _, m := range there {
			if last = m.ID; !d.stopped {
				if err := d.arrived(ctx, arrivalOf(m)); err != nil {
					return last, err
				}
			}
		}
	}
}

// read passes the answers after one on.
func (d *doing) read(ctx context.Context, last string, to chan<- arrival) {
	for ctx.Err() == nil {
		streams, err := d.redis.XRead(ctx, &redis.XReadArgs{Streams: []string{answers(d.run), last}, Count: few, Block: beat}).Result()
		if errors.Is(err, redis.Nil) {
			continue
		}
		if err != nil {
			select {
			case <-time.After(pauseTime):
			case <-ctx.Done():
			}
			continue
		}
		for _, m := range streams[0].Messages {
			last = m.ID
			select {
			case to <- arrivalOf(m):
			case <-ctx.Done():
				return
			}
		}
	}
}

func arrivalOf(m redis.XMessage) arrival {
	text := func(name string) string { s, _ := m.Values[name].(string); return s }
	return arrival{text("job"), text("worker"), text("trouble"), tookOf(text("ms")), []byte(text("answer"))}
}

// tookOf is the time that a worker says a job took, within reason.
func tookOf(text string) time.Duration {
	ms, err := strconv.Atoi(text)
	if err != nil || ms < 0 {
		return 0
	}
	return min(time.Duration(ms)*time.Millisecond, time.Minute)
}

// arrived takes an answer, unless its job has one or its worker is not believed.
func (d *doing) arrived(ctx context.Context, a arrival) error {
	s := d.jobs[a.job]
	if s == nil || s.worker != "" || a.worker == "" || len(a.worker) > maxName || len(a.answer) > maxAnswer {
		return nil
	}
	if d.liars[a.worker] != "" {
		s.sent = time.Time{} // so it is sent again
		return nil
	}
	if a.trouble != "" {
		d.claims = append(d.claims, verdict{of: s, worker: a.worker, trouble: a.trouble})
		return nil
	}
	stop, err := d.Answered(s.Job, a.answer)
	if err != nil {
		d.disbelieve(ctx, a.worker, lang.New("its answer to job %s is false: %v", s.ID, err))
		return nil
	}
	s.worker, s.known = a.worker, false
	d.done++
	d.longest = max(d.longest, a.took)
	if s.tries > 0 {
		d.out--
	}
	d.stopped = d.stopped || stop
	return nil
}

// check computes an answer again, of the worker of whom the fewest were: one of each, and
// a sample of all.
func (d *doing) check(ctx context.Context, to chan<- verdict) {
	if d.checking {
		return
	}
	if len(d.claims) > 0 {
		d.again(ctx, d.claims[0], to)
		d.claims = d.claims[1:]
		return
	}
	var pick *jobState
	for _, id := range d.order {
		s := d.jobs[id]
		if s.worker != "" && !s.known && (pick == nil || d.checked[s.worker] < d.checked[pick.worker]) {
			pick = s
		}
	}
	if pick == nil || d.checked[pick.worker] > 0 && (d.done == len(d.order) || d.sampled*sample > d.done) {
		return
	}
	d.sampled++
	d.again(ctx, verdict{of: pick, worker: pick.worker}, to)
}

// again computes a job here.
func (d *doing) again(ctx context.Context, v verdict, to chan<- verdict) {
	d.checking = true
	d.helpers.Go(func() {
		v.err = guarded(func() (err error) { v.same, err = d.Again(ctx, v.of.Job); return err })
		select {
		case to <- v:
		case <-ctx.Done():
		}
	})
}

// judged takes what was computed again.
func (d *doing) judged(ctx context.Context, v verdict) error {
	switch {
	case v.err != nil:
		return lang.Errorf("job %s, computed again here: %w", v.of.ID, v.err)
	case v.trouble != "":
		d.disbelieve(ctx, v.worker, lang.New("it says that job %s cannot be done, which can: %s", v.of.ID, v.trouble))
		v.of.sent = time.Time{} // so it is sent again
		return nil
	}
	if v.of.worker != v.worker {
		return nil // it is not believed any more
	}
	if !v.same {
		d.disbelieve(ctx, v.worker, lang.New("its answer to job %s is not what comes of it here", v.of.ID))
		return nil
	}
	d.checked[v.worker]++
	v.of.known = true
	return nil
}

// disbelieve forgets all that a worker has answered, and tells it.
func (d *doing) disbelieve(ctx context.Context, worker string, why lang.Message) {
	d.liars[worker] = why.String()
	d.claims = slices.DeleteFunc(d.claims, func(v verdict) bool {
		if v.worker == worker {
			v.of.sent = time.Time{} // so it is sent again
		}
		return v.worker == worker
	})
	_, d.trouble = d.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		p.SAdd(ctx, d.disbelieved(), worker)
		p.Expire(ctx, d.disbelieved(), kept)
		return nil
	})
	for _, s := range d.jobs {
		if s.worker == worker {
			s.worker, s.sent = "", time.Time{}
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
	payload, err := json.Marshal(envelope{d.run, s.Job})
	if err == nil {
		_, err = d.client.EnqueueContext(ctx, asynq.NewTask(kind, payload), asynq.TaskID(d.task(s, s.tries)), asynq.Queue(d.name), asynq.Timeout(maxTime))
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
func (d *doing) task(s *jobState, try int) string { return fmt.Sprintf("%s/%s/%d", d.run, s.ID, try) }

// look asks what is in the queue. If nothing waits there, and a job was not answered for
// three times as long as the longest takes, its worker is taken for lost.
func (d *doing) look(ctx context.Context) error {
	info, err := d.inspector.GetQueueInfo(d.name)
	if errors.Is(err, asynq.ErrQueueNotFound) {
		info, err = &asynq.QueueInfo{}, nil
	}
	if d.trouble = err; err != nil {
		return nil
	}
	d.others = d.strangers()
	late := time.Now().Add(-max(least, 3*d.longest))
	for _, id := range d.order[:d.next] {
		s := d.jobs[id]
		if s.worker != "" || !s.sent.IsZero() && (info.Pending > 0 || s.sent.After(late)) {
			continue
		}
		if s.tries >= maxTries {
			return lang.Errorf("job %s was sent %d times and never answered", s.ID, s.tries)
		}
		d.enqueue(ctx, s)
	}
	return nil
}

// strangers lists the workers that listen only to the queues of other versions.
func (d *doing) strangers() (list []string) {
	servers, err := d.inspector.Servers()
	if err != nil {
		return d.others
	}
	for _, s := range servers {
		if _, ours := s.Queues[d.name]; !ours && slices.ContainsFunc(slices.Collect(maps.Keys(s.Queues)), func(name string) bool { return strings.HasPrefix(name, prefix) }) {
			list = append(list, fmt.Sprintf("%s:%d", s.Host, s.PID))
		}
	}
	slices.Sort(list)
	return list
}

// cancelRest takes what is not answered out of the queue. What a worker is at ends soon,
// or is answered in vain.
func (d *doing) cancelRest(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for again := range 2 {
		var active []string
		for _, id := range d.order[:d.next] {
			s := d.jobs[id]
			for try := range s.tries {
				if s.worker == "" || try > 0 {
					active = append(active, d.task(s, try))
				}
			}
		}
		active = slices.DeleteFunc(active, func(task string) bool {
			return ctx.Err() != nil || d.inspector.DeleteTask(d.name, task) == nil
		})
		if again > 0 || len(active) == 0 {
			return
		}
		for _, task := range active {
			if ctx.Err() == nil {
				_ = d.inspector.CancelProcessing(task)
			}
		}
		time.Sleep(pauseTime) // until they have heard it, and the queue has them back
	}
}

func (d *doing) progress() Progress {
	p := Progress{Done: d.done, Of: len(d.order), Took: time.Since(d.began), Trouble: d.trouble, Others: d.others, Liars: maps.Clone(d.liars)}
	workers := map[string]bool{}
	for _, s := range d.jobs {
		if s.worker != "" {
			workers[s.worker] = true
		}
	}
	p.Workers = len(workers)
	for _, n := range d.checked {
		p.Checked += n
	}
	return p
}
