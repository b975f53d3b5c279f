package web

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"lockstep/internal/testkit"
)

// TestNothingHidesTheFocus: a script hides an element by a function that takes the focus out
// of it first, and what opens is a dialog, which takes and gives back the focus by itself.
// Chromium's page crashes where the focus is in a closed <details>.
func TestNothingHidesTheFocus(t *testing.T) {
	hides := regexp.MustCompile(`.*(\.hidden = |"hidden"|\.open = |<details|"details"|\.style\.display).*`)
	allowed := []string{
		"  el(id).hidden = is;",                   // of the function
		`  const made = make("details", "fold");`, // it holds text alone, which takes no focus
		"  made.open = opened.has(kind);",
	}
	for _, folder := range []string{"static", "../workshop/static"} {
		files, err := filepath.Glob(folder + "/*.*")
		if err != nil || len(files) < 5 {
			t.Fatalf("%s: %d files, %v", folder, len(files), err)
		}
		for _, file := range files {
			text := testkit.Must(os.ReadFile(file))(t)
			for _, line := range hides.FindAllString(string(text), -1) {
				if !slices.Contains(allowed, line) {
					t.Errorf("%s: %s", file, line)
				}
			}
		}
	}
}
