package scenarios

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"lockstep/sim/history"
)

// blocks are what stands between fences in a Markdown text.
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

// TestStoriesOfTheLanguage plays the stories that its description shows.
func TestStoriesOfTheLanguage(t *testing.T) {
	stories := 0
	for i, block := range blocks(Language) {
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
	if stories < 2 {
		t.Errorf("%d stories are shown", stories)
	}
}

// TestTheLanguageIsDescribed: every command, every fact, every setting of a
// world and every moment stands in the description, and what stands there is one.
func TestTheLanguageIsDescribed(t *testing.T) {
	said := map[string]bool{}
	for _, block := range blocks(Language) {
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
	none := history.Default()
	for _, name := range regexp.MustCompile(`\w+`).FindAllString(worldSettings(&none), -1) {
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
		if !strings.Contains(Language, "`"+name+"`") {
			t.Errorf("before:%s is not described", name)
		}
	}
}

// worldSettings are the names that a world's settings have.
func worldSettings(c *history.Config) string {
	names, _ := strings.CutPrefix(c.Set("?", "").Error(), `a world has no "?"; `)
	names, _ = strings.CutSuffix(names, " would fit")
	return names
}
