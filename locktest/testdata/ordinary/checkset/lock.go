// Package checkset looks whether the key is there, and writes it if it is not.
//
// contention: VIOLATED phantom-hold: both look, both find nothing, both write. The first one works
// without a lock.
package checkset

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrBusy means that the job runs elsewhere.
var ErrBusy = errors.New("job runs elsewhere")

// Job runs on one machine at a time.
type Job struct {
	cache *redis.Client
	key   string
	run   string
}

// New returns a job.
func New(cache *redis.Client, key string) *Job { return &Job{cache: cache, key: key} }

// Begin begins a run.
func (j *Job) Begin(ctx context.Context, timeout time.Duration) error {
	running, err := j.cache.Exists(ctx, j.key).Result()
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if running > 0 {
		return ErrBusy
	}
	j.run = rand.Text()
	return j.cache.Set(ctx, j.key, j.run, timeout).Err()
}

// End ends it.
func (j *Job) End(ctx context.Context) error {
	return j.cache.Eval(context.WithoutCancel(ctx), `
if redis.call("get", KEYS[1]) == ARGV[1] then
	return redis.call("del", KEYS[1])
end
return 0`, []string{j.key}, j.run).Err()
}
