package scenarios

import (
	"strings"
	"testing"

	"lockstep/internal/prose"
)

// TestEveryCommandHasWords: where a story has no caption, the command itself is
// said, in every language, and as a whole.
func TestEveryCommandHasWords(t *testing.T) {
	stories, err := Stories()
	if err != nil {
		t.Fatal(err)
	}
	for _, lang := range prose.Languages() {
		book, err := prose.Load(lang)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range stories {
			for i := range s.Steps[1:] {
				step := s.Steps[i+1]
				step.Captions = nil
				text := step.Caption(book, lang)
				if text == "" || strings.Contains(text, "say_") || strings.Contains(text, "no value") || strings.HasSuffix(strings.TrimSpace(text), ":") {
					t.Errorf("%s, %s: %s: %q", lang, s.Name, step.Text, text)
				}
			}
		}
	}
}

func TestWordsOfCommands(t *testing.T) {
	book, err := prose.Load("en")
	if err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		"run A until=before:write": "A goes on, and stops before: write.",
		"run A for=6s":             "A goes on for 6s.",
		"run A":                    "A goes on until it is done.",
		"step A/1":                 "A/1 takes one step.",
		"lose reply A":             "The reply to A is lost.",
		"clock A +10s":             "A: turn its clock +10s",
		"clock r1,r2 rate=0.25":    "r1, r2: run its clock at 0.25",
		"cut A,B r1,r2":            "A, B: cut it off from r1, r2",
		"down r1,r2":               "r1, r2: go down",
		"advance expiry":           "Time passes until the next key ends.",
		"advance 24h":              "Time passes: 24h.",
		"keys":                     "This is what Redis stores.",
		"replay strategy=set-lua":  "The same schedule against set-lua.",
	} {
		s, err := Parse("f.txt", "f", aWorld+command+"\n----\n")
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Steps[1].Caption(book, "en"); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}
