package pages

import (
	"os"
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
		wantIn(t, m, "VIOLATED mutual-exclusion", "[2] step 8", "1, 2, 3")
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

// TestTourShowsWhatItExplains: where it explains the source and the keys, they are on the
// screen, and so are the marks of the bands with the bands. Its story is in no course.
func TestTourShowsWhatItExplains(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	press(m, "?", "T", "right")
	wantIn(t, m, "Source set_del.go", "lock:stock new", "lit step")
	press(m, "right")
	wantIn(t, m, "▮ in the critical section", "overlap: 2 at once")
	for _, dir := range []string{"locks", "locks-in-go-services", "redis-locks-in-an-hour", "three-ways-to-a-lock", "what-redlock-assumes"} {
		text, err := os.ReadFile("../../internal/course/builtin/" + dir + "/course.toml")
		if err != nil || strings.Contains(string(text), tourStory) {
			t.Errorf("%s tells the story of the tour: %v", dir, err)
		}
	}
}
