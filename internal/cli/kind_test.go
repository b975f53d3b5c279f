package cli

import (
	"bytes"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// TestResetAsks: where somebody can answer, progress is deleted only by a yes; where there is
// nothing to delete, nothing is asked.
func TestResetAsks(t *testing.T) {
	for answer, want := range map[string]string{"y\n": "Deleted", " YES \n": "Deleted", "\n": "Kept", "no\n": "Kept", "": "Kept", "yet\n": "Kept"} {
		dir := t.TempDir()
		t.Setenv("XDG_STATE_HOME", dir)
		reset := func() string {
			var out, errs bytes.Buffer
			a := newApp(strings.NewReader(answer), &out, &errs)
			a.terminal = true
			if code := a.run(t.Context(), []string{"--reset-progress"}); code != 0 || errs.Len() > 0 {
				t.Errorf("%q: exit code %d, %s", answer, code, &errs)
			}
			return out.String()
		}
		if out := reset(); !strings.HasPrefix(out, "There is no progress to delete: ") {
			t.Errorf("without progress it says %q", out)
		}
		file := filepath.Join(dir, "lockstep", "course.json")
		testkit.OK(t, errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(`{"version":1}`), 0o600)))
		if out := reset(); out != "Delete your progress, "+file+"? Type y for yes: "+want+": "+file+"\n" {
			t.Errorf("%q: it says %q", answer, out)
		}
		if _, err := os.Stat(file); (err == nil) != (want == "Kept") {
			t.Errorf("%q: %v", answer, err)
		}
	}
}

// TestTakenPort: a server whose port is taken names one that is not.
func TestTakenPort(t *testing.T) {
	l := testkit.Must(net.Listen("tcp4", "127.0.0.1:0"))(t)
	defer func() { _ = l.Close() }()
	code, _, says := lockstep(t.Context(), "workshop", "--room", filepath.Join(t.TempDir(), "room.db"), "--listen", l.Addr().String())
	_, free, found := strings.Cut(says, "; --listen ")
	free, _, _ = strings.Cut(free, " ")
	if code != exitUsage || !found || free == l.Addr().String() {
		t.Fatalf("exit code %d: %s", code, says)
	}
	testkit.OK(t, testkit.Must(net.Listen("tcp4", free))(t).Close())
}

// TestMissingArguments: each command that wants arguments names an example of itself.
func TestMissingArguments(t *testing.T) {
	for _, of := range []string{"run", "show", "hunt", "explore", "replay", "export", "exercise", "web", "serve", "test", "merge", "init locktest", "course new", "course check"} {
		code, _, says := lockstep(t.Context(), strings.Fields(of)...)
		if example := "for example: lockstep " + of + " "; code != exitUsage || !strings.Contains(says, example) {
			t.Errorf("%s: exit code %d, %q, want %q", of, code, says, example)
		}
	}
}
