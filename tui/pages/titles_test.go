package pages

import (
	"testing"

	"lockstep/internal/course"
	"lockstep/internal/progress"
	"lockstep/scenarios"
	"lockstep/tui/render"
)

// TestTitlesFit: at 80 columns the title line of every part of the courses that come with
// Lockstep is whole, also when the title of its story may be shown.
func TestTitlesFit(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for _, id := range course.Names() {
		c := course.Named(id)
		for _, lang := range []string{"en", "zh"} {
			m := start(t, Options{Course: c, CourseAt: id, Lang: lang, Progress: progress.In(progress.Dir(c))}, 80, 24)
			for _, ch := range c.Chapters {
				for _, s := range ch.Plays() {
					answerAll(m, s)
				}
			}
			for i, ch := range c.Chapters {
				m.course.chapter.at = i
				for at := range partsOf(ch) {
					left, right := newChapterPage(m.shared, at).title()
					if n := render.Width(left) + 2 + render.Width(right); n > 80 {
						t.Errorf("%s, %s, chapter %d: %d columns: %s  %s", id, lang, i+1, n, left, right)
					}
				}
			}
		}
	}
}

// answerAll answers the questions of a story, so that its title is no longer hidden.
func answerAll(m *Shell, s *scenarios.Story) {
	for _, step := range s.Steps {
		for _, q := range step.Predict {
			if m.progress.Predictions[s.Name] == nil {
				m.progress.Predictions[s.Name] = map[string]progress.Answer{}
			}
			m.progress.Predictions[s.Name][q.Question] = progress.Answer{}
		}
	}
}
