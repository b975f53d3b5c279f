//go:build unix

package trial

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/cache"
	"lockstep/internal/lang"
	"lockstep/internal/testkit"
)

// readsModule makes a module with the locks of testdata/reads in a package of it, and all
// that these look at. It returns the package's folder.
func readsModule(t *testing.T) string {
	t.Helper()
	t.Setenv("TERM", "dumb")
	t.Setenv("START_MODE", "ttl")
	top := t.TempDir()
	dir := filepath.Join(top, "module", "reads")
	t.Setenv(cache.Env, filepath.Join(dir, "cached"))
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, requires, _ := strings.Cut(string(mod), "\n")
	sum, err := os.ReadFile("../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	test, err := os.ReadFile("testdata/reads/reads_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"../go.mod":               "module example.com/reads\n" + requires + "\nrequire lockstep v0.0.0\n\nreplace lockstep => " + root + "\n",
		"../go.sum":               string(sum),
		"reads_test.go":           string(test),
		"start/mode.txt":          "ttl",
		"../config/mode.txt":      "ttl",
		"start/more/ttl":          "",
		"ignored.go":              "//go:build ignore\n\npackage reads\n\n//ttl",
		"main/mode.txt":           "ttl",
		"mode.txt":                "ttl",
		"testdata/mode.txt":       "ttl",
		"lua/lock/mode.txt":       "ttl",
		"../mode.txt":             "ttl",
		"../../outside/mode.txt":  "ttl",
		"../../linked/mode.txt":   "ttl",
		"../../through/mode.txt":  "ttl",
		"../../through2/mode.txt": "no",
		"../../target.txt":        "ttl",
		"../../swap.txt":          "ttl",
		"../../swap2.txt":         "no",
		".mode":                   "ttl",
		".env":                    "ttl",
		"code.go":                 "//go:build ignore\n\npackage reads\n\n//ttl",
		"listed/ttl":              "",
		"../../away/ttl":          "",
		"gone.txt":                "ttl",
		"moved/mode.txt":          "ttl",
		"rooted/mode.txt":         "ttl",
		"size.txt":                "ttl",
		"run.sh":                  "",
		"time.txt":                "",
		"say.sh":                  "#!/bin/sh\necho ttl\n",
		"large.txt":               strings.Repeat("x", 2<<20) + "tl",
		"../other/other.go":       "package other\n",
		"testdata/lockstep/x":     "",
		".git/HEAD":               "",
		"cached/x":                "",
	} {
		put(t, filepath.Join(dir, name), text)
	}
	if err := os.Chtimes(filepath.Join(top, "away"), past, past); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"link.txt": "target.txt", "swap.txt": "swap.txt", "through": "through", "linked": "linked"} {
		if err := os.Symlink(filepath.Join(top, to), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A changed is a change of what a lock of testdata/reads looks at, or not.
type changed struct {
	lock   string
	change func(t *testing.T, dir string)
	stays  bool // the verdict holds
	unseen bool // by go test
}

func setting(name, value string) func(*testing.T, string) {
	return func(t *testing.T, _ string) { t.Setenv(name, value) }
}

func writing(name, text string) func(*testing.T, string) {
	return func(t *testing.T, dir string) { t.Helper(); put(t, filepath.Join(dir, name), text) }
}

func running(script string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		cmd := exec.Command("sh", "-ec", script)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %s, %v", script, out, err)
		}
	}
}

func changes() []changed {
	all := []changed{
		{lock: "env", change: setting("LOCK_MODE", "no")},
		{lock: "set", change: setting("LATE_MODE", "")},
		{lock: "env-at-the-start", change: setting("START_MODE", "no")},
		{lock: "all-at-the-start", change: setting("AMONG_MODE", "no"), unseen: true},
		{lock: "set-at-the-start", change: setting("SET_MODE", ""), unseen: true},
		{lock: "file-at-the-start", change: writing("start/mode.txt", "no")},
		{lock: "above-at-the-start", change: writing("../config/mode.txt", "no"), unseen: true},
		{lock: "link-at-the-start", change: writing("linked/mode.txt", "no"), unseen: true},
		{lock: "found-at-the-start", change: writing("start/more/no", "")},
		{lock: "code-at-the-start", change: writing("ignored.go", "//go:build ignore\n\npackage reads\n\n//no")},
		{lock: "none-at-the-start", change: writing("start/none.txt", "no")},
		{lock: "dot-at-the-start", change: writing(".env", "no")},
		{lock: "main", change: writing("main/mode.txt", "no")},
		{lock: "beside", change: writing("mode.txt", "no")},
		{lock: "testdata", change: writing("testdata/mode.txt", "no")},
		{lock: "below", change: writing("lua/lock/mode.txt", "no "), unseen: true}, // as long, and as old
		{lock: "above", change: writing("../mode.txt", "no")},
		{lock: "outside", change: writing("../../outside/mode.txt", "no"), unseen: true},
		{lock: "hidden", change: writing(".mode", "no")},
		{lock: "code", change: writing("code.go", "//go:build ignore\n\npackage reads\n\n//no")},
		{lock: "target", change: writing("../../target.txt", "no")},
		{lock: "swapped", change: running("ln -sf ../../swap2.txt swap.txt")},
		{lock: "through", change: running("ln -sfn ../../through2 through")},
		{lock: "listed", change: writing("listed/no", "")},
		{lock: "away", change: running("touch ../../away/no; touch -d @978307200 ../../away"), unseen: true},
		{lock: "none", change: writing("none.txt", "no")},
		{lock: "gone", change: running("rm gone.txt")},
		{lock: "moved", change: writing("moved/mode.txt", "no")},
		{lock: "rooted", change: writing("rooted/mode.txt", "no")},
		{lock: "size", change: writing("size.txt", "none")},
		{lock: "mode", change: running("chmod -x run.sh")},
		{lock: "time", change: running("touch time.txt")},
		{lock: "program", change: writing("say.sh", "#!/bin/sh\necho no\n")},
		{lock: "large", change: running("touch -r large.txt ../../at; sed 's/tl$/no/' large.txt >../../as; cat ../../as >large.txt; touch -r ../../at large.txt"), unseen: true},
		{lock: "large", change: running("{ head -c 2097152 large.txt; printf no; } >more; cat more >large.txt; rm more")},
		{lock: "beside", change: running("echo 'package other // changed' > ../other/other.go"), stays: true},
		{lock: "beside", change: running("echo x > .git/HEAD; echo x > ../.lock.go.swp; echo x > testdata/lockstep/x; echo x > $LOCKSTEP_CACHE/x"), stays: true},
		{lock: "beside", change: setting("SSH_TTY", "/dev/pts/9"), stays: true},
	}
	for _, name := range strings.Fields("TERMINATION_MODE TERM_MODE _MODE SSH_MODE LINES_MODE PWD_MODE TMUX_MODE COLUMNS_X COLORTERM_X NO_COLOR_MODE WINDOWID_X SHLVL_X OLDPWD_X TERM") {
		all = append(all, changed{lock: "terminals", change: setting(name, "no")})
	}
	return all
}

// TestReads: what is known of a lock holds no more once anything has changed that it
// looked at, by itself or at its start.
func TestReads(t *testing.T) {
	dir := readsModule(t)
	pkg, err := Find(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), pkg, nil, func(lang.Message) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	s.Identify()
	now := func() string {
		is := &Suite{Package: pkg, Code: s.Code, temp: s.temp}
		is.Identify()
		return is.id
	}
	names := map[string][]string{}
	for _, l := range s.Locks {
		if err := l.Host().Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		r, ok := s.Read(l)
		if !ok || r.Over() || now() != s.id {
			t.Errorf("%s: what it looked at is not known, or does not hold: %q", l.Test, r.Names)
		}
		names[l.Test] = r.Names
	}
	for _, c := range changes() {
		t.Run(c.lock, func(t *testing.T) {
			looked, known := names["TestReads/"+c.lock]
			if !known {
				t.Fatal("there is no such lock")
			}
			before, read := now(), cache.ReadNow(looked)
			c.change(t, dir)
			if stays := now() == before && !read.Over(); stays != c.stays {
				t.Errorf("what is known holds: %v", stays)
			}
		})
	}
	if r, ok := s.Read(s.Locks[0]); ok {
		t.Errorf("%q is kept, though something changed after the lock began", r.Names)
	}
}

// TestReadsGoTest: go test runs a lock again once anything has changed that it looked at,
// as far as the go command compares it.
func TestReadsGoTest(t *testing.T) {
	testkit.Long(t, "it runs go test a hundred times; TestReads covers what is looked at")
	dir := readsModule(t)
	run := func(lock string) string {
		cmd := exec.Command("go", "test", "-vet=off", "-run", "^TestReads$/^"+lock+"$", ".")
		cmd.Dir = dir
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	for _, c := range changes() {
		if c.stays {
			continue
		}
		t.Run(c.lock, func(t *testing.T) {
			if err := os.RemoveAll(filepath.Join(dir, "testdata", "lockstep")); err != nil { // too new for the go command
				t.Fatal(err)
			}
			first, again := run(c.lock), run(c.lock)
			if !strings.HasPrefix(first, "ok ") || !strings.Contains(again, "(cached)") {
				t.Fatalf("%s\n%s", first, again)
			}
			c.change(t, dir)
			if after := run(c.lock); strings.Contains(after, "(cached)") != c.unseen || strings.Contains(after, "lock-recovers") == c.unseen {
				t.Error(after)
			}
		})
	}
}
