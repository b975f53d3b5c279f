// Package getdel releases by GETDEL, and puts back what was not its own.
//
// contention: HOLDS, no client comes to release what it has lost.
// overrun: VIOLATED foreign-release: A's lease has ended, B has acquired, and A's GETDEL removes
// what B has. Until it is put back, and if somebody else acquires before it is, B has nothing.
package getdel

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Errors of the lock.
var (
	ErrTaken  = errors.New("getdel: taken")
	ErrStolen = errors.New("getdel: somebody else has it now")
)

// Lock is a lock without Lua.
type Lock struct {
	cmd   redis.Cmdable
	key   string
	ttl   time.Duration
	token string
}

// New returns a lock.
func New(cmd redis.Cmdable, key string, ttl time.Duration) *Lock {
	return &Lock{cmd: cmd, key: key, ttl: ttl}
}

// Lock acquires.
func (l *Lock) Lock(ctx context.Context) error {
	token := rand.Text()
	ok, err := l.cmd.SetNX(ctx, l.key, token, l.ttl).Result()
	if err != nil {
		return err
	}
	if !ok {
		return ErrTaken
	}
	l.token = token
	return nil
}

// Unlock releases.
func (l *Lock) Unlock(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	token, err := l.cmd.GetDel(ctx, l.key).Result()
	if errors.Is(err, redis.Nil) {
		return ErrStolen
	}
	if err != nil {
		return err
	}
	if token != l.token {
		l.cmd.SetNX(ctx, l.key, token, l.ttl) // give it back
		return ErrStolen
	}
	return nil
}
