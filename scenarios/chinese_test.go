package scenarios

import (
	"testing"

	"lockstep/internal/testkit/chinese"
)

// TestChineseStories: what the stories say in Chinese is written as Chinese is.
func TestChineseStories(t *testing.T) {
	stories, err := Stories()
	if err != nil {
		t.Fatal(err)
	}
	look := func(story, text string) {
		if wrong := chinese.Punctuation(text); len(wrong) > 0 {
			t.Errorf("%s: %q\n%s", story, wrong, text)
		}
	}
	for _, s := range stories {
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
