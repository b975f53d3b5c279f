package lang

import (
	"os/exec"
	"testing"
)

// TestTyped: a shell takes a word for the argument that it stands for, and only what it would
// take for something else is in quotes.
func TestTyped(t *testing.T) {
	for _, plain := range []string{"", "./m", "a_b-c.txt", "锁/é", "x=1,2:3@4+5%6"} {
		if got := Typed(plain); got != plain {
			t.Errorf("%q: %s", plain, got)
		}
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	for _, arg := range []string{"./m x", "a'b", "''", `"$(echo x)"`, "`echo x`", "~", "*", "a\nb", "#", "!a", "a&b;c|d", "./m x/锁", "{a,b}", `a\b`} {
		if got, err := exec.CommandContext(t.Context(), sh, "-c", "printf %s "+Typed(arg)).Output(); err != nil || string(got) != arg {
			t.Errorf("%q: %s is %q: %v", arg, Typed(arg), got, err)
		}
	}
}
