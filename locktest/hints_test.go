package locktest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/testkit"
)

// errTaken is a refusal that is known by its type.
type errTaken struct{ key string }

func (e *errTaken) Error() string { return e.key + " is taken" }

// TestListedErrors: an error is known by itself, by its type or by a function, and what
// is never returned is named.
func TestListedErrors(t *testing.T) {
	testkit.Single(t)
	errLost, errNever := errors.New("was gone"), errors.New("of another lock")
	own := func(c Client) (Lock, error) {
		p := &plain{redis: c.Redis, key: c.Key, ttl: c.TTL}
		return Funcs(func(ctx context.Context) error {
			err := p.Lock(ctx)
			if errors.Is(err, ErrNotAcquired) {
				return fmt.Errorf("my lock: %w", &errTaken{p.key})
			}
			return err
		}, func(ctx context.Context) error {
			err := p.Unlock(ctx)
			if errors.Is(err, ErrLost) {
				return errLost
			}
			return err
		}), nil
	}
	const never = "look at the adapter: the lock never returned an error that it lists: "
	for _, test := range []struct {
		what string
		opts []Option
		want []string
	}{
		{"a type", []Option{RefusedIf(OfType[*errTaken]), LostBy(errLost)}, nil},
		{"a function", []Option{
			RefusedIf(func(err error) bool { return strings.HasSuffix(err.Error(), "taken") }),
			LostBy(errLost),
		}, nil},
		{"never returned", []Option{RefusedBy(errNever), RefusedIf(OfType[*errTaken]), LostBy(errLost), RefusedIf(OfType[*net.OpError])}, []string{never + "number 3 of the refusals", never + "of another lock"}},
	} {
		t.Run(test.what, func(t *testing.T) {
			o := defaults()
			o.plan.Hazards = []string{"contention", "overrun"} // in which a lease ends, too
			for _, opt := range test.opts {
				opt(&o)
			}
			if got := hintsOf(t, own, &o); !slices.Equal(got, test.want) {
				t.Errorf("%q", got)
			}
		})
	}
	if r := Tried(t, own, "contention", RefusedBy(errNever), RefusedIf(OfType[*errTaken])); r != nil {
		if got := r.Facts.Returned; len(got) != 2 || got["of another lock"] || !got["number 2 of the refusals"] {
			t.Errorf("the lock's process says %v", got)
		}
	}
}

// TestNoHint: a hint is about what was seen.
func TestNoHint(t *testing.T) {
	testkit.Single(t)
	fails := func(c Client) (Lock, error) {
		p := &plain{redis: c.Redis, key: c.Key, ttl: c.TTL}
		return Funcs(func(ctx context.Context) error {
			if err := p.Lock(ctx); err != nil {
				return errors.New("something is wrong")
			}
			return errors.New("it never works")
		}, p.Unlock), nil
	}
	// As redsync's TryLock does: a new value for each try, and who fails releases it.
	releases := func(c Client) (Lock, error) {
		tries := 0
		p := &plain{redis: c.Redis, key: c.Key, ttl: c.TTL}
		return Funcs(func(ctx context.Context) error {
			tries++
			p.token = fmt.Sprintf("%s-%d", c.Name, tries)
			ok, err := c.Redis.SetNX(ctx, c.Key, p.token, c.TTL).Result()
			if err != nil || !ok {
				_, _ = p.unlock(ctx)
			}
			return refused(ok, err)
		}, p.Unlock), nil
	}
	for name, f := range map[string]Factory{"it fails though nobody has it": fails, "a failed try is released": releases} {
		t.Run(name, func(t *testing.T) {
			o := defaults()
			o.plan.Hazards = []string{"contention", "lost-reply", "late-request", "partition"}
			o.limit = time.Minute
			if got := hintsOf(t, f, &o); len(got) > 0 {
				t.Errorf("%q", got)
			}
		})
	}
	// SETNX, a subscription, its confirmation, SETNX: the second look is no try.
	for how, want := range map[waiting]bool{byChannel: false, byTimeout: false, byBLPop: false} {
		if got := probe(inProcess(waitsBy(how))).traits.AtOnce; got != want {
			t.Errorf("%s: at once: %t", how, got)
		}
	}
}

// TestMute: a lock that a package variable keeps out is compiled again before it is refused, since
// it may be an earlier run that has left it so.
func TestMute(t *testing.T) {
	testkit.Single(t)
	atWork := make(chan struct{}, 1)
	atWork <- struct{}{} // as an earlier run leaves it
	_, seen, odd := probed(inProcess(func(c Client) (Lock, error) {
		return Funcs(func(ctx context.Context) error {
			select {
			case atWork <- struct{}{}:
				return c.Redis.SetNX(ctx, c.Key, c.Name, c.TTL).Err()
			default:
				return ErrNotAcquired
			}
		}, func(ctx context.Context) error { <-atWork; return nil }), nil
	}))
	if !odd || seen.Mute != "refused" {
		t.Errorf("odd %t, it says %q", odd, seen.Mute)
	}
}
