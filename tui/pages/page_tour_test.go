package pages

import (
	"strings"
	"testing"

	"lockstep/internal/progress"
)

// TestTourComesOnce: it opens by itself where nothing is kept, is skipped by any of
// three keys, and is not seen again but from the help.
func TestTourComesOnce(t *testing.T) {
	for away, to := range map[string]string{"esc": "locks", "q": "locks", "right right right right right": "course"} {
		dir := t.TempDir()
		m := start(t, Options{Tour: true, Progress: progress.In(dir)}, 80, 24)
		if !isOn[*tourPage](m) {
			t.Fatalf("no tour:\n%s", m.View())
		}
		drain(m, m.Init())
		wantIn(t, m, "tour 1 of 5", "▸Steps", "lane")
		if cmd := press(m, strings.Fields(away)...); at(m) != to || isQuit(cmd) {
			t.Errorf("after %s at %s", away, at(m))
		}
		if err := m.store.Save(); err != nil {
			t.Fatal(err)
		}
		m = start(t, Options{Tour: true, Progress: progress.In(dir)}, 80, 24)
		if isOn[*tourPage](m) {
			t.Error("it comes again")
		}
		press(m, "?", "T")
		wantIn(t, m, "tour 1 of 5")
		press(m, "right", "right", "right")
		wantIn(t, m, "VIOLATED foreign-release", "[1] step 9", "1, 2, 3")
		press(m, "left", "esc")
		if at(m) != "locks" {
			t.Errorf("at %s", at(m))
		}
	}
	m := start(t, Options{Tour: true, Story: parse(t, crashStory)}, 80, 24)
	if isOn[*tourPage](m) {
		t.Error("it is in the way of what was asked for")
	}
}

func TestTourFrames(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		for _, stop := range []string{"1", "4"} {
			goldenFrames(t, "tour_"+stop+"_"+lang, func(w, h int) *Shell {
				m := start(t, Options{Lang: lang}, w, h)
				press(m, "?", "T")
				for range stop[0] - '1' {
					press(m, "right")
				}
				return m
			})
		}
	}
}
