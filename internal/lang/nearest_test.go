package lang

import (
	"slices"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"set-lua", "set-del", "setnx", "setnx-expire", "redlock"}
	for _, c := range []struct {
		read string
		want []string
	}{
		{"setlua", []string{"set-lua"}},
		{"SETNX", []string{"setnx", "setnx-expire"}},
		{"setnx_expire", []string{"setnx-expire"}},
		{"expire", []string{"setnx-expire"}},
		{"lock", []string{"redlock"}},
		{"redlokc", []string{"redlock"}},
		{"set-d", []string{"set-del", "setnx"}},
		{"banana", nil},
		{"", nil},
		{strings.Repeat("set-lua", 1000), nil},
	} {
		if got := Nearest(c.read, known); !slices.Equal(got, c.want) {
			t.Errorf("Nearest(%.20q) = %q, want %q", c.read, got, c.want)
		}
	}
}

// TestFit: what comes near, or else all of a few names, or some of many.
func TestFit(t *testing.T) {
	many := strings.Fields("setnx set-lua b c d e f g h i j k l m")
	for _, c := range []struct {
		read  string
		known []string
		want  string
	}{
		{"setlua", many, "did you mean set-lua?"},
		{"banana", many, "use setnx, set-lua, b, c, d, e and 8 more"},
		{"banana", many[:3], "use setnx, set-lua, b"},
		{"banana", nil, "use "},
	} {
		if got := In(nil, Fit(c.read, c.known)); got != c.want {
			t.Errorf("%s of %d: %q, want %q", c.read, len(c.known), got, c.want)
		}
	}
}

func TestFew(t *testing.T) {
	names := []string{"one", "two", "three"}
	for few, want := range map[int]string{1: "one, 2 more", 2: "one, two, 1 more", 3: "one, two, three", 9: "one, two, three"} {
		if got := Few(names, few).String(); got != want {
			t.Errorf("%d: %q, want %q", few, got, want)
		}
	}
}
