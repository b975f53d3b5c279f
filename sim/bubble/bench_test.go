package bubble_test

import (
	"runtime"
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

// BenchmarkMemory plays 10,000 whole runs and reports the memory and goroutines
// that the last 9,000 leak, which should be none.
func BenchmarkMemory(b *testing.B) {
	subject, err := scenarios.SubjectOf("watchdog-lua")
	if err != nil {
		b.Fatal(err)
	}
	subject.Start = bubble.Start
	c := history.Default()
	c.Strategy, c.Clients = "watchdog-lua", []string{"A"}
	play := func(runs int) (bytes, goroutines int64) {
		for range runs {
			w, err := world.New(c, subject)
			if err != nil {
				b.Fatal(err)
			}
			for range 4 {
				if err := w.Perform(history.Action{Verb: history.Step, Client: "A"}); err != nil {
					b.Fatal(err)
				}
			}
			w.Close()
		}
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc + m.StackInuse), int64(runtime.NumGoroutine())
	}
	for b.Loop() {
		before, had := play(1000)
		after, has := play(9000)
		b.ReportMetric(float64(after-before)/1024, "KiB-more")
		b.ReportMetric(float64(has-had), "goroutines-more")
	}
}
