// Package logs is row 5: a right lock whose Unlock returns whether it released, or logs what
// went wrong and returns nothing.
//
// HOLDS; see package errtext.
package logs

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// Locker is one lock of one process.
type Locker struct {
	Redis *redis.Client
	Key   string
	TTL   time.Duration
	Log   *slog.Logger

	id string
}

var compareAndDelete = redis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("DEL", KEYS[1])
end
return 0
`)

// TryLock reports whether the lock was acquired.
func (l *Locker) TryLock(ctx context.Context) bool {
	id := uuid.NewString()
	ok, err := l.Redis.SetNX(ctx, l.Key, id, l.TTL).Result()
	if err != nil {
		l.Log.Warn("lock", "key", l.Key, "err", err)
	}
	if ok {
		l.id = id
	}
	return ok
}

// Release reports whether the lock was released.
func (l *Locker) Release(ctx context.Context) bool {
	n, err := compareAndDelete.Run(context.WithoutCancel(ctx), l.Redis, []string{l.Key}, l.id).Int()
	if err != nil {
		l.Log.Warn("unlock", "key", l.Key, "err", err)
	}
	return n == 1
}

// Unlock releases, whatever comes.
func (l *Locker) Unlock() { l.Release(context.Background()) }
