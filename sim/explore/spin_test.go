package explore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/simtest"
	"lockstep/sim/history"
)

// TestAgainstSpin compares the explorer with a hand-written Promela model of
// two locks: the numbers of states and transitions must be equal. The model
// knows nothing of Go, tries or miniredis, and Spin is an independent checker.
func TestAgainstSpin(t *testing.T) {
	t.Parallel()
	spin, err := exec.LookPath("spin")
	if err != nil {
		t.Skip("spin is not installed, so the explorer is not compared with the Promela model: ", err)
	}
	cc, err := exec.LookPath("cc")
	if err != nil { // spin also needs the preprocessor
		t.Skip("there is no C compiler, so the explorer is not compared with the Promela model: ", err)
	}
	for _, w := range testkit.Some(t, spinWorlds(), 2, 1) {
		config, bounds := w.exactly(t)
		name := fmt.Sprintf("%s, %s, clients %s, rounds %d, work %v, %d of %v", w.lock, w.hazard, w.clients, w.rounds, config.Work, bounds.Budget, bounds.Faults)
		r, err := Explore(t.Context(), config, simtest.Subject(t, w.lock), bounds, Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		if r.Limit != "" {
			t.Errorf("%s: the explorer stopped at its limit on %s", name, r.Limit)
			continue
		}
		states, transitions, err := runSpin(t, spin, cc, promela(config, bounds))
		if err != nil {
			t.Fatal(name, err)
		}
		t.Logf("%s: explorer %d states, %d transitions; spin %d, %d", name, r.States, r.Transitions, states, transitions)
		if r.States != states || r.Transitions != transitions {
			t.Errorf("%s: the explorer has %d states and %d transitions, spin %d and %d", name, r.States, r.Transitions, states, transitions)
		}
	}
}

// spinWorlds are, for each lock, every hazard with two clients, and some larger
// worlds.
func spinWorlds() []spinWorld {
	var worlds []spinWorld
	for _, lock := range []string{"get-then-del", "set-lua"} {
		for _, h := range Hazards() {
			if h.ID == "cancel" { // the model's clients have no contexts
				continue
			}
			worlds = append(worlds, spinWorldOf(lock, h.ID+" A,B 1"))
		}
		for _, more := range []string{
			"node-restart A,B 2", "node-restart A,B,C 1", "node-clock A,B 2", "node-clock A,B,C 1", "eviction A,B 2", "eviction A,B,C 1",
			"failover A,B 2", "failover A,B,C 1", "partition A,B 2", "partition A,B,C 1", "contention A,B 2", "lost-reply A,B 2",
			"overrun A,B 2", "overrun A,B 1 at-work", "overrun A,B,C 1", "late-request A,B,C 1", "node-restart A,B 1 twice",
			"failover A,B 1 twice", "failover A,B 1 evicts", "failover A,B 1 clocks", "failover A,B 1 pauses",
		} {
			worlds = append(worlds, spinWorldOf(lock, more))
		}
	}
	return worlds
}

type spinWorld struct {
	lock, hazard, clients string
	rounds                int
	adapt                 string // the hazard; "" keeps it
}

func spinWorldOf(lock, more string) spinWorld {
	w := spinWorld{lock: lock}
	_, _ = fmt.Sscan(more, &w.hazard, &w.clients, &w.rounds, &w.adapt) // the last may be missing
	return w
}

// exactly returns the world's configuration and bounds, with every order of threads apart.
func (w spinWorld) exactly(t testing.TB) (history.Config, Bounds) {
	h, ok := FindHazard(w.hazard)
	if !ok {
		t.Fatalf("no hazard %q", w.hazard)
	}
	switch w.adapt {
	case "at-work": // without work, a DEL of another's lock leads to no state that the end of that lock's lease does not lead to
		h.Set, h.Bounds.Ticks = work, 3
	case "twice":
		h.Bounds.Budget = 2
	case "pauses": // until the keys of a replica have expired
		h.Bounds.Anywhere, h.Bounds.Leap, h.Bounds.Ticks = true, lease+1, 2
	case "clocks": // of a node, whose replica has its own
		h.Bounds.Faults, h.Bounds.Budget = slices.Concat(promotions, ofNodeClocks), 2
	case "evicts": // a key that a replica may still have
		h.Bounds.Faults, h.Bounds.Budget = slices.Concat(promotions, verbs(history.Evict)), 2
	}
	h.Bounds.Exact = true
	config := h.Config(lockOf(t, w.lock), strings.Split(w.clients, ",")...)
	config.Rounds = w.rounds
	return config, h.Bounds
}

// promela returns the definitions that configure the model for a world.
func promela(c history.Config, b Bounds) []string {
	number := map[string]int{
		"CLIENTS": len(c.Clients), "ROUNDS": c.Rounds, "NEST": c.Nest, "TTL": int(c.TTL), "WORK": int(c.Work), "TIMEOUT": int(c.Timeout),
		"ATTEMPTS": 1 + int(c.Wait/c.Poll), "POLL": int(c.Poll),
		"TICKS": b.Ticks, "LEAP": int(b.Leap), "LAG": c.Lag, "BUDGET": b.Budget,
		"JUMP": 0, "NODE_JUMP": 0, "SLOW": 0, "FAST": 0, "NODE_SLOW": 0, "NODE_FAST": 0,
	}
	for name, on := range map[string]bool{
		"LUA": c.Strategy == "set-lua", "ANYWHERE": b.Anywhere,
		"CRASH": b.IsFault(history.Crash), "HANG": b.IsFault(history.Hang), "FLUSH": b.IsFault(history.Flush),
		"LOSE_REPLY": b.IsFault(history.LoseReply), "LATE": b.IsFault(history.Late),
		"WIPE": b.IsFault(history.Wipe), "EVICT": b.IsFault(history.Evict), "PROMOTE": b.IsFault(history.Promote), "PARTITION": b.IsFault(history.Cut) && b.IsFault(history.Heal),
	} {
		number[name] = 0
		if on {
			number[name] = 1
		}
	}
	for _, f := range b.Faults {
		whose := ""
		if f.Node != "" {
			whose = "NODE_"
		}
		switch by := int(max(f.By, -f.By)); {
		case f.Verb == history.Jump:
			number[whose+"JUMP"] = by // in both directions
		case f.Verb == history.Rate && by < 1000:
			number[whose+"SLOW"] = by
		case f.Verb == history.Rate:
			number[whose+"FAST"] = by
		}
	}
	var defs []string
	for name, n := range number {
		defs = append(defs, fmt.Sprintf("-D%s=%d", name, n))
	}
	return defs
}

// runSpin returns the numbers of states and transitions of the model.
func runSpin(t *testing.T, spin, cc string, defs []string) (states, transitions int, err error) {
	verify, err := buildSpin(t, spin, cc, defs, "-O0")
	if err != nil {
		return 0, 0, err
	}
	return verify()
}

// buildSpin builds a verifier of the model and returns a function that runs it.
func buildSpin(t testing.TB, spin, cc string, defs []string, flags ...string) (verify func() (states, transitions int, err error), err error) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	t.Cleanup(cancel)
	// Read here, so that go test knows that the result depends on it.
	model, err := os.ReadFile("testdata/locks.pml")
	if err != nil {
		return nil, err
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "locks.pml"), model, 0o600); err != nil {
		return nil, err
	}
	run := func(name string, args ...string) (string, error) {
		cmd := exec.CommandContext(ctx, name, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%s: %w\n%s", cmd, err, out)
		}
		return string(out), err
	}
	// -o2 keeps variables that the model only writes: they are part of its
	// states.
	args := append([]string{"-P" + cc + " -E -x c", "-o2", "-a"}, defs...)
	if _, err := run(spin, append(args, "locks.pml")...); err != nil {
		return nil, err
	}
	// Without partial order reduction, so that every interleaving counts.
	if _, err := run(cc, append(flags, "-w", "-DNOREDUCE", "-DSAFETY", "-o", "pan", "pan.c")...); err != nil {
		return nil, err
	}
	return func() (states, transitions int, err error) {
		out, err := run(filepath.Join(dir, "pan"), "-m100000")
		if err != nil {
			return 0, 0, err
		}
		if !strings.Contains(out, "errors: 0") || strings.Contains(out, "not completed") || strings.Contains(out, "max search depth too small") {
			return 0, 0, errors.New("spin did not finish:\n" + out)
		}
		if states, err = figure(out, "states, stored"); err != nil {
			return 0, 0, err
		}
		transitions, err = figure(out, "transitions")
		// Spin counts the creation of the first state as a transition.
		return states, transitions - 1, err
	}, nil
}

// BenchmarkBesideSpin measures, for some worlds, the explorer, and Spin on the Promela
// model of the same world: depth first, which suits it best, and breadth first, as the
// explorer searches. An operation of Spin includes the compilation of the model. All have
// the same states and transitions.
func BenchmarkBesideSpin(b *testing.B) {
	spin, err := exec.LookPath("spin")
	if err != nil {
		b.Skip(err)
	}
	for _, w := range []spinWorld{
		spinWorldOf("set-lua", "lost-reply A,B 2"), spinWorldOf("get-then-del", "overrun A,B,C 1"), spinWorldOf("set-lua", "late-request A,B,C 1"),
		spinWorldOf("set-lua", "failover A,B,C 1"), spinWorldOf("set-lua", "overrun A,B,C 2"),
	} {
		config, bounds := w.exactly(b)
		bounds.States = 6_000_000
		name := fmt.Sprintf("%s/%s/%s/rounds=%d/", w.lock, w.hazard, w.clients, w.rounds)
		b.Run(name+"explorer", func(b *testing.B) {
			var r Report
			for b.Loop() {
				if r, err = Explore(b.Context(), config, simtest.Subject(b, w.lock), bounds, Options{}); err != nil || r.Limit != "" {
					b.Fatal(r.Limit, err)
				}
			}
			reportSearch(b, r.States, r.Transitions, b.Elapsed())
		})
		for _, order := range []struct {
			name  string
			flags []string // of the compiler, and of the model, which has no hidden variables then
		}{{"depth-first", nil}, {"breadth-first", []string{"-DBFS"}}} {
			b.Run(name+"spin/"+order.name, func(b *testing.B) {
				var states, transitions int
				var searching time.Duration
				for b.Loop() {
					verify, err := buildSpin(b, spin, "cc", append(promela(config, bounds), order.flags...), append(order.flags, "-O2")...)
					if err != nil {
						b.Fatal(err)
					}
					began := time.Now()
					if states, transitions, err = verify(); err != nil {
						b.Fatal(err)
					}
					searching += time.Since(began)
				}
				reportSearch(b, states, transitions, searching)
			})
		}
	}
}

func reportSearch(b *testing.B, states, transitions int, took time.Duration) {
	each := took / time.Duration(b.N)
	b.ReportMetric(float64(states), "states")
	b.ReportMetric(float64(transitions), "transitions")
	b.ReportMetric(each.Seconds(), "s-searching")
	b.ReportMetric(float64(transitions)/each.Seconds(), "transitions/s")
}

// figure returns the number before some words in a verifier's report.
func figure(report, words string) (int, error) {
	found := regexp.MustCompile(`(?m)^\s*(\d+) ` + words).FindStringSubmatch(report)
	if found == nil {
		return 0, fmt.Errorf("no %q in the report of spin:\n%s", words, report)
	}
	return strconv.Atoi(found[1])
}
