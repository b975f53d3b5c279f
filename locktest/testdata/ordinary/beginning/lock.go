// Package beginning is row 2: it may acquire again what is its own already, and knows its own
// by the beginning of the value.
//
// VIOLATED phantom-hold under every hazard: the value is a worker's name and a number, and "A"
// is the beginning of "A:B". So A takes over what B has, without a fault and at once. It must
// not be excused by a hazard that never happened.
package beginning

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrNotObtained means that the lock is taken.
var ErrNotObtained = errors.New("not obtained")

const obtain = `
local v = redis.call("GET", KEYS[1])
if not v or string.sub(v, 1, #ARGV[1]) == ARGV[1] then
	redis.call("SET", KEYS[1], ARGV[1] .. ARGV[2], "PX", ARGV[3])
	return 1
end
return 0`

const release = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`

// Locker makes locks for a worker.
type Locker struct {
	rdb    *redis.Client
	worker string
	n      int
}

// New returns a Locker.
func New(rdb *redis.Client, worker string) *Locker { return &Locker{rdb: rdb, worker: worker} }

// Obtain returns a function that releases.
func (l *Locker) Obtain(ctx context.Context, key string, ttl time.Duration) (func(context.Context) error, error) {
	l.n++
	suffix := fmt.Sprint("-", l.n)
	n, err := l.rdb.Eval(ctx, obtain, []string{key}, l.worker, suffix, ttl.Milliseconds()).Int()
	if err != nil {
		return nil, fmt.Errorf("obtain %q: %w", key, err)
	}
	if n == 0 {
		return nil, ErrNotObtained
	}
	return func(ctx context.Context) error {
		return l.rdb.Eval(context.WithoutCancel(ctx), release, []string{key}, l.worker+suffix).Err()
	}, nil
}
