// Package group renews in a goroutine of a group of its own, which the release cancels and waits
// for.
//
// contention, crash, long-work: HOLDS.
// hang: VIOLATED lock-recovers: what stands still is the work, and the goroutine renews for ever.
package group

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// Errors of leases.
var (
	ErrTaken = errors.New("group: taken")
	ErrGone  = errors.New("group: gone")
)

const (
	whole = `if redis.call("get",KEYS[1])==ARGV[1] then return redis.call("pexpire",KEYS[1],ARGV[2]) else return 0 end`
	drop  = `if redis.call("get",KEYS[1])==ARGV[1] then return redis.call("del",KEYS[1]) else return 0 end`
)

// Lease is a lease that is renewed until it ends.
type Lease struct {
	client *redis.Client
	key    string
	token  string
	cancel context.CancelCauseFunc
	group  sync.WaitGroup
}

// Take takes a lease.
func Take(ctx context.Context, client *redis.Client, key string, ttl time.Duration) (*Lease, error) {
	l := &Lease{client: client, key: key, token: rand.Text()}
	ok, err := client.SetNX(ctx, key, l.token, ttl).Result()
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, ErrTaken
	}
	ctx, l.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	l.group.Go(func() { l.cancel(l.renew(ctx, ttl)) })
	return l, nil
}

func (l *Lease) renew(ctx context.Context, ttl time.Duration) error {
	for {
		timer := time.NewTimer(ttl / 3)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
		n, err := l.client.Eval(ctx, whole, []string{l.key}, l.token, ttl.Milliseconds()).Int()
		if err == nil && n == 0 {
			return ErrGone
		}
	}
}

// End ends it.
func (l *Lease) End(ctx context.Context) error {
	l.cancel(nil)
	l.group.Wait()
	n, err := l.client.Eval(context.WithoutCancel(ctx), drop, []string{l.key}, l.token).Int()
	if err == nil && n == 0 {
		err = ErrGone
	}
	return err
}
