package live

import (
	"testing"

	"lockstep/internal/testkit"
)

// TestForget: a killed server comes back with its first writes only, and goes on
// from there.
func TestForget(t *testing.T) {
	s := ours(t)
	set := func(value string) int64 {
		testkit.Must(conn(t, s).Do([][]string{{"SET", "k", value}}, nil))(t)
		return testkit.Must(s.Written())(t)
	}
	restart := func(written int64, want string) {
		t.Helper()
		testkit.OK(t, s.Kill())
		if written > 0 {
			testkit.OK(t, s.Forget(written))
		}
		testkit.OK(t, s.Revive(false))
		if keys, err := s.Look(nil); err != nil || len(keys) != 1 || keys[0].Value != want {
			t.Errorf("%+v, %v, want %s", keys, err, want)
		}
	}
	set("a")
	written := set("b")
	set("c")
	restart(written, "b")
	restart(0, "b")
	set("d")
	restart(0, "d")
}
