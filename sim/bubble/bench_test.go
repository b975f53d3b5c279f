package bubble_test

import (
	"testing"

	"lockstep/scenarios"
	"lockstep/sim/bubble"
	"lockstep/sim/history"
	"lockstep/sim/world"
)

func BenchmarkRun(b *testing.B) {
	for _, id := range []string{"set-lua", "redlock"} {
		b.Run(id, func(b *testing.B) {
			subject, err := scenarios.SubjectOf(id)
			if err != nil {
				b.Fatal(err)
			}
			subject.Start = bubble.Start
			c := history.Default()
			c.Strategy, c.Clients = id, []string{"A"}
			steps := 0
			for b.Loop() {
				w, err := world.New(c, subject)
				if err != nil {
					b.Fatal(err)
				}
				for w.Perform(history.Action{Verb: history.Step, Client: "A"}) == nil {
					steps++
				}
				w.Close()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(steps), "µs/step")
		})
	}
}
