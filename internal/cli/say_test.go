package cli

import (
	"errors"
	"io"
	"strings"
	"testing"

	"lockstep/internal/lang"
)

// TestComplain: an error of several lines is told on one.
func TestComplain(t *testing.T) {
	var out strings.Builder
	a := newApp(nil, io.Discard, &out)
	a.complain(lang.Errorf("check: %w", errors.Join(errors.New("one"), errors.New("two\n"))))
	if want := "lockstep: check: one; two\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// TestFitted: a line leaves the last column of a terminal free, whatever its
// letters take.
func TestFitted(t *testing.T) {
	for _, tt := range []struct {
		line  string
		width int
		want  string
	}{
		{"24 of 45 cells", 0, "24 of 45 cells"}, {"24 of 45 cells", 15, "24 of 45 cells"}, {"24 of 45 cells", 14, "24 of 45 cell"},
		{"第 24 格", 5, "第 2"}, {"第 24 格", 2, ""}, {"24", 1, ""},
	} {
		if got := fitted(tt.line, tt.width); got != tt.want {
			t.Errorf("%q in %d columns: %q, want %q", tt.line, tt.width, got, tt.want)
		}
	}
}
