package workshop

import (
	"path/filepath"
	"strings"
	"testing"

	"lockstep/scenarios"
	"lockstep/sim/history"
)

// storyOf is a story of the library.
func storyOf(t *testing.T, name string) *scenarios.Story {
	t.Helper()
	all, err := scenarios.Stories()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no story %s", name)
	return nil
}

// tokenOf is the token of a story's run.
func tokenOf(t *testing.T, s *scenarios.Story) string {
	t.Helper()
	r, err := scenarios.Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return history.Token(r.History.Config, r.History.Schedule)
}

// TestBack: after kill -9 the class is where it was: at a step of a chapter's part, at its
// poll, or in a story or a run that somebody has handed in.
func TestBack(t *testing.T) {
	story := storyOf(t, "a_late_del")
	run := tokenOf(t, story)
	whole, err := scenarios.ParseLesson(scenarios.Lesson{Story: story, Lang: "en", At: 3}.Token())
	if err != nil {
		t.Fatal(err)
	}
	first := whole
	first.At = 1
	for name, test := range map[string]struct {
		from string
		keys string
		to   string
		poll bool
	}{
		"a part":         {"course:set-del", "right right right", "course:set-del/work@3", false},
		"its poll":       {"course:set-del/break", "G", "course:set-del/break@13", true},
		"side by side":   {"course:set-del/compare", "right right", "course:set-del/compare@3", false},
		"a text":         {"course:set-del/why", "right", "course:set-del/fix", false},
		"a level":        {"course:set-del/compare@99", "right", "course:set-del/try", false},
		"a story":        {"a_late_del@4", "right", "a_late_del@5", false},
		"handed in":      {whole.Token(), "right", first.Token() + "@4", false},
		"handed in, run": {run, "right right", run + "@3", false},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "room.db")
			h := opened(t, file)
			trainer := h.trainer()
			en := trainer.events("/api/trainer/events?lang=en")
			trainer.must("/api/trainer/drive", m{"place": test.from})
			for _, key := range strings.Fields(test.keys) {
				trainer.must("/api/trainer/drive", m{"press": key})
			}
			heard(t, en, "frame", `"place":"`+test.to+`"`)
			if test.poll {
				heard(t, en, "poll", `"state":"open"`)
			}
			if err := h.flush(); err != nil { // as the beat does every second
				t.Fatal(err)
			}
			h.shut()

			h = opened(t, file)
			trainer = h.trainer()
			what := []string{`"place":"` + test.to + `"`}
			if test.poll {
				what = append(what, `"kind":"ask"`)
			}
			heard(t, trainer.events("/api/trainer/events?lang=en"), "", what...)
			if test.poll {
				h.mu.Lock()
				defer h.mu.Unlock()
				if p := h.room.current; p == nil || p.State != isOpen {
					t.Errorf("the poll is %+v", p)
				}
			}
		})
	}
}
