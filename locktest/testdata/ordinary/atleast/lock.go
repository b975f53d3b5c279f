// Package atleast is for jobs that shall run once a second at most: Unlock leaves the key for a
// second, if the comparison says that it is its own.
//
// contention: VIOLATED leak, by what leak means: A has released, and its key keeps others out. That
// is on purpose, so the test may allow it, and then nothing else is wrong: contention HOLDS.
// long-work: VACUOUS. It never renews: the second is for who comes after it.
package atleast

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrRunning means that the job runs, or has just run.
var ErrRunning = errors.New("atleast: the job runs or has just run")

const pause = time.Second

// Job is a lock of a job.
type Job struct {
	rdb *redis.Client
	key string
	run string
}

// New returns the lock of a job.
func New(rdb *redis.Client, key string) *Job { return &Job{rdb: rdb, key: key} }

// Start acquires for a time at most.
func (j *Job) Start(ctx context.Context, atMost time.Duration) error {
	run := rand.Text()
	switch ok, err := j.rdb.SetNX(ctx, j.key, run, atMost).Result(); {
	case err != nil:
		return err
	case !ok:
		return ErrRunning
	}
	j.run = run
	return nil
}

// Done leaves the lock for a pause.
func (j *Job) Done(ctx context.Context) error {
	return j.rdb.Eval(context.WithoutCancel(ctx), `
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("PEXPIRE", KEYS[1], ARGV[2])
end
return 0`, []string{j.key}, j.run, pause.Milliseconds()).Err()
}
