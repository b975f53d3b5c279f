package course

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/files"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

func check(t *testing.T, changed map[string]string) *Report {
	t.Helper()
	par := func(context.Context, *scenarios.Level) (int, bool, error) { return 11, true, nil }
	return testkit.Must(Check(t.Context(), small(changed), "x", Options{Par: par}))(t)
}

// TestCheckEnds: after many mistakes, and it says so.
func TestCheckEnds(t *testing.T) {
	var links strings.Builder
	for i := range maxMistakes + 100 {
		fmt.Fprintf(&links, "[a](#b%d)", i)
	}
	found := check(t, edit(t, "prose/en.toml", "The second.", links.String())).Problems
	last := found[len(found)-1]
	if len(found) != maxMistakes+1 || last.Kind != Unread || last.Err.Error() != "x has at least 500 mistakes; the check ends here, and the rest has not been looked at" {
		t.Errorf("%d mistakes, the last one: %v", len(found), last)
	}
}

// TestLongLinks: they are refused, and not quoted whole.
func TestLongLinks(t *testing.T) {
	long := strings.Repeat("a", maxLink)
	for _, link := range []string{"[a](#" + long + ")", "<https://example.org/" + long + ">"} {
		links := 0
		for _, p := range check(t, edit(t, "prose/en.toml", "The second.", link)).Problems {
			if p.Kind == Link {
				links++
				if text := p.Err.Error(); !strings.HasPrefix(text, "x/prose/en.toml:7:9: the link") || !strings.HasSuffix(text, "bytes; at most 2000 fit") || len(text) > 1000 {
					t.Error(text)
				}
			}
		}
		if links != 1 {
			t.Errorf("%.30s: %d links", link, links)
		}
	}
}

// TestWorkOfACheck: it is bounded, by what is played and by what may be played for a
// violation.
func TestWorkOfACheck(t *testing.T) {
	for _, c := range []struct{ actions, violations, runs int }{
		{20_000, 0, 250},
		{20_000, 2, 22},
		{100, 3, 166},
	} {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		k := &checker{ctx: ctx, stop: stop, shown: "x", report: &Report{}}
		r := &scenarios.Result{History: history.History{Schedule: make(history.Schedule, c.actions)}}
		for n := 1; n <= c.runs+1; n++ {
			k.works(r, c.violations)
			if k.stopped != (n > c.runs) {
				t.Fatalf("%+v: after %d runs the check has ended: %v", c, n, k.stopped)
			}
		}
		if got := k.report.Problems; len(got) != 1 || got[0].Kind != Unread || !strings.Contains(got[0].Err.Error(), "more than 5000000 actions") {
			t.Errorf("%v", got)
		}
	}
}

// TestLargeLevels: the check ends after some that nobody can explore.
func TestLargeLevels(t *testing.T) {
	level := scenarios.Level{ID: "l"}
	asked := 0
	k := &checker{
		ctx: t.Context(), stop: func() {}, shown: "x", report: &Report{}, c: &Course{Levels: slices.Repeat([]scenarios.Level{level}, 100), leveled: &files.TOML{}},
		options: Options{Par: func(context.Context, *scenarios.Level) (int, bool, error) { asked++; return 0, false, nil }},
	}
	if k.levels(); asked != maxLarge || !k.stopped {
		t.Errorf("%d levels are explored: %v", asked, k.report.Problems)
	}
}
