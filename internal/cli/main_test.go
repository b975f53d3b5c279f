package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"lockstep/internal/cache"
	"lockstep/internal/testkit"
	"lockstep/sim/history"
	"lockstep/sim/live"
)

func TestMain(m *testing.M) {
	if err := os.Setenv("GORACE", soon); err != nil {
		panic(err)
	}
	if err := shareBuilds(); err != nil {
		panic(err)
	}
	testscript.Main(inEnglish{m}, commands)
}

// inEnglish are the tests, but not the programs that they start, which have an
// environment of their own: whoever runs the tests may speak another language, and has
// a cache of his own.
type inEnglish struct{ *testing.M }

func (t inEnglish) Run() int {
	if err := errors.Join(os.Setenv("LC_ALL", "C"), os.Setenv(cache.Env, "off")); err != nil {
		panic(err)
	}
	return t.M.Run()
}

// soon keeps a program that was built with the race detector from waiting for a
// second before it ends, which hundreds of them would add up to minutes.
const soon = "atexit_sleep_ms=0"

// commands are programs that tests may start.
var commands = map[string]func(){"lockstep": func() { os.Exit(Main(nil)) }, "lockstep-hostile": lockstepWithHostileLocks, "go": buildOnce}

// lockstep runs a command in this process.
func lockstep(ctx context.Context, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(ctx, args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

func TestScripts(t *testing.T) {
	compiling := []string{realGo + "=" + os.Getenv(realGo), builtTests + "=" + t.TempDir()}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GONOSUMDB", "GOSUMDB"} {
		value := testkit.Must(exec.Command("go", "env", name).Output())(t)
		compiling = append(compiling, name+"="+strings.TrimSpace(string(value)))
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "redis": withRedis, "awaits": awaits, "token": token, "mode": mode, "blob": blob, "edit": edit, "valid": valid,
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", soon)
			env.Setenv(cache.Env, "off")
			gone := history.Default()
			gone.Strategy = "set-gone"
			here := history.Default()
			here.Strategy = "set-lua"
			crash := history.Action{Verb: history.Crash, Client: "A"}
			env.Setenv("STALE_LOCK", history.Token(gone, nil))
			env.Setenv("STALE_SCHEDULE", history.Token(here, history.Schedule{crash, crash}))
			never := history.Default()
			never.Strategy, never.TTL = "redlock", 2 // Redlock takes as much off for drift
			env.Setenv("NEVER", history.Token(never, nil))
			stuck := history.Default()
			stuck.Strategy = "hostile-channel"
			env.Setenv("HOSTILE", history.Token(stuck, history.Schedule{{Verb: history.Step, Client: "A"}}))
			env.Setenv("ESC", "\x1b")
			env.Vars = append(env.Vars, compiling...)
			source, err := filepath.Abs("../..")
			env.Setenv("SOURCE", source)
			return err
		},
		RequireUniqueNames: true,
		Condition: func(name string) (bool, error) {
			switch name {
			case "race":
				return testkit.Raced, nil
			case "long":
				return testkit.Size(t, 1, 1) > 1, nil
			}
			return false, fmt.Errorf("%q is not a condition; there are race and long", name)
		},
	})
}

// exits runs a command and wants one exit code: exits 2 lockstep run.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if failed, ok := err.(*exec.ExitError); ok {
		got = failed.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// withRedis sets REDIS to the address of a redis-server that ends with the script.
func withRedis(ts *testscript.TestScript, _ bool, _ []string) {
	s, err := live.Start(context.Background())
	ts.Check(err)
	ts.Defer(s.Stop)
	ts.Setenv("REDIS", s.URL())
}

// awaits waits until a file has a text: awaits FILE TEXT.
func awaits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: awaits FILE TEXT")
	}
	for range 600 {
		if text, err := os.ReadFile(ts.MkAbs(args[0])); err == nil && strings.Contains(string(text), args[1]) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	ts.Fatalf("%s has no %q", args[0], args[1])
}

var tokenLine = regexp.MustCompile(`(?m)^(?:Replay token: |In the walkthrough: .* --token )(\S+)$`)

// token sets TOKEN to the token in a transcript, and CUT to a part of it.
func token(ts *testscript.TestScript, neg bool, args []string) {
	found := tokenLine.FindStringSubmatch(ts.ReadFile(args[0]))
	if neg || found == nil {
		ts.Fatalf("no token in %s", args[0])
	}
	ts.Setenv("TOKEN", found[1])
	ts.Setenv("CUT", found[1][:len(found[1])-8])
}

// mode wants a file's permission bits: mode 640 story.txt.
func mode(ts *testscript.TestScript, neg bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := strconv.FormatUint(uint64(info.Mode().Perm()), 8); neg || got != args[0] {
		ts.Fatalf("mode %s, want %s", got, args[0])
	}
}

// blob writes a file that is not text.
func blob(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte("\xff\xfe\x00"), 0o600))
}

// edit replaces the one text in a file by another: edit FILE OLD NEW.
func edit(ts *testscript.TestScript, _ bool, args []string) {
	unquote := strings.NewReplacer(`\n`, "\n").Replace
	text, old := ts.ReadFile(args[0]), unquote(args[1])
	if strings.Count(text, old) != 1 {
		ts.Fatalf("%s has %q %d times", args[0], old, strings.Count(text, old))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, old, unquote(args[2]), 1)), 0o600))
}
