package locktest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/redis/go-redis/v9"

	"lockstep/sim/bubble"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// A Client is a process that uses the lock, with what the lock needs.
type Client struct {
	// Name is unique to the client. A Check's are A, A:B, A:B:C and so on, so that code
	// that compares only their beginnings mistakes one client for another.
	Name  string
	Redis *redis.Client   // of the first node
	Nodes []*redis.Client // of all nodes, for a lock that needs a quorum
	// ZooKeeper is the client of a lock with the option ZooKeeper, which has no Redis;
	// nil for any other. Its session ends with the client: at the end of each run it is
	// closed, and every request fails at once. Code that then tries again without a
	// look at its context never ends.
	ZooKeeper *zk.Conn
	Session   <-chan zk.Event // what ZooKeeper reports of its session, as zk.Connect returns it; it is full after six
	Key       string          // the lock's key in Redis, or what it makes that of; its path in ZooKeeper
	TTL       time.Duration   // the length of a lease; of a session, after its client was last heard

	env strategies.Env
}

// A Lock is a named lock as used by one client.
type Lock interface {
	// Lock tries to acquire the lock. Any error means that it was not acquired.
	// An error that wraps ErrNotAcquired, or one of RefusedBy, means that
	// another client holds it.
	Lock(ctx context.Context) error
	// Unlock releases what Lock acquired. An error that wraps ErrLost, or one of
	// LostBy, means that it was no longer held. Where a reply of Redis did not come,
	// the outcome is unknown, whatever the error, and also without one.
	Unlock(ctx context.Context) error
}

// Optional interfaces of a Lock.
type (
	// A Watcher learns that its lease is lost: Context is done then. Context is
	// called after each Lock that succeeds.
	Watcher interface{ Context() context.Context }
	// A Fencer has a fencing token for each lease: a number that grows. The
	// resource refuses writes with an older token than it has seen.
	Fencer interface{ Fence() int64 }
)

var (
	// ErrNotAcquired means that another client holds the lock.
	ErrNotAcquired = strategies.ErrNotAcquired
	// ErrLost means that the lock was no longer held at its release.
	ErrLost = strategies.ErrLost
)

// Funcs makes a Lock of two functions.
func Funcs(lock, unlock func(ctx context.Context) error) Lock { return funcs{lock, unlock} }

type funcs struct{ lock, unlock func(context.Context) error }

func (f funcs) Lock(ctx context.Context) error   { return f.lock(ctx) }
func (f funcs) Unlock(ctx context.Context) error { return f.unlock(ctx) }

// NoResult makes a function for Funcs of a release that reports nothing, or only whether
// it has released.
func NoResult[F func() | func(context.Context) | func() bool | func(context.Context) bool](unlock F) func(context.Context) error {
	return func(ctx context.Context) error {
		released := true
		switch unlock := any(unlock).(type) {
		case func():
			unlock()
		case func(context.Context):
			unlock(ctx)
		case func() bool:
			released = unlock()
		case func(context.Context) bool:
			released = unlock(ctx)
		}
		if !released {
			return errors.New("it returned false")
		}
		return nil
	}
}

// With makes a Lock of a function that acquires, calls f, and releases. Its error is that
// of Unlock. If it has not called f, its error is that of Lock, and no error is
// ErrNotAcquired. The work ends early if the context that it gives to f is done.
func With(do func(ctx context.Context, f func(context.Context) error) error) Lock {
	return &with{do: do}
}

type with struct {
	do     func(context.Context, func(context.Context) error) error
	inside []*bubble.Section // nested
}

func (w *with) Lock(ctx context.Context) error {
	s, err := bubble.Enter(ctx, w.do)
	if s == nil {
		return cmp.Or(err, ErrNotAcquired)
	}
	w.inside = append(w.inside, s)
	return nil
}

func (w *with) Unlock(context.Context) error {
	s := w.inside[len(w.inside)-1]
	w.inside = w.inside[:len(w.inside)-1]
	return s.Leave()
}

// Context is Watcher's.
func (w *with) Context() context.Context { return w.inside[len(w.inside)-1].Context }

// PerGoroutine makes a Lock of which each goroutine that takes it has a part of its
// own, as a handle on the lease that it has acquired; see Goroutines. The parts share
// what part refers to. Elsewhere there is one goroutine, and one part.
func PerGoroutine(part func() Lock) Lock { return perGoroutine(part) }

type perGoroutine func() Lock

var errNoPart = errors.New("a lock of PerGoroutine was used itself")

// It implements Lock so that a Factory can return it.
func (perGoroutine) Lock(context.Context) error   { return errNoPart }
func (perGoroutine) Unlock(context.Context) error { return errNoPart }

// parts is a perGoroutine as a world takes it.
type parts struct {
	adapted // none
	part    func() strategies.Lock
}

// Part is program.Shared's.
func (p parts) Part() strategies.Lock { return p.part() }

// A Factory makes the lock of a client. It is called once for each client of
// each run, under the client's own clock; with Goroutines, once for all of them.
type Factory func(c Client) (Lock, error)

// Strategy is the factory of a lock written like those of the catalogue, which
// gets all it uses from an Env.
func Strategy(lock func(strategies.Env) strategies.Lock) Factory {
	return func(c Client) (Lock, error) { return strategy{lock(c.env)}, nil }
}

// A strategy needs no adapter in a world. It implements Lock so that a Factory
// can return it.
type strategy struct{ own strategies.Lock }

func (s strategy) Lock(ctx context.Context) error {
	_, err := s.own.Lock(ctx)
	return err
}

func (s strategy) Unlock(ctx context.Context) error { return s.own.Unlock(ctx, strategies.Grant{}) }

// adapted makes a strategy of a Lock.
type adapted struct {
	own  Lock
	says says
}

// says are a lock's own errors for "held by another" and "no longer held".
type says struct{ refused, lost []*listed }

// A listed error of the lock, or all that a function accepts.
type listed struct {
	name     string
	is       func(error) bool
	returned atomic.Bool
}

// listed lists errors that an option names.
func (o *options) listed(option string, errs []error) (all []*listed) {
	for i, e := range errs {
		if e == nil {
			o.fail("%s: error %d is nil; use the lock's own errors", option, i+1)
			continue
		}
		all = append(all, &listed{name: e.Error(), is: func(err error) bool { return errors.Is(err, e) }})
	}
	return all
}

// returned tells of each error in the lists whether the lock has returned it.
func (s says) returned() map[string]bool {
	errs := map[string]bool{}
	for _, l := range slices.Concat(s.refused, s.lost) {
		errs[l.name] = errs[l.name] || l.returned.Load()
	}
	return errs
}

// outcome wraps an error of the lock in the corresponding error of this package.
func outcome(err error, own []*listed, as error) error {
	for _, l := range own {
		if l.is(err) {
			l.returned.Store(true)
			return fmt.Errorf("%w: %w", as, err)
		}
	}
	if errors.Is(err, zk.ErrConnectionClosed) { // so it answers a request that it could not finish
		return strategies.Outcome(err)
	}
	return err
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

// build makes locks for a world.
func (f Factory) build(o *options) func(strategies.Env) strategies.Lock {
	return func(env strategies.Env) strategies.Lock {
		c := Client{Name: named(env.Name), Redis: env.Redis, Nodes: env.Nodes, ZooKeeper: env.ZooKeeper, Session: env.Session, Key: env.Key, TTL: env.TTL, env: env}
		l, err := f.lock(c, o.says)
		if err != nil {
			if !bubble.Ended() {
				o.unfit = cmp.Or(o.unfit, err) // while it is probed, it is not tried then; see remote.Serve
			}
			panic(program.NoLock{})
		}
		return l
	}
}

// named is the Client's Name of the client with an id: all letters up to it, or the
// id itself if that is longer than a letter, as it can be in a story.
func named(id string) string {
	if len(id) > 1 {
		return id
	}
	name := "A"
	for c := 'B'; id >= string(c); c++ {
		name += ":" + string(c)
	}
	return name
}

// lock makes the lock of one client.
func (f Factory) lock(c Client, in says) (strategies.Lock, error) {
	l, err := f(c)
	if err == nil && l == nil {
		err = errors.New("it returned neither a lock nor an error")
	}
	if err != nil {
		return nil, fmt.Errorf("the factory of client %s: %w", c.env.Name, err)
	}
	switch l := l.(type) {
	case strategy:
		return l.own, nil
	case *with:
		return parts{part: func() strategies.Lock { return adapted{&with{do: l.do}, in} }}, nil
	case perGoroutine:
		return parts{part: func() strategies.Lock { return adapted{l(), in} }}, nil
	}
	return adapted{l, in}, nil
}
