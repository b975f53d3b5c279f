package locktest

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/sim/history"
)

type calls = func(ctx context.Context, f func(context.Context) error) error

// of makes a lock of a function that calls back.
func of(do func(p *plain) calls) Factory {
	return func(c Client) (Lock, error) {
		return With(do(&plain{redis: c.Redis, key: c.Key, ttl: c.TTL})), nil
	}
}

// TestWith: the callback is what the lock guards.
func TestWith(t *testing.T) {
	for _, test := range []struct {
		what string
		do   func(p *plain) calls
		opts []Option
		want []string
	}{
		{"the callback after the release", func(p *plain) calls {
			return func(ctx context.Context, f func(context.Context) error) error {
				if err := p.Lock(ctx); err != nil {
					return err
				}
				return errors.Join(p.Unlock(ctx), f(ctx))
			}
		}, []Option{Hazards(Contention)}, []string{"contention phantom-hold"}},
		{"the callback without the lock", func(p *plain) calls {
			return func(ctx context.Context, f func(context.Context) error) error {
				_ = p.Lock(ctx)
				return errors.Join(f(ctx), p.Unlock(ctx))
			}
		}, []Option{Hazards(Contention)}, []string{"contention phantom-hold"}},
		{"nothing is done if it is taken", func(p *plain) calls {
			return func(ctx context.Context, f func(context.Context) error) error {
				if err := p.withLock(ctx, f); !errors.Is(err, ErrNotAcquired) {
					return err
				}
				return nil
			}
		}, []Option{Hazards(Contention)}, nil},
		{"goroutines of one process", func(p *plain) calls {
			return func(ctx context.Context, f func(context.Context) error) error {
				own := *p
				return own.withLock(ctx, f)
			}
		}, []Option{Hazards(Contention, Crash), Goroutines(2)}, nil},
	} {
		t.Run(test.what, func(t *testing.T) {
			o := defaults()
			for _, opt := range test.opts {
				opt(&o)
			}
			if found := violationsOf(t, of(test.do), &o); !slices.Equal(found, test.want) {
				t.Errorf("found %v, want %v", found, test.want)
			}
		})
	}
}

// TestWithEnds: the work ends with the context of the callback, and the client with a
// function that does not return.
func TestWithEnds(t *testing.T) {
	for _, test := range []struct {
		what string
		do   func(p *plain) calls
		is   func(history.Event) bool
	}{
		{"its context ends", func(p *plain) calls {
			return func(ctx context.Context, f func(context.Context) error) error {
				ctx, cancel := context.WithTimeout(ctx, time.Second)
				defer cancel()
				return p.withLock(ctx, f)
			}
		}, func(e history.Event) bool { return e.Op == history.Abandon }},
		{"a panic before", func(*plain) calls {
			return func(context.Context, func(context.Context) error) error { panic("no idea") }
		}, func(e history.Event) bool {
			return e.Kind == history.Panic && strings.HasPrefix(e.Text, "no idea (")
		}},
		{"a panic after", func(p *plain) calls {
			return func(ctx context.Context, f func(context.Context) error) error {
				_ = p.withLock(ctx, f)
				panic("no idea")
			}
		}, func(e history.Event) bool { return e.Kind == history.Panic && strings.HasPrefix(e.Text, "no idea (") }},
		{"Goexit", func(p *plain) calls {
			return func(ctx context.Context, f func(context.Context) error) error {
				runtime.Goexit()
				return nil
			}
		}, func(e history.Event) bool { return e.Kind == history.Panic && strings.Contains(e.Text, "Goexit") }},
	} {
		t.Run(test.what, func(t *testing.T) {
			config := history.Default()
			config.Clients, config.Work = []string{"A"}, 2*history.Second
			h, _ := played(inProcess(of(test.do)), config)
			if slices.ContainsFunc(h.Events, func(e history.Event) bool { return e.Kind == history.Request && e.Strand > 0 }) {
				t.Error("its commands are not the client's own, but another goroutine's")
			}
			if !slices.ContainsFunc(h.Events, test.is) {
				t.Errorf("%v", h.Events)
			}
		})
	}
}
