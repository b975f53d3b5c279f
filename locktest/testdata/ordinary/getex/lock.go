// Package getex makes sure of its lease before it commits: GETEX tells the value and makes the
// lease whole, in one command. The comparison comes after that.
//
// contention: HOLDS, the lease is its own then.
// node-restart, eviction: VIOLATED foreign-renewal: the node loses A's key, B acquires, and at 2 s
// A makes B's lease longer.
// overrun: HOLDS within the bounds: B acquires at the same moment at which A sends GETEX, and a
// whole lease from then on is what B has anyway. A moment later it would be foreign-renewal.
// long-work: VACUOUS. It makes its lease whole once, when the work is over: no promise for work of
// three leases.
package getex

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Errors of the session.
var (
	ErrTaken = errors.New("getex: taken")
	ErrLost  = errors.New("getex: lost")
)

var finish = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// Session is one use of the lock.
type Session struct {
	rdb     *redis.Client
	key, id string
	ttl     time.Duration
}

// Begin acquires.
func Begin(ctx context.Context, rdb *redis.Client, key string, ttl time.Duration) (*Session, error) {
	s := &Session{rdb, key, rand.Text(), ttl}
	switch ok, err := rdb.SetNX(ctx, key, s.id, ttl).Result(); {
	case err != nil:
		return nil, err
	case !ok:
		return nil, ErrTaken
	}
	return s, nil
}

// Touch makes the lease whole.
func (s *Session) Touch(ctx context.Context) error {
	id, err := s.rdb.GetEx(ctx, s.key, s.ttl).Result()
	if errors.Is(err, redis.Nil) || err == nil && id != s.id {
		return ErrLost
	}
	return err
}

// End commits and releases.
func (s *Session) End(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	if err := s.Touch(ctx); err != nil {
		return err
	}
	return finish.Run(ctx, s.rdb, []string{s.key}, s.id).Err()
}
