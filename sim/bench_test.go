package sim_test

import (
	"testing"

	"lockstep/sim"
	"lockstep/sim/history"
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
