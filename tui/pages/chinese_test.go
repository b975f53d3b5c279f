package pages

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/chinese"
	"lockstep/sim/history"
)

// TestNoScreenIsEnglish goes through the pages in Chinese and looks for English
// that was left over, beside code, commands and names.
func TestNoScreenIsEnglish(t *testing.T) {
	testkit.Single(t)
	seen := map[string]bool{}
	var m *Shell
	look := func(k string) {
		press(m, k)
		seen[at(m)] = true
		if found := chinese.Latin(withoutCode(m, check(t, m)), names(m)...); len(found) > 0 {
			t.Errorf("at %s, after %q: %q in\n%s", at(m), k, found, m.View())
		}
	}
	for _, walk := range table("chinese") {
		m = opened(t, Options{Lang: "zh"}, 140, 45)
		press(m, "esc")
		for _, k := range strings.Fields(walk[0]) {
			if k != "through" {
				look(k)
				continue
			}
			for range 40 {
				if _, q := story(m).asking(); q != nil {
					look("1")
				}
				look("right")
			}
		}
	}
	for _, page := range []string{"tour", "locks", "stories", "player", "if only", "against", "compare", "game", "levels", "matrix", "course", "page", "search"} {
		if !seen[page] {
			t.Errorf("it never came to %q", page)
		}
	}
}

// names are what is written alike in every language: lines of a story, the lock's
// code and errors.
func names(m *Shell) (list []string) {
	if p := story(m); p.story != nil {
		for _, s := range p.story.Steps {
			list = append(list, s.Text)
		}
	}
	list = append(list, "English") // what the key L leads to
	list = append(list, "world", "run A", "run B", "run C", "check", "advance", "replay")
	for _, v := range history.Verbs() { // as a story has them
		list = append(list, " "+string(v), "\n"+string(v)) // where a line wraps
	}
	return list
}

// withoutCode takes the source out of a frame: below its heading, as wide as that
// is.
func withoutCode(m *Shell, frame string) string {
	lines := strings.Split(frame, "\n")
	width, preview := 0, false
	for i, line := range lines {
		if at(m) == "locks" { // beside the list
			if strings.Contains(line, m.Glyphs.Bar+" "+m.Glyphs.Rule) {
				preview = strings.Contains(line, m.Text("source"))
			} else if preview {
				lines[i] = ansi.Truncate(line, listWidth, "")
			}
			continue
		}
		if strings.HasPrefix(line, m.Glyphs.Rule+" ") || strings.HasPrefix(line, m.Glyphs.Rule+m.Glyphs.Here) || strings.HasPrefix(line, m.Glyphs.Rule+m.Glyphs.Rule) {
			width = 0
			if at := strings.Index(line, m.Text("source")); at >= 0 {
				left, _ := view(m).columns(m.width)
				width = left
			}
			continue
		}
		lines[i] = ansi.TruncateLeft(line, width, "")
	}
	return strings.Join(lines, "\n")
}
