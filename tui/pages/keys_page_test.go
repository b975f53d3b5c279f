package pages

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/prose"
	"lockstep/internal/testkit"
	"lockstep/tui/render"
)

// TestKeysAreDescribed: every key that some page has stands in docs/walkthrough.md,
// and every key there is one of some page.
func TestKeysAreDescribed(t *testing.T) {
	testkit.Single(t)
	page := testkit.Must(os.ReadFile("../../docs/walkthrough.md"))(t)
	_, table, _ := strings.Cut(string(page), "| key | does |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var told []string
	for _, row := range strings.Split(table, "\n") {
		keys, _, _ := strings.Cut(strings.TrimPrefix(row, "| "), " | ")
		for _, m := range regexp.MustCompile("`([^`]+)`|([a-z+]+)").FindAllStringSubmatch(keys, -1) {
			told = append(told, m[1]+m[2])
		}
	}
	has := map[string]bool{}
	for _, keys := range shown {
		for _, m := range []*Shell{start(t, Options{Story: parse(t, crashStory)}, 80, 24), opened(t, Options{}, 80, 24)} {
			press(m, keys...)
			for _, k := range m.keys() {
				for _, name := range k.on {
					has[name] = true
				}
			}
		}
	}
	for name := range has {
		if name == " " {
			name = "space"
		}
		if name != "=" && !strings.Contains("123456789", name) && !slices.Contains(told, name) {
			t.Errorf("docs/walkthrough.md says nothing of the key %q", name)
		}
	}
	for _, name := range told {
		if name != "space" && !strings.Contains("123456789", name) && !has[name] {
			t.Errorf("docs/walkthrough.md tells of a key %q that no page has", name)
		}
	}
}

// TestHelpCutsNoKey: what a key does fits the narrowest column of the help, in every language.
func TestHelpCutsNoKey(t *testing.T) {
	for _, lang := range prose.Languages() {
		b := prose.Load(lang)
		for name, k := range listed {
			if k.group < unlisted && render.Width(k.names(b)) <= keyWidth && keyWidth+2+render.Width(k.text(b)) >= helpWidth {
				t.Errorf("%s, %s: %q", lang, name, k.text(b))
			}
		}
	}
}
