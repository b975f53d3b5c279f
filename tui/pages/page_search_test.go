package pages

import (
	"strings"
	"testing"
)

// typeIn presses the key of every letter.
func typeIn(m *Shell, text string) {
	for _, r := range text {
		press(m, string(r))
	}
}

// titles are what was found, in its order: a lock's id, or a story's name.
func titles(m *Shell) []string {
	var out []string
	for _, h := range searching(m).hits {
		out = append(out, h.Name)
	}
	return out
}

func TestSearch(t *testing.T) {
	for _, row := range table("searches") {
		query, first, also, not := strings.ReplaceAll(row[1], "·", " "), row[2], row[3], row[4]
		m := start(t, Options{Lang: row[0]}, 80, 24)
		press(m, "/")
		typeIn(m, query)
		found := titles(m)
		has := func(name string) bool { return strings.Contains("\n"+strings.Join(found, "\n")+"\n", "\n"+name+"\n") }
		if append(found, "")[0] != first || also != "" && !has(also) || not != "" && has(not) {
			t.Errorf("%q finds %v", query, found)
		}
		check(t, m)
		if len(searching(m).query) > maxQuery {
			t.Errorf("a query of %d bytes", len(searching(m).query))
		}
	}
}

// TestEveryHitLeadsSomewhere, whatever is searched for.
func TestEveryHitLeadsSomewhere(t *testing.T) {
	m := start(t, Options{}, 80, 24)
	for _, h := range newSearchPage(m.shared).hits {
		if m.pagesOf(h.Place) == nil {
			t.Errorf("%s leads nowhere", h.Place)
		}
	}
}
