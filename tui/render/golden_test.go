package render

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/lesson"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

var update = flag.Bool("update", false, "rewrite the golden frames")

// frames draws at every width and with every set of glyphs, and compares with
// the golden file. A $ ends each line, so that blanks at the end can be seen.
func frames(t *testing.T, draw func(t Theme, w int) Lines) {
	t.Helper()
	var b strings.Builder
	for _, w := range []int{38, 60, 80, 120} {
		for _, glyphs := range []string{"unicode", "ascii"} {
			lines := draw(themed(glyphs == "ascii"), w)
			b.WriteString("== " + strings.Repeat("=", w-3) + " " + glyphs + "\n")
			for _, line := range lines {
				b.WriteString(line.Text() + "$\n")
			}
			fits(t, lines, w)
		}
	}
	file := filepath.Join("testdata", strings.TrimPrefix(t.Name(), "Test")+".golden")
	if *update {
		testkit.OK(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	want := testkit.Must(os.ReadFile(file))(t)
	if got := b.String(); got != string(want) {
		t.Errorf("the frames differ from %s; -update rewrites it, and look at the difference:\n%s", file, got)
	}
}

// english are the labels of package prose, which is not for this one to know.
var english = lesson.Labels{
	Pair:      func(a, b string) string { return a + ": " + b },
	List:      func(a, b string) string { return a + ", " + b },
	Invariant: func(id string) string { return id },
	Violated:  func(id string) string { return "VIOLATED " + id },
	Printed: func(l history.Line) string {
		if l.Broken != nil {
			return "VIOLATED " + l.Broken.Invariant + ": " + l.Text.String()
		}
		return l.Text.String()
	},
	Time: "time", Picture: lesson.Words{Crowd: "two inside", NoTTL: "no TTL", Sign: func(id string) string { return id }}, NoKeys: "no keys", Gone: "gone", New: "new", NewTTL: "new TTL", NoTTL: "no TTL", TTLOver: "TTL over",
	More: func(n int) string { return fmt.Sprintf("and %d more", n) },
	Rest: func(hold, open, more int) string {
		return fmt.Sprintf("%d hold, %d open, %d more violated", hold, open, more)
	},
	Axis: "step", Overlap: "overlap", Nobody: "nobody's",
	Several: func(n int) string { return fmt.Sprintf("%d at once", n) },
	Since:   func(n int) string { return fmt.Sprintf("from step %d", n) },
	Dead:    "dead", Hung: "hangs", Trying: "is trying", Refused: "was refused", Unknown: "does not know", Nothing: "does not hold it",
	Held: "holds it", AtWork: "holds it, at work", Unprotected: "at work without it",
	Owned: "its lock", LeftBehind: "left behind", Wrong: "WRONG", NoLock: "no lock in Redis",
	OnNodes: func(n, of int) string { return fmt.Sprintf("on %d of %d", n, of) },
	Why:     "Why", Replaying: "playing",
	Step: func(n int) string { return fmt.Sprintf("step %d", n) },
	Lock: "Lock", NotYet: "not yet", Working: "working", Holds: "holds", Vacuous: "vacuous", Inconclusive: "limit", Harm: func(h history.Harm) string { return string(h) },
	Moves: func(n int) string { return fmt.Sprintf("%d moves", n) }, From: func(n int) string { return fmt.Sprintf("from %d", n) },
	Alive: "alive", Inside: "in the critical section", Acts: "acts", Fault: "a fault",
	Bad: "violation, or wrong belief", Here: "lit: code, command, key", Believes: "believes it holds it",
	Initial: "owner of the key", Broken: "was broken before", Open: "not decided yet", Parts: "here they part",
}

// themed is a theme with them.
func themed(onlyASCII bool) Theme {
	t := NewTheme(onlyASCII)
	t.Labels = english
	return t
}

// sep is a line between two drawings.
func sep(text string) Line { return Normal.Line(text) }

// texts are lines without their roles.
func texts(lines Lines) (out []string) {
	for _, line := range lines {
		out = append(out, line.Text())
	}
	return out
}

// fixture reads a recorded history with its violations.
func fixture(t *testing.T, name string) *lesson.Run {
	t.Helper()
	config, schedule, err := history.ParseToken(map[string]string{
		"crash":   "ls1.hYEgRCouKUosSU2vtC1OLcmr0E2tKMgsSlVIzslMzSsptnXUceJy1DJScNRLLkoszlDQtjAzMQABBSctI0AAAAD__w",
		"dog":     "ls1.Y0O7HCouKUosSU2vtC1PLEnOSMlP181LzCxLVUjOyUzNKym2ddRx0nFWKM8vyrY1NCjmctQyUXDUN1RwVNA2MzAwUHDSMlFw0jdUcFJwBIlrGSloG5qZmRNim1haWio4apkCAgAA__8",
		"overrun": "ls1.KhRNUSouKUosSU2vtC1OLdFNSc1RSM7JTM0rKbZ11HFSKM8vyrY1NCjmctQyVtA2MzAwUHACsQxBLEcIbaDgqGUCCAAA__8",
		"red":     "ls1.joKX-SouKUosSU2vtC1KTcnJT85WSM7JTM0rKbZ11HHScVYozy_KtjU0KOZy1LJU0DYzMDBQcNKyVHBU0DY0AHEctQyNAQEAAP__",
	}[name])
	if err != nil {
		t.Fatal(err)
	}
	r := testkit.Must(scenarios.Replay(t.Context(), config, schedule))(t)
	return lesson.NewRun(r.History, nil, history.Check(r.History))
}
