// Package readside is row 8: the read side of a read-write lock. The key is a hash: a field for
// each reader, or one for the writer.
//
// Not an exclusive lock: it has to be said in one sentence. Two readers at once are what it is
// for.
package readside

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrWriting means that somebody writes.
var ErrWriting = errors.New("readside: a writer has the lock")

const rlock = `
if redis.call("HGET", KEYS[1], "mode") == "w" then return 0 end
redis.call("HSET", KEYS[1], "mode", "r", ARGV[1], 1)
redis.call("PEXPIRE", KEYS[1], ARGV[2])
return 1`

const runlock = `
if redis.call("HDEL", KEYS[1], ARGV[1]) == 1 and redis.call("HLEN", KEYS[1]) == 1 then
	redis.call("DEL", KEYS[1])
end
return 1`

// RWMutex is a lock for many readers.
type RWMutex struct {
	rdb  *redis.Client
	name string
	ttl  time.Duration
	me   string
}

// New returns one.
func New(rdb *redis.Client, name string, ttl time.Duration) *RWMutex {
	return &RWMutex{rdb, name, ttl, rand.Text()}
}

// RLock is for readers.
func (m *RWMutex) RLock(ctx context.Context) error {
	n, err := m.rdb.Eval(ctx, rlock, []string{m.name}, m.me, m.ttl.Milliseconds()).Int()
	if err == nil && n == 0 {
		return ErrWriting
	}
	return err
}

// RUnlock ends reading.
func (m *RWMutex) RUnlock(ctx context.Context) error {
	return m.rdb.Eval(context.WithoutCancel(ctx), runlock, []string{m.name}, m.me).Err()
}
