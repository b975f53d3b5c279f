// Package digest is row 7: DELEX IFDEQ of Redis 8.4. The client computes the digest of its own
// token; the server is never asked for it.
//
// HOLDS: equal digests are equal tokens, but for one chance in 2^64.
package digest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/zeebo/xxh3"
)

// ErrLocked means that another client has the lock.
var ErrLocked = errors.New("digest: locked")

// A Lease can be given back.
type Lease struct {
	rdb    *redis.Client
	key    string
	digest string
}

// Acquire returns a lease.
func Acquire(ctx context.Context, rdb *redis.Client, key string, ttl time.Duration) (*Lease, error) {
	token := rand.Text()
	_, err := rdb.SetArgs(ctx, key, token, redis.SetArgs{Mode: "NX", TTL: ttl}).Result()
	if errors.Is(err, redis.Nil) {
		return nil, ErrLocked
	}
	if err != nil {
		return nil, err
	}
	return &Lease{rdb, key, fmt.Sprintf("%016x", xxh3.HashString(token))}, nil
}

// Release gives it back.
func (l *Lease) Release(ctx context.Context) error {
	return l.rdb.Do(context.WithoutCancel(ctx), "DELEX", l.key, "IFDEQ", l.digest).Err()
}
