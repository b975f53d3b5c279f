package explore

import (
	"context"
	"testing"
)

// BenchmarkRow measures a row of the matrix: one lock under every hazard. Most
// of the time is learning.
func BenchmarkRow(b *testing.B) {
	for _, id := range []string{"set-lua", "watchdog-lua", "redlock"} {
		b.Run(id, func(b *testing.B) {
			b.ReportAllocs()
			states, runs := 0, 0
			for b.Loop() {
				cells, err := Matrix(context.Background(), []Lock{lockOf(b, id)}, Hazards(), Within(Bounds{States: 200_000}, "A", "B"), 1, nil, nil)
				if err != nil {
					b.Fatal(err)
				}
				states = 0
				for _, c := range cells {
					states += c.Report.States
					runs = c.Report.ClientRuns
				}
			}
			b.ReportMetric(float64(states), "states")
			b.ReportMetric(float64(runs), "client-runs")
		})
	}
}
