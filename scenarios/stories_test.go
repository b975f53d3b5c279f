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
		})
	}
}

// TestEverySeeIsThere: the story that a lock's source names exists.
func TestEverySeeIsThere(t *testing.T) {
	see := regexp.MustCompile(`(?m)^// See: +stories/(\w+)\.txt$`)
	for _, info := range strategies.Catalogue() {
		source := testkit.Must(strategies.Source(info.File))(t)
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

// TestEveryPredictionIsExplained: every answer has its reason in every language.
func TestEveryPredictionIsExplained(t *testing.T) {
	stories := allStories(t)
	for _, s := range stories {
		for _, step := range s.Steps {
			for _, p := range step.Predict {
				for _, lang := range prose.Languages() {
					if !p.Translated(lang) || len(p.reasons) < 2 {
						t.Errorf("%s: %q is not explained in %s", s.Name, p.Question, lang)
					}
				}
			}
		}
	}
}

// TestChinesePunctuation: Chinese text uses wide punctuation.
func TestChinesePunctuation(t *testing.T) {
	narrow := regexp.MustCompile(`(?m)^(#zh|predict-zh|because-zh) .*\p{Han}[,:;!?].*$`)
	files, err := filepath.Glob("stories/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text := testkit.Must(os.ReadFile(file))(t)
		for _, line := range narrow.FindAllString(string(text), -1) {
			t.Errorf("%s: %s", file, line)
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

func TestChineseStories(t *testing.T) {
	stories := allStories(t)
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

// TestEveryCaptionIsTranslated: a caption in one language has the same in all.
func TestEveryCaptionIsTranslated(t *testing.T) {
	stories := allStories(t)
	for _, s := range stories {
		for i, step := range s.Steps {
			for _, language := range prose.Languages() {
				if len(step.Captions) > 0 && step.Captions[language] == "" {
					t.Errorf("%s: step %d has no caption in %s", s.Name, i+1, language)
				}
			}
		}
	}
}

// TestTitles: every story that comes with Lockstep has a title in every language, and
// nothing else has.
func TestTitles(t *testing.T) {
	stories := allStories(t)
	for _, lang := range prose.Languages() {
		book := bookIn(t, lang)
		text := testkit.Must(os.ReadFile(filepath.Join("..", "internal", "prose", lang, "stories.toml")))(t)
		if n := strings.Count(string(text), " = "); n < len(stories) { // those of the courses have titles too
			t.Errorf("stories.toml of %s has %d titles for %d stories", lang, n, len(stories))
		}
		for _, s := range stories {
			if book.Title(s.Name) == "" {
				t.Errorf("stories.toml of %s lacks %s", lang, s.Name)
			}
		}
	}
}

// TestHarm: the harm that a story announces is the gravest that the invariants find in
// its run.
func TestHarm(t *testing.T) {
	stories := allStories(t)
	for _, s := range stories {
		result := testkit.Must(Run(t.Context(), s))(t)
		gravest := history.Harm("")
		for _, harm := range slices.Backward(history.Harms()) {
			for _, v := range result.Violations {
				if history.HarmOf(v.Invariant) == harm {
					gravest = harm
				}
			}
		}
		if s.Harm() != gravest {
			t.Errorf("%s announces %q, its run has %q", s.Name, s.Harm(), gravest)
		}
	}
}

// allStories are the built-in stories.
func allStories(t *testing.T) []*Story {
	t.Helper()
	stories := testkit.Must(Stories())(t)
	return stories
}

// bookIn is the prose of a language.
func bookIn(t *testing.T, language string) *prose.Book {
	t.Helper()
	book := testkit.Must(prose.Load(language))(t)
	return book
}
