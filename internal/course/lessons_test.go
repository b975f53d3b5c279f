package course

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/chinese"
	"lockstep/scenarios"
)

// lessons are the courses that come with the program.
func lessons(t *testing.T) (all []*Course) {
	t.Helper()
	for _, id := range Names() {
		c := Named(id)
		all = append(all, c)
	}
	return all
}

// TestChineseLessons: what the courses say in Chinese is written as Chinese is.
func TestChineseLessons(t *testing.T) {
	look := func(where, text string) {
		if wrong := chinese.Punctuation(text); len(wrong) > 0 {
			t.Errorf("%s: %q\n%s", where, wrong, text)
		}
	}
	for _, c := range lessons(t) {
		look(c.ID, c.Title("zh"))
		look(c.ID, c.About("zh"))
		for _, ch := range c.Chapters {
			text := c.Text("zh", ch.ID)
			for _, said := range []string{text.Title, text.About, text.Question, text.Answer, text.After, text.Remember, text.Notes} {
				look(c.ID+", "+ch.ID, said)
			}
		}
		for _, s := range c.Stories {
			for _, step := range s.Steps {
				look(s.Name, step.Captions["zh"])
				for _, p := range step.Predict {
					look(s.Name, p.Ask("zh"))
					for _, choice := range p.Choices() {
						look(s.Name, p.Because("zh", choice))
					}
				}
			}
		}
	}
}

// TestLessonsAddUp: a course takes as long as its chapters, and the page that lists
// those of a class says how long.
func TestLessonsAddUp(t *testing.T) {
	text := testkit.Must(os.ReadFile("../../docs/teaching.md"))(t)
	page := strings.ReplaceAll(string(text), "\n", " ")
	says := func(c *Course, what string) {
		if !strings.Contains(page, what) {
			t.Errorf("docs/teaching.md does not say of %s: %s", c.ID, what)
		}
	}
	for _, c := range lessons(t) {
		if c.ID == Builtin {
			continue
		}
		all, core := 0, 0
		for _, ch := range c.Chapters {
			title := c.Text("en", ch.ID).Title
			if ch.Kind == Core {
				core += ch.Minutes
			} else {
				title = "*" + title + "*"
			}
			all += ch.Minutes
			says(c, fmt.Sprintf("| %s | %d |", title, ch.Minutes))
		}
		if all != c.Minutes {
			t.Errorf("%s: %d minutes, and its chapters take %d", c.ID, c.Minutes, all)
		}
		says(c, fmt.Sprintf("`%s`, %d minutes", c.ID, all))
		says(c, fmt.Sprintf("%d minutes", core))
	}
}

// TestThreeChoices: no question of a lesson is answered by tossing a coin.
func TestThreeChoices(t *testing.T) {
	for _, c := range lessons(t) {
		for _, s := range c.Stories {
			if err := scenarios.CheckChoices(t.Context(), s); err != nil {
				t.Error(err)
			}
			for _, step := range s.Steps {
				for _, p := range step.Predict {
					if len(p.Choices()) < 3 {
						t.Errorf("%s: %q has two choices", s.Name, p.Question)
					}
				}
			}
		}
	}
}
