// Package tombstone never deletes its key: a lock that is free has the value "free", with the
// time to live of a day, so that people can see that there is one.
//
// Refused: who acquires writes its token in place of "free" or of nothing, and who releases writes
// "free" in place of its token, each in one script. It is right, but nothing tells Lockstep which
// value means that the lock is free.
package tombstone

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// ErrInUse means that the key has another's token.
var ErrInUse = errors.New("tombstone: in use")

// swap writes a value in place of another one.
var swap = redis.NewScript(`
local value = redis.call("GET", KEYS[1]) or "free"
if value ~= ARGV[1] then return 0 end
redis.call("SET", KEYS[1], ARGV[2], "PX", ARGV[3])
return 1`)

const free = "free"

// Slot is taken or free.
type Slot struct {
	rdb   *redis.Client
	key   string
	ttl   time.Duration
	token string
}

// NewSlot returns a slot.
func NewSlot(rdb *redis.Client, key string, ttl time.Duration) *Slot {
	return &Slot{rdb: rdb, key: key, ttl: ttl}
}

func (s *Slot) swap(ctx context.Context, from, to string, ttl time.Duration) error {
	n, err := swap.Run(ctx, s.rdb, []string{s.key}, from, to, ttl.Milliseconds()).Int()
	if err == nil && n == 0 {
		return ErrInUse
	}
	return err
}

// Take takes the slot.
func (s *Slot) Take(ctx context.Context) error {
	token := rand.Text()
	err := s.swap(ctx, free, token, s.ttl)
	if err == nil {
		s.token = token
	}
	return err
}

// Free frees it.
func (s *Slot) Free(ctx context.Context) error {
	return s.swap(context.WithoutCancel(ctx), s.token, free, 24*time.Hour)
}
