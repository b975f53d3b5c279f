package explore

import (
	"context"
	"fmt"
	"testing"

	"lockstep/internal/testkit/simtest"
)

// BenchmarkExplore reports states and transitions per second and bytes per
// state at growing sizes, with one worker per processor (-cpu 1 for one). Real
// code runs about as often at each size.
func BenchmarkExplore(b *testing.B) {
	for _, size := range []struct {
		clients []string
		rounds  int
	}{{[]string{"A", "B"}, 2}, {[]string{"A", "B", "C"}, 1}, {[]string{"A", "B", "C"}, 2}, {[]string{"A", "B", "C", "D"}, 1}, {[]string{"A", "B", "C", "D"}, 2}} {
		b.Run(fmt.Sprintf("clients=%d/rounds=%d", len(size.clients), size.rounds), func(b *testing.B) {
			h, _ := FindHazard("overrun")
			c := h.Config(lockOf(b, "set-lua"), size.clients...)
			c.Rounds = size.rounds
			h.Bounds.States = 6_000_000
			var r Report
			for b.Loop() {
				var err error
				if r, err = Explore(context.Background(), c, simtest.Subject(b, "set-lua"), h.Bounds, Options{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(r.States), "states")
			b.ReportMetric(float64(r.States)*float64(b.N)/b.Elapsed().Seconds(), "states/s")
			b.ReportMetric(float64(r.Transitions)*float64(b.N)/b.Elapsed().Seconds(), "transitions/s")
			b.ReportMetric(float64(r.Bytes)/float64(r.States), "B/state")
			b.ReportMetric(float64(r.ClientRuns), "client-runs")
			b.ReportMetric(float64(r.NodeRuns), "node-runs")
		})
	}
}
