package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hibiken/asynq"

	"lockstep/internal/lang"
)

// A Worker answers jobs.
type Worker struct {
	Name     string   // unique, and named in reports
	Versions []string // whose jobs it can do
	Jobs     int      // at a time
	// Run answers a payload. An error is an answer too: this job cannot be run here.
	Run func(ctx context.Context, payload []byte) ([]byte, error)
	// Done is called after each job, Tell where there is other trouble with Redis than before,
	// nil if there is none any more; one of both at a time.
	Done func()
	Tell func(trouble error)
}

// pollTime is how long a worker without a job waits for each of its queues, each of which
// it asks by a command.
const pollTime = 10 * time.Millisecond

// shutdownTime is how long a job may take to end that goes to another worker.
const shutdownTime = time.Second

// Work answers jobs until ctx ends. Jobs that it has begun go to other workers then. If Redis
// does not answer by then, q is of no more use.
func (q *Queue) Work(ctx context.Context, w Worker) error {
	done := make(chan bool)
	queues := map[string]int{}
	for _, v := range w.Versions {
		queues[queueOf(v)] = 1
	}
	server := asynq.NewServerFromRedisClient(q.redis, asynq.Config{
		Concurrency: w.Jobs, Queues: queues, BaseContext: func() context.Context { return ctx },
		TaskCheckInterval: max(50*time.Millisecond, time.Duration(len(queues))*pollTime), ShutdownTimeout: shutdownTime,
		RetryDelayFunc: func(int, error, *asynq.Task) time.Duration { return 0 }, DelayedTaskCheckInterval: time.Second,
		LogLevel: asynq.FatalLevel, // what there is to say is Tell's
	})
	err := server.Start(asynq.HandlerFunc(func(ctx context.Context, t *asynq.Task) error {
		err := q.answer(ctx, w, t.ResultWriter().TaskID(), t.Payload())
		select {
		case done <- true:
		case <-ctx.Done():
		}
		return err
	}))
	if err != nil {
		return err
	}
	troubles := make(chan error)
	go q.watch(ctx, troubles)
	var trouble error
	for {
		select {
		case <-done:
			w.Done()
		case now := <-troubles:
			if now = q.explain(now); fmt.Sprint(now) != fmt.Sprint(trouble) {
				w.Tell(now)
			}
			trouble = now
		case <-ctx.Done():
			if trouble != nil {
				q.giveUp()
			}
			defer time.AfterFunc(2*shutdownTime, q.giveUp).Stop()
			server.Shutdown()
			return nil
		}
	}
}

// answer runs one job and keeps its answer. It waits for a Redis that is down.
func (q *Queue) answer(ctx context.Context, w Worker, job string, payload []byte) error {
	said := answer{Worker: w.Name}
	err := guarded(func() (err error) { said.Answer, err = w.Run(ctx, payload); return err })
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil && len(said.Answer) > maxAnswer {
		err = lang.Errorf("the answer has %d bytes; at most %d fit", len(said.Answer), maxAnswer)
	}
	if err != nil {
		said.Answer, said.Trouble = nil, lang.In(nil, err)
	}
	text, err := json.Marshal(said)
	if err != nil {
		return err
	}
	for {
		err := q.redis.Set(ctx, keyOf(job), text, kept).Err()
		if err == nil || !pause(ctx, pauseTime) {
			return err
		}
	}
}

// maxAnswer bounds an answer, in bytes.
const maxAnswer = 1 << 20

// guarded runs a job, whose panic is an error.
func guarded(job func() error) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = lang.Errorf("a job panicked: %v", reason)
		}
	}()
	return job()
}
