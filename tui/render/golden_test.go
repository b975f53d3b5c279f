package render

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/lesson"
	"lockstep/internal/prose"
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

// themed is a theme with the words of English.
func themed(onlyASCII bool) Theme {
	t := NewTheme(onlyASCII)
	t.Book = prose.Load("en")
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
