package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"lockstep/internal/lang"
	"lockstep/internal/prose"
)

// TestRetired: what Lockstep no longer has is refused in each language, with what replaces
// it, wherever it stands and whatever stands beside it.
func TestRetired(t *testing.T) {
	for what, instead := range retired {
		lines := [][]string{{what}, {what, "--all", "-o", "x"}, {"--no-color", what, "45"}, {"help", what}}
		if cmd, part, ok := strings.Cut(what, " "); ok {
			lines = [][]string{{cmd, part}, {cmd, part + "=x", "y"}, {cmd, "y", part, "x"}}
			if strings.HasPrefix(part, ".") {
				lines = [][]string{{cmd, "y", "--output", "x" + part}, {cmd, "y", "-o", "x" + strings.ToUpper(part)}}
			}
		}
		for _, speak := range prose.Languages() {
			book := prose.Load(speak)
			for _, line := range lines {
				var errs bytes.Buffer
				code := run(t.Context(), append([]string{"--lang", speak}, line...), strings.NewReader(""), io.Discard, &errs)
				if want := lang.In(book.Language(), instead); code != exitUsage || !strings.Contains(errs.String(), want) {
					t.Errorf("%q: %d %s, not %s", line, code, &errs, want)
				}
			}
		}
	}
}
