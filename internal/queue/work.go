package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

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
	Done func(took time.Duration)
	Tell func(trouble error)
}

// pollTime is how long a worker without a job waits for each of its queues, each of which
// it asks by a command.
const pollTime = 10 * time.Millisecond

// shutdownTime is how long a job may take to end that goes to another worker.
const shutdownTime = time.Second

// Work answers jobs until ctx ends. Jobs that it has begun go to other workers then. If Redis
// does not answer by then, q is of no more use. An error is ErrDisbelieved, or one of Redis at the start.
func (q *Queue) Work(ctx context.Context, w Worker) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	done := make(chan time.Duration)
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
		began := time.Now()
		err := q.answer(ctx, w, t.Payload())
		if errors.Is(err, ErrDisbelieved) {
			end(err)
		}
		select {
		case done <- time.Since(began):
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
		case took := <-done:
			w.Done(took)
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
			if err := context.Cause(ctx); errors.Is(err, ErrDisbelieved) {
				return err
			}
			return nil
		}
	}
}

// answer runs one job and adds its answer to those of its run.
func (q *Queue) answer(ctx context.Context, w Worker, payload []byte) error {
	var e Job
	if err := json.Unmarshal(payload, &e); err != nil || len(payload) > 2*maxPayload || e.Run == "" || e.ID == "" || max(len(e.Run), len(e.ID)) > maxName {
		return lang.Errorf("it is no job of lockstep: %w", asynq.SkipRetry)
	}
	began := time.Now()
	var answer []byte
	err := guarded(func() (err error) { answer, err = w.Run(ctx, e.Payload); return err })
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil {
		err = Fits(answer)
	}
	trouble := ""
	if err != nil {
		answer, trouble = nil, lang.In(nil, err)
	}
	for {
		var isFalse *redis.BoolCmd
		_, err := q.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
			p.XAdd(ctx, &redis.XAddArgs{Stream: answers(e.Run), Values: []any{"job", e.ID, "worker", w.Name, "answer", answer, "trouble", trouble, "ms", time.Since(began).Milliseconds()}})
			p.Expire(ctx, answers(e.Run), kept)
			isFalse = p.SIsMember(ctx, disbelieved(e.Run), w.Name)
			return nil
		})
		switch {
		case err == nil && isFalse.Val():
			return ErrDisbelieved
		case err == nil:
			return nil
		}
		if !pause(ctx, pauseTime) { // Redis is down, or its disk full
			return err
		}
	}
}

// Fits returns an error for an answer that is too large.
func Fits(answer []byte) error {
	if len(answer) > maxAnswer {
		return lang.Errorf("the answer has %d bytes; at most %d fit", len(answer), maxAnswer)
	}
	return nil
}

// guarded runs a job, whose panic is an error.
func guarded(job func() error) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = lang.Errorf("a job panicked: %v", reason)
		}
	}()
	return job()
}
