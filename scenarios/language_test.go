package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/prose"
	"lockstep/internal/testkit/chinese"
	"lockstep/sim/history"
)

// blocks are the fenced blocks of a Markdown text.
func blocks(text string) []string {
	var out []string
	for i, part := range strings.Split("\n"+text, "\n```") {
		if i%2 == 1 {
			_, block, _ := strings.Cut(part, "\n")
			out = append(out, block+"\n")
		}
	}
	return out
}

// TestStoriesOfTheLanguage plays the stories in the description of the language.
func TestStoriesOfTheLanguage(t *testing.T) {
	for _, lang := range prose.Languages() {
		t.Run(lang, func(t *testing.T) { storiesOf(t, Manual(lang)) })
	}
}

func storiesOf(t *testing.T, manual string) {
	stories := 0
	for i, block := range blocks(manual) {
		if !strings.Contains(block, "\n"+divider+"\n") {
			continue
		}
		stories++
		s, err := Parse("README.md", fmt.Sprintf("block_%d", i), block)
		if err != nil {
			t.Error(err)
			continue
		}
		result, err := Run(t.Context(), s)
		if err != nil {
			t.Error(err)
			continue
		}
		if err := result.Mispredicted(s); err != nil {
			t.Error(err)
		}
		if err := result.Mismatch(s); err != nil {
			t.Errorf("block %d: %v; it would be\n%s", i, err, rewritten(t, s, result.Outputs()))
		}
	}
	if stories == 0 {
		t.Error("no story is shown")
	}
}

// TestTheLanguageIsDescribed: the description lists every command, fact, setting and
// moment, and no others.
func TestTheLanguageIsDescribed(t *testing.T) {
	for _, lang := range prose.Languages() {
		t.Run(lang, func(t *testing.T) { isDescribed(t, Manual(lang)) })
	}
}

func isDescribed(t *testing.T, manual string) {
	said := map[string]bool{}
	for _, block := range blocks(manual) {
		for _, line := range strings.Split(block, "\n") {
			command, _, _ := strings.Cut(line, "  ")
			said[strings.TrimSpace(command)] = true
			first, _, _ := strings.Cut(command, " ")
			said[first] = true
			name, value, setting := strings.Cut(first, "=")
			if !setting {
				continue
			}
			said[name+"="] = true
			config := history.Default()
			config.Strategy, config.Nodes = "set-lua", 0
			before := config.String()
			if err := config.Set(name, value); err != nil {
				t.Errorf("%s: %v", first, err)
			} else if name != "strategy" && config.String() != before {
				t.Errorf("%s is not the default: %s", first, config)
			}
		}
	}
	for name := range facts {
		if !said[name] {
			t.Errorf("the fact %s is not described", name)
		}
	}
	for name := range commands {
		if !said[name] {
			t.Errorf("the command %s is not described", name)
		}
	}
	for _, name := range history.Settings() {
		if !said[name+"="] {
			t.Errorf("the setting %s of a world is not described", name)
		}
	}
	for _, m := range []momentKind{acquired, refused, inCritical, released, done, before + ":CMD", after + ":CMD"} {
		if !said[string(m)] {
			t.Errorf("the moment %s is not described", m)
		}
	}
	for _, name := range resourceMoments {
		if !strings.Contains(manual, "`"+name+"`") {
			t.Errorf("before:%s is not described", name)
		}
	}
}

// TestManualsAreTheSame: the manual of each language shows the same commands and uses
// its punctuation.
func TestManualsAreTheSame(t *testing.T) {
	first := func(manual string) (words []string) {
		for _, block := range blocks(manual) {
			for _, line := range strings.Split(block, "\n") {
				if word, _, _ := strings.Cut(line, "  "); word != "" && !strings.ContainsAny(word, "#\"") {
					words = append(words, word)
				}
			}
		}
		return words
	}
	for _, lang := range prose.Languages()[1:] {
		if got, want := first(Manual(lang)), first(Manual("en")); !slices.Equal(got, want) {
			t.Errorf("%s has\n%q\nwant\n%q", lang, got, want)
		}
	}
	for i, part := range strings.Split(Manual("zh"), "```") {
		for _, line := range strings.Split(part, "\n") {
			if wrong := chinese.Punctuation(line); i%2 == 0 && len(wrong) > 0 {
				t.Errorf("%q in %s", wrong, line)
			}
		}
	}
}
