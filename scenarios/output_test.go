package scenarios

import (
	"strings"
	"testing"

	"lockstep/internal/lang"
	"lockstep/internal/prose"
	"lockstep/sim/history"
)

// TestOutput: a line as stories show it, and as plain text.
func TestOutput(t *testing.T) {
	broken := &history.Violation{Invariant: history.ForeignRelease, Client: "A", Other: "B", Key: "k"}
	for _, test := range []struct {
		line            history.Line
		written, en, zh string
	}{
		{
			history.Line{Who: "A", Text: lang.Quote("SETNX k A-1 -> 1"), Source: "strategies/setnx.go:17"},
			"A    SETNX k A-1 -> 1                                        strategies/setnx.go:17",
			"A SETNX k A-1 -> 1 (strategies/setnx.go:17)", "A SETNX k A-1 -> 1（strategies/setnx.go:17）",
		},
		{
			history.Line{Text: lang.New("time %s -> %s", history.Millis(0), history.Second)},
			"     time 0s -> 1s", "time 0s -> 1s", "时间 0s -> 1s",
		},
		{history.Line{Apart: true, Text: lang.New("HOLDS")}, "HOLDS", "HOLDS", "成立（HOLDS）"},
		{
			history.Line{Broken: broken},
			"     VIOLATED foreign-release: A removed k, which B held", "VIOLATED foreign-release: A removed k, which B held",
			"违反「不删他人的锁」（foreign-release）：A 删除了 B 持有的 k",
		},
		{
			history.Line{Apart: true, Broken: broken, Times: 2},
			"VIOLATED foreign-release: A removed k, which B held (2 times)", "VIOLATED foreign-release: A removed k, which B held (2 times)",
			"违反「不删他人的锁」（foreign-release）：A 删除了 B 持有的 k（共 2 次）",
		},
	} {
		if got := written(test.line); got != test.written {
			t.Errorf("%q, want %q", got, test.written)
		}
		for language, want := range map[string]string{"en": test.en, "zh": test.zh} {
			b := bookIn(t, language)
			if got := PlainLine(b, test.line); got != want {
				t.Errorf("%s: %q, want %q", language, got, want)
			}
		}
	}
}

// TestEveryCommandHasWords: without a caption, the command becomes a whole sentence
// in every language.
func TestEveryCommandHasWords(t *testing.T) {
	stories := allStories(t)
	for _, lang := range prose.Languages() {
		book := bookIn(t, lang)
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
	book := bookIn(t, "en")
	for command, want := range map[string]string{
		"run A until=before:write":               "A continues until just before writing the resource.",
		"run A for=6s":                           "A continues for 6s.",
		"run A":                                  "A continues until it is done.",
		"step A/1":                               "A/1 takes one step.",
		"lose reply A":                           "The reply to A is lost.",
		"lose push A":                            "What a node sent A unasked is lost with its connection.",
		"clock A +10s":                           "A: turn its clock +10s",
		"clock r1,r2 rate=0.25":                  "r1, r2: run its clock at 0.25",
		"cut A,B r1,r2":                          "A, B: cut it off from r1, r2",
		"down r1,r2":                             "r1, r2: go down",
		"advance expiry":                         "Time passes until the next key expires.",
		"advance 24h":                            "Time passes: 24h.",
		"keys":                                   "This is what Redis stores.",
		"check foreign-release mutual-exclusion": "Does the run so far keep to foreign-release, mutual-exclusion?",
		"check":                                  "Does every invariant hold, and can the lock be acquired again?",
		"replay strategy=set-lua":                "The same schedule against set-lua.",
	} {
		s := parsed(t, aWorld+command+"\n----\n")
		if got := s.Steps[1].Caption(book, "en"); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}
