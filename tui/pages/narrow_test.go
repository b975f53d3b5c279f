package pages

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// TestTextsAreNarrow: nothing that the program has to say holds a character
// that some terminals draw in two cells and others in one, so that it is
// measured right on all of them. Comments of data files are not shown.
func TestTextsAreNarrow(t *testing.T) {
	looked := 0
	for _, pattern := range []string{
		"../../internal/prose/*/*.toml", "../../scenarios/*.toml", "../../scenarios/stories/*.txt", "../../strategies/*.go",
	} {
		files := testkit.Must(filepath.Glob(pattern))(t)
		for _, file := range files {
			text := testkit.Must(os.ReadFile(file))(t)
			looked++
			for i, line := range strings.Split(string(text), "\n") {
				comment := strings.HasSuffix(file, ".toml") && strings.HasPrefix(line, "#")
				if r, found := ambiguous(line); found && !comment {
					t.Errorf("%s:%d: %q is of ambiguous width", file, i+1, r)
				}
			}
		}
	}
	if looked < 50 {
		t.Errorf("only %d files were looked at", looked)
	}
}
