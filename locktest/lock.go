package locktest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/strategies"
)

// A Client is one process that uses the lock: what it has for it.
type Client struct {
	Name  string          // A, B, ...
	Redis *redis.Client   // of the first node
	Nodes []*redis.Client // of all nodes, for a lock that needs a quorum
	Key   string          // the lock's key in Redis; see the option Key
	TTL   time.Duration   // how long a lease is to last

	env strategies.Env
}

// A Lock is one named lock as one client uses it. An adapter for a library is
// five lines.
type Lock interface {
	// Lock tries to take the lock. Any error says that it was not taken; one that
	// wraps ErrNotAcquired says that somebody else has it, and so do those of
	// RefusedBy.
	Lock(ctx context.Context) error
	// Unlock gives back what Lock has taken.
	Unlock(ctx context.Context) error
}

// What a Lock may have besides.
type (
	// A Watcher learns that its lease is lost: Context is done then. It is asked
	// after each Lock.
	Watcher interface{ Context() context.Context }
	// A Fencer has a number for each lease that only grows. The resource refuses
	// what comes with an older one than it has seen.
	Fencer interface{ Fence() int64 }
)

var (
	// ErrNotAcquired says that somebody else holds the lock.
	ErrNotAcquired = strategies.ErrNotAcquired
	// ErrLost says that, at release, the lock was no longer held.
	ErrLost = strategies.ErrLost
)

// Funcs makes a Lock of two functions.
func Funcs(lock, unlock func(ctx context.Context) error) Lock { return funcs{lock, unlock} }

type funcs struct{ lock, unlock func(context.Context) error }

func (f funcs) Lock(ctx context.Context) error   { return f.lock(ctx) }
func (f funcs) Unlock(ctx context.Context) error { return f.unlock(ctx) }

// A Factory makes the lock of one client. It is called once for each client of
// each run, on the client's own clock.
type Factory func(c Client) (Lock, error)

// Strategy is the factory of a lock that is written as those of the catalogue
// are: with all that it may use in an Env.
func Strategy(lock func(strategies.Env) strategies.Lock) Factory {
	return func(c Client) (Lock, error) { return strategy{lock(c.env)}, nil }
}

// A strategy needs no adapter: a world takes its own. It is a Lock so that a
// Factory may return it.
type strategy struct{ own strategies.Lock }

func (s strategy) Lock(ctx context.Context) error {
	_, err := s.own.Lock(ctx)
	return err
}

func (s strategy) Unlock(ctx context.Context) error { return s.own.Unlock(ctx, strategies.Grant{}) }

// adapted is a Lock as a world takes it.
type adapted struct {
	own  Lock
	says says
}

// says is which errors of a lock's own say that somebody else has it, and that it
// was no longer held.
type says struct{ refused, lost []error }

// outcome is what an error of a lock comes to: it wraps as where the lock says so
// in its own words.
func outcome(err error, own []error, as error) error {
	for _, o := range own {
		if errors.Is(err, o) {
			return fmt.Errorf("%w: %w", as, err)
		}
	}
	return strategies.Outcome(err)
}

func (a adapted) Lock(ctx context.Context) (strategies.Grant, error) {
	if err := a.own.Lock(ctx); err != nil {
		return strategies.Grant{}, outcome(err, a.says.refused, ErrNotAcquired)
	}
	var g strategies.Grant
	if w, ok := a.own.(Watcher); ok {
		g.Context = w.Context()
	}
	if f, ok := a.own.(Fencer); ok {
		g.Fence = f.Fence()
	}
	return g, nil
}

func (a adapted) Unlock(ctx context.Context, _ strategies.Grant) error {
	if err := a.own.Unlock(ctx); err != nil {
		return outcome(err, a.says.lost, ErrLost)
	}
	return nil
}

// lockKey is the key that a client is told to use where the lock makes its own of
// it.
const lockKey = "lock:stock"

// build is the factory as a world asks for a lock.
func (f Factory) build(o *options) func(strategies.Env) strategies.Lock {
	return func(env strategies.Env) strategies.Lock {
		c := Client{Name: env.Name, Redis: env.Redis, Nodes: env.Nodes, Key: env.Key, TTL: env.TTL, env: env}
		if o.plan.Key != "" {
			c.Key = lockKey
		}
		l, err := f.lock(c, o.says)
		if err != nil {
			o.unfit = err
			panic(err) // nothing is tried of it; see remote.Serve
		}
		return l
	}
}

// lock is the lock of one client.
func (f Factory) lock(c Client, in says) (strategies.Lock, error) {
	l, err := f(c)
	if err == nil && l == nil {
		err = errors.New("it returned neither a lock nor an error")
	}
	if err != nil {
		return nil, fmt.Errorf("the factory of client %s: %w", c.Name, err)
	}
	if s, ok := l.(strategy); ok {
		return s.own, nil
	}
	return adapted{l, in}, nil
}
