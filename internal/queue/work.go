package queue

import (
	"context"
	"encoding/json"
	"errors"
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
	// Done is called after each job, one at a time; Tell with what asynq says of trouble.
	Done func(took time.Duration)
	Tell func(string)
}

// pollTime is how long a worker without a job waits for each of its queues, each of which
// it asks by a command.
const pollTime = 10 * time.Millisecond

// Work answers jobs until ctx ends. Jobs that it has begun go to other workers then. An
// error is ErrDisbelieved, or one of Redis at the start.
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
		TaskCheckInterval: max(50*time.Millisecond, time.Duration(len(queues))*pollTime), ShutdownTimeout: time.Second,
		RetryDelayFunc: func(int, error, *asynq.Task) time.Duration { return 0 }, DelayedTaskCheckInterval: time.Second,
		Logger: asynqLog{w.Tell}, LogLevel: asynq.WarnLevel,
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
	for {
		select {
		case took := <-done:
			w.Done(took)
		case <-ctx.Done():
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
		select {
		case <-time.After(pauseTime): // Redis is down, or its disk full
		case <-ctx.Done():
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
