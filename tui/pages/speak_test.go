package pages

import (
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// TestLanguageInPlace: on every page, another language says what it would have
// said from the start.
func TestLanguageInPlace(t *testing.T) {
	all := table("languages")
	for _, row := range testkit.Some(t, all, len(all), 4) {
		keys := row[0]
		both := map[string]*Shell{}
		for _, lang := range []string{"en", "zh"} {
			m := start(t, Options{Lang: lang}, 80, 24)
			if strings.HasPrefix(keys, "m") {
				m = opened(t, Options{Lang: lang}, 80, 24)
			}
			press(m, strings.Fields(strings.TrimPrefix(keys, "m"))...)
			check(t, m)
			both[lang] = m
		}
		m := both["en"]
		if at(m) == "search" { // where every letter is for the query
			m.speak("zh")
			m.Update(nil)
		} else {
			press(m, "L")
		}
		if got, want := check(t, m), check(t, both["zh"]); got != want {
			t.Errorf("after %q in English, in Chinese:\n%s\nwant:\n%s", keys, got, want)
		}
	}
}
