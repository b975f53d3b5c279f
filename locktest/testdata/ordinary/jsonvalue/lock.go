// Package jsonvalue keeps who has the lock as JSON, for people who look at Redis; the scripts read
// the id in it. It also renews, by a ticker, and waits for the renewal to end before it releases.
//
// HOLDS: the id is fresh and compared in the script, whatever else the value says.
// long-work: HOLDS, it renews each quarter of a lease until Unlock.
package jsonvalue

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
)

// ErrTaken means that the lock is taken.
var ErrTaken = errors.New("jsonvalue: taken")

var (
	isMine = `local v = redis.call("GET", KEYS[1])
if not v or cjson.decode(v).id ~= ARGV[1] then return 0 end
`
	renew   = redis.NewScript(isMine + `return redis.call("PEXPIRE", KEYS[1], ARGV[2])`)
	release = redis.NewScript(isMine + `return redis.call("DEL", KEYS[1])`)
)

type holder struct {
	ID   string    `json:"id"`
	Who  string    `json:"who"`
	When time.Time `json:"when"`
}

// Lock is a lock that says who has it.
type Lock struct {
	rdb      *redis.Client
	key, who string
	ttl      time.Duration

	id   string
	stop context.CancelFunc
	done sync.WaitGroup
}

// New returns a lock for somebody.
func New(rdb *redis.Client, key, who string, ttl time.Duration) *Lock {
	return &Lock{rdb: rdb, key: key, who: who, ttl: ttl}
}

// Lock acquires.
func (l *Lock) Lock(ctx context.Context) error {
	h := holder{uuid.NewString(), l.who, time.Now()}
	value, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if ok, err := l.rdb.SetNX(ctx, l.key, value, l.ttl).Result(); err != nil {
		return err
	} else if !ok {
		return ErrTaken
	}
	l.id = h.ID
	ctx, l.stop = context.WithCancel(context.WithoutCancel(ctx))
	l.done.Go(func() { l.renew(ctx) })
	return nil
}

func (l *Lock) renew(ctx context.Context) {
	for t := time.NewTicker(l.ttl / 4); ; {
		select {
		case <-t.C:
			if n, err := renew.Run(ctx, l.rdb, []string{l.key}, l.id, l.ttl.Milliseconds()).Int(); err == nil && n == 0 {
				return
			}
		case <-ctx.Done():
			t.Stop()
			return
		}
	}
}

// Unlock releases.
func (l *Lock) Unlock(ctx context.Context) error {
	l.stop()
	l.done.Wait()
	return release.Run(context.WithoutCancel(ctx), l.rdb, []string{l.key}, l.id).Err()
}
