package live

import "testing"

// TestForget: a killed server comes back with its first writes only, and goes on
// from there.
func TestForget(t *testing.T) {
	s := ours(t)
	set := func(value string) (written int64) {
		if _, err := conn(t, s).Do([][]string{{"SET", "k", value}}, nil); err != nil {
			t.Fatal(err)
		}
		written, err := s.Written()
		if err != nil {
			t.Fatal(err)
		}
		return written
	}
	restart := func(written int64, want string) {
		t.Helper()
		if err := s.Kill(); err != nil {
			t.Fatal(err)
		}
		if written > 0 {
			if err := s.Forget(written); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Revive(false); err != nil {
			t.Fatal(err)
		}
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
