package sim_test

import (
	"context"
	"errors"
	"testing"

	"github.com/redis/go-redis/v9"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/strategies"
)

// finish steps every client to its end.
func finish(t testing.TB, w *sim.World, clients []string) {
	for _, name := range clients {
		for !w.Threads(name)[0].Ended {
			if err := w.Perform(history.Action{Verb: history.Step, Client: name}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// BenchmarkWorld is a whole world of two clients and one node, run to its end:
// ten commands or so.
func BenchmarkWorld(b *testing.B) {
	for _, id := range []string{"setnx-expire", "set-lua"} {
		b.Run(id, func(b *testing.B) {
			c := history.Default()
			c.Strategy, c.Rounds = id, 2
			s := subject(b, id)
			b.ReportAllocs()
			for b.Loop() {
				w, err := sim.New(c, s)
				if err != nil {
					b.Fatal(err)
				}
				finish(b, w, c.Clients)
				w.Close()
			}
		})
	}
}

// BenchmarkCommand is one command through go-redis, seam and miniredis, with
// its step, its events and what it changes. A thousandth of a world is part of
// it.
func BenchmarkCommand(b *testing.B) {
	for name, do := range map[string]func(context.Context, strategies.Env) error{
		"SET":  func(ctx context.Context, e strategies.Env) error { return e.Redis.Set(ctx, e.Key, "x", e.TTL).Err() },
		"GET":  func(ctx context.Context, e strategies.Env) error { return e.Redis.Get(ctx, e.Key).Err() },
		"EVAL": func(ctx context.Context, e strategies.Env) error { return e.Redis.Eval(ctx, "return 1", nil).Err() },
	} {
		b.Run(name, func(b *testing.B) {
			s := script(func(ctx context.Context, e strategies.Env) error {
				for {
					if err := do(ctx, e); err != nil && !errors.Is(err, redis.Nil) {
						return err
					}
				}
			})
			step := history.Action{Verb: history.Step, Client: "A"}
			c := history.Default()
			c.Strategy = "bench"
			const perWorld = 1000 // a world's history grows, so it is renewed
			var w *sim.World
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if i%perWorld == 0 {
					if w != nil {
						w.Close()
					}
					var err error
					if w, err = sim.New(c, s); err != nil {
						b.Fatal(err)
					}
					if err := w.Perform(step); err != nil {
						b.Fatal(err)
					}
				}
				if err := w.Perform(step); err != nil {
					b.Fatal(err)
				}
			}
			w.Close()
		})
	}
}
