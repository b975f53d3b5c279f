package lang

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

// pig is a language that has turned some formats round.
func pig(format string) string {
	return map[string]string{
		"%q is not a lock; use %s": "[2: %[2]s, 1: %[1]q]",
		"read %s: %w":              "<%[2]w reading %[1]s>",
		"no such file":             "elif",
		"%d and %v":                "%d + %v",
		", ":                       " . ",
		"none":                     "enon",
	}[format]
}

type own struct{}

func (own) Error() string { return "foreign" }

func TestIn(t *testing.T) {
	missing := Errorf("no such file")
	for _, c := range []struct {
		what         any
		english, pig string
	}{
		{Errorf("%q is not a lock; use %s", "a", "b"), `"a" is not a lock; use b`, `[2: b, 1: "a"]`},
		{Errorf("read %s: %w", "f", missing), "read f: no such file", "<elif reading f>"},
		{Errorf("unknown %d: %w", 1, Errorf("read %s: %w", "f", missing)), "unknown 1: read f: no such file", "unknown 1: <elif reading f>"},
		{New("%d and %v", 1, New("none")), "1 and none", "1 + enon"},
		{Join(", ", New("none"), 2, "three"), "none, 2, three", "enon . 2 . three"},
		{Join(", ", New("none")).And(2, Join("; ", 2, "three")), "none, 2, three", "enon . 2 . three"},
		{errors.Join(missing, own{}), "no such file\nforeign", "elif\nforeign"},
		{fmt.Errorf("wrapped: %w", missing), "wrapped: no such file", "wrapped: no such file"},
		{fmt.Errorf("%w and %w", missing, own{}), "no such file and foreign", "no such file and foreign"}, // not errors.Join's
		{&fs.PathError{Op: "open", Path: "f", Err: errors.New("none")}, "open f: none", "open f: enon"},
		{Message{}, "", ""},
		{7, "7", "7"},
	} {
		if got := In(nil, c.what); got != c.english {
			t.Errorf("%q, want %q", got, c.english)
		}
		if err, ok := c.what.(error); ok && err.Error() != c.english {
			t.Errorf("%q, want %q", err, c.english)
		}
		if got := In(pig, c.what); got != c.pig {
			t.Errorf("%q, want %q", got, c.pig)
		}
	}
}

// TestWrapping: errors.Is and errors.As see through a message as through what
// fmt.Errorf makes.
func TestWrapping(t *testing.T) {
	end := Errorf("end")
	err := Errorf("a %w, %w", Errorf("b: %w", end), own{})
	var as own
	if !errors.Is(err, end) || !errors.As(err, &as) || errors.Is(err, Errorf("end")) {
		t.Errorf("%v: %v %v", err, errors.Is(err, end), errors.As(err, &as))
	}
}
