package explore

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

var update = flag.Bool("update", false, "write the figures of the explorations anew")

// measured are explorations of each kind: one node and several, messages, a
// background thread, clients that poll, code in a bubble; decided and cut by states.
var measured = []struct {
	lock, hazard string
	states       int // the limit; 0 for the usual one
}{
	{"set-lua", "contention", 0}, {"set-lua", "overrun", 0}, {"set-del", "late-request", 0}, {"fenced", "client-clock", 0},
	{"reentrant-hash", "reentry", 0}, {"pubsub-wakeup", "lost-push", 0}, {"list-semaphore", "crash", 0}, {"watch-del", "lost-reply", 0},
	{"watchdog-lua", "crash", 20_000}, {"watchdog-naive", "overrun", 10_000}, {"redlock", "contention", 10_000}, {"redlock-naive", "node-restart", 10_000},
	{"zk-ephemeral", "contention", 0},
}

// figures are the numbers of an exploration that do not depend on the machine. The
// allocations nearly do not: a few buffers are kept for reuse as chance has it.
var figures = []string{"states", "transitions", "client-runs", "node-runs", "allocations"}

const figuresFile = "testdata/figures.txt"

// TestFigures: no exploration costs more than a tenth above what testdata/figures.txt
// says, in states, transitions, runs of real code, or allocations.
func TestFigures(t *testing.T) {
	if testkit.Raced {
		t.Skip("the race detector allocates too")
	}
	known := readFigures(t)
	written := "# Written by go test ./sim/explore -run TestFigures -update\n# lock hazard: " + strings.Join(figures, " ") + "\n"
	for _, m := range measured {
		of := m.lock + " " + m.hazard
		got := measure(t, m.lock, m.hazard, m.states)
		written += fmt.Sprintf("%s: %s\n", of, strings.Trim(fmt.Sprint(got), "[]"))
		if want := known[of]; !*update && !slices.Equal(got, want) {
			compareFigures(t, of, got, want)
		}
	}
	if *update {
		testkit.OK(t, os.WriteFile(figuresFile, []byte(written), 0o644))
	}
}

func compareFigures(t *testing.T, of string, got, want []int) {
	t.Helper()
	if len(want) != len(figures) {
		t.Errorf("%s has %d figures in %s, not %d; -update writes them", of, len(want), figuresFile, len(figures))
		return
	}
	for i, name := range figures {
		switch {
		case got[i]*10 > want[i]*11:
			t.Errorf("%s: %d %s, and there were %d. If it has to be more than a tenth higher, run\n"+
				"\tgo test ./sim/explore -run TestFigures -update\nand say why in the message of the commit", of, got[i], name, want[i])
		case got[i]*11 < want[i]*10:
			t.Logf("%s: %d %s, and there were %d; -update keeps it so", of, got[i], name, want[i])
		}
	}
}

// measure explores and counts; first only a little, since what the process does once is none of its costs.
func measure(t *testing.T, lock, hazard string, states int) []int {
	t.Helper()
	l := lockOf(t, lock)
	h, _ := FindHazard(hazard)
	var r Report
	var before, after runtime.MemStats
	for _, h.Bounds.States = range []int{100, states} {
		runtime.ReadMemStats(&before)
		r = testkit.Must(Explore(t.Context(), h.Config(l, "A", "B"), l.Subject, h.Bounds, Options{}))(t)
		runtime.ReadMemStats(&after)
	}
	return []int{r.States, r.Transitions, r.ClientRuns, r.NodeRuns, int(after.Mallocs - before.Mallocs)}
}

// readFigures returns the figures of the file, by lock and hazard.
func readFigures(t *testing.T) map[string][]int {
	t.Helper()
	text, err := os.ReadFile(figuresFile)
	if err != nil && !*update {
		t.Fatal(err)
	}
	known := map[string][]int{}
	for line := range strings.Lines(string(text)) {
		of, numbers, _ := strings.Cut(line, ":")
		for _, field := range strings.Fields(numbers) {
			n := 0
			_, _ = fmt.Sscan(field, &n) // 0 is too few
			known[of] = append(known[of], n)
		}
	}
	return known
}
