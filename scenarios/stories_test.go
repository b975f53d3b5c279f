package scenarios

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/prose"
	"lockstep/internal/testkit"
	"lockstep/internal/testkit/chinese"
	"lockstep/internal/testkit/judge"
	"lockstep/sim/history"
	"lockstep/strategies"
)

var update = flag.Bool("update", false, "rewrite the expected output of the stories")

func TestStories(t *testing.T) {
	testkit.Single(t)
	t.Parallel()
	stories := allStories(t)
	for _, s := range stories {
		t.Run(s.Name, func(t *testing.T) {
			result := testkit.Must(Run(t.Context(), s))(t)
			if *update {
				file := filepath.Join("stories", s.Name+".txt")
				testkit.OK(t, os.WriteFile(file, []byte(rewritten(t, s, result.Outputs())), 0o644))
				return
			}
			judged(t, result)
			if err := result.Mismatch(s); err != nil {
				t.Error(err)
			}
			if err := result.Mispredicted(s); err != nil {
				t.Error(err)
			}
			if harm := harmOf(result); s.Harm() != harm {
				t.Errorf("it announces %q, its run has %q", s.Harm(), harm)
			}
		})
	}
}

// TestEverySeeIsThere: the story that a lock's source names exists.
func TestEverySeeIsThere(t *testing.T) {
	see := regexp.MustCompile(`(?m)^// See: +stories/(\w+)\.txt$`)
	for _, info := range strategies.Catalogue() {
		source := strategies.Source(info.File)
		m := see.FindStringSubmatch(source)
		if m == nil {
			t.Errorf("%s says no See", info.File)
			continue
		}
		if _, err := Find(m[1]); err != nil {
			t.Errorf("%s: %v", info.File, err)
		}
	}
}

func TestEveryLockHasAStory(t *testing.T) {
	stories := allStories(t)
	told := map[string]bool{}
	for _, s := range stories {
		told[s.Strategy()] = true
	}
	for _, info := range strategies.Catalogue() {
		if !told[info.ID] {
			t.Errorf("no story is about %s", info.ID)
		}
	}
}

// TestTexts: a story has a title in every language; a caption in one language has the same in all;
// every answer has its reason in every language; and Chinese texts are punctuated as such.
func TestTexts(t *testing.T) {
	stories := allStories(t)
	books := map[string]*prose.Book{}
	for _, lang := range prose.Languages() {
		books[lang] = bookIn(t, lang)
		text := testkit.Must(os.ReadFile(filepath.Join("..", "internal", "prose", lang, "stories.toml")))(t)
		if n := strings.Count(string(text), " = "); n < len(stories) { // those of the courses have titles too
			t.Errorf("stories.toml of %s has %d titles for %d stories", lang, n, len(stories))
		}
	}
	for _, s := range stories {
		look := func(text string) {
			if wrong := chinese.Punctuation(text); len(wrong) > 0 {
				t.Errorf("%s: %q\n%s", s.Name, wrong, text)
			}
		}
		for lang, book := range books {
			if book.Title(s.Name) == "" {
				t.Errorf("stories.toml of %s lacks %s", lang, s.Name)
			}
			for i, step := range s.Steps {
				if len(step.Captions) > 0 && step.Captions[lang] == "" {
					t.Errorf("%s: step %d has no caption in %s", s.Name, i+1, lang)
				}
				for _, p := range step.Predict {
					if !p.Translated(lang) || len(p.reasons) < 2 {
						t.Errorf("%s: %q is not explained in %s", s.Name, p.Question, lang)
					}
				}
			}
		}
		for _, step := range s.Steps {
			look(step.Captions["zh"])
			for _, p := range step.Predict {
				look(p.Ask("zh"))
				for _, choice := range p.Choices() {
					look(p.Because("zh", choice))
				}
			}
		}
	}
}

// judged checks a run and its replays with the second judge.
func judged(t testing.TB, r *Result) {
	t.Helper()
	judge.Agree(t, r.History)
	for _, other := range r.replays {
		if other != nil { // a real server could play it
			judged(t, other)
		}
	}
}

// harmOf is the gravest harm that the invariants find in a run.
func harmOf(r *Result) (gravest history.Harm) {
	for _, harm := range slices.Backward(history.Harms()) {
		for _, v := range r.Violations {
			if history.HarmOf(v.Invariant) == harm {
				gravest = harm
			}
		}
	}
	return gravest
}

// allStories are the built-in stories.
func allStories(t *testing.T) []*Story {
	t.Helper()
	return Stories()
}

// bookIn is the prose of a language.
func bookIn(t *testing.T, language string) *prose.Book {
	t.Helper()
	return prose.Load(language)
}
