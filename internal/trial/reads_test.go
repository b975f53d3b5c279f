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
	root := testkit.Must(filepath.Abs("../.."))(t)
	mod := testkit.Must(os.ReadFile("../../go.mod"))(t)
	_, requires, _ := strings.Cut(string(mod), "\n")
	sum := testkit.Must(os.ReadFile("../../go.sum"))(t)
	test := testkit.Must(os.ReadFile("testdata/reads/reads_test.go"))(t)
	for _, row := range strings.Split(`start/mode.txt ttl
../config/mode.txt ttl
start/more/ttl
ignored.go //go:build ignore;;package reads;;//ttl
main/mode.txt ttl
mode.txt ttl
testdata/mode.txt ttl
lua/lock/mode.txt ttl
../mode.txt ttl
../../outside/mode.txt ttl
../../linked/mode.txt ttl
../../through/mode.txt ttl
../../through2/mode.txt no
../../target.txt ttl
../../swap.txt ttl
../../swap2.txt no
.mode ttl
.env ttl
code.go //go:build ignore;;package reads;;//ttl
listed/ttl
../../away/ttl
gone.txt ttl
moved/mode.txt ttl
rooted/mode.txt ttl
size.txt ttl
run.sh
time.txt
say.sh #!/bin/sh;echo ttl;
../other/other.go package other;
testdata/lockstep/x
.git/HEAD
cached/x`, "\n") {
		name, text, _ := strings.Cut(row, " ")
		put(t, filepath.Join(dir, name), strings.ReplaceAll(text, ";", "\n"))
	}
	for name, text := range map[string]string{
		"../go.mod":     "module example.com/reads\n" + requires + "\nrequire lockstep v0.0.0\n\nreplace lockstep => " + root + "\n",
		"../go.sum":     string(sum),
		"reads_test.go": string(test),
		"large.txt":     strings.Repeat("x", 2<<20) + "tl",
	} {
		put(t, filepath.Join(dir, name), text)
	}
	testkit.OK(t, os.Chtimes(filepath.Join(top, "away"), past, past))
	for name, to := range map[string]string{"link.txt": "target.txt", "swap.txt": "swap.txt", "through": "through", "linked": "linked"} {
		testkit.OK(t, os.Symlink(filepath.Join(top, to), filepath.Join(dir, name)))
	}
	return dir
}

// changed are changes of what a lock of testdata/reads looks at: set NAME VALUE, write FILE
// TEXT, or a script. (stays) says that the verdict holds, (unseen) that go test does not see
// it.
const changed = `env: set LOCK_MODE no
set: set LATE_MODE
env-at-the-start: set START_MODE no
all-at-the-start: set AMONG_MODE no (unseen)
set-at-the-start: set SET_MODE (unseen)
file-at-the-start: write start/mode.txt no
above-at-the-start: write ../config/mode.txt no (unseen)
link-at-the-start: write linked/mode.txt no (unseen)
found-at-the-start: write start/more/no
code-at-the-start: write ignored.go //go:build ignore;;package reads;;//no
none-at-the-start: write start/none.txt no
dot-at-the-start: write .env no
main: write main/mode.txt no
beside: write mode.txt no
testdata: write testdata/mode.txt no
below: write lua/lock/mode.txt no; (unseen)
above: write ../mode.txt no
outside: write ../../outside/mode.txt no (unseen)
hidden: write .mode no
code: write code.go //go:build ignore;;package reads;;//no
target: write ../../target.txt no
swapped: ln -sf ../../swap2.txt swap.txt
through: ln -sfn ../../through2 through
listed: write listed/no
away: touch ../../away/no; touch -d @978307200 ../../away (unseen)
none: write none.txt no
gone: rm gone.txt
moved: write moved/mode.txt no
rooted: write rooted/mode.txt no
size: write size.txt none
mode: chmod -x run.sh
time: touch time.txt
program: write say.sh #!/bin/sh;echo no;
large: touch -r large.txt ../../at; sed 's/tl$/no/' large.txt >../../as; cat ../../as >large.txt; touch -r ../../at large.txt (unseen)
large: { head -c 2097152 large.txt; printf no; } >more; cat more >large.txt; rm more
beside: echo 'package other // changed' > ../other/other.go (stays)
beside: echo x > .git/HEAD; echo x > ../.lock.go.swp; echo x > testdata/lockstep/x; echo x > $LOCKSTEP_CACHE/x (stays)
beside: set SSH_TTY /dev/pts/9 (stays)
terminals: set TERMINATION_MODE no
terminals: set TERM_MODE no
terminals: set _MODE no
terminals: set SSH_MODE no
terminals: set LINES_MODE no
terminals: set PWD_MODE no
terminals: set TMUX_MODE no
terminals: set COLUMNS_X no
terminals: set COLORTERM_X no
terminals: set NO_COLOR_MODE no
terminals: set WINDOWID_X no
terminals: set SHLVL_X no
terminals: set OLDPWD_X no
terminals: set TERM no`

// eachChange calls test for each change.
func eachChange(t *testing.T, dir string, test func(t *testing.T, lock string, change func(), stays, unseen bool)) {
	for _, row := range strings.Split(changed, "\n") {
		lock, what, _ := strings.Cut(row, ": ")
		what, stays := strings.CutSuffix(what, " (stays)")
		what, unseen := strings.CutSuffix(what, " (unseen)")
		t.Run(lock, func(t *testing.T) {
			test(t, lock, func() {
				switch words := append(strings.SplitN(what, " ", 3), ""); words[0] {
				case "set":
					t.Setenv(words[1], words[2])
				case "write":
					put(t, filepath.Join(dir, words[1]), strings.ReplaceAll(words[2], ";", "\n"))
				default:
					cmd := exec.Command("sh", "-ec", what)
					cmd.Dir = dir
					if out, err := cmd.CombinedOutput(); err != nil {
						t.Fatalf("%s: %s, %v", what, out, err)
					}
				}
			}, stays, unseen)
		})
	}
}

// TestReads: what is known of a lock holds no more once anything has changed that it
// looked at, by itself or at its start.
func TestReads(t *testing.T) {
	dir := readsModule(t)
	pkg := testkit.Must(Find(t.Context(), dir))(t)
	s := testkit.Must(Open(t.Context(), pkg, nil, func(lang.Message) {}))(t)
	t.Cleanup(s.Close)
	s.Identify()
	now := func() string {
		is := &Suite{Package: pkg, Code: s.Code, temp: s.temp}
		is.Identify()
		return is.id
	}
	names := map[string][]string{}
	for _, l := range s.Locks {
		testkit.OK(t, l.Host().Ready(t.Context()))
		r, ok := s.Read(l)
		if !ok || r.Over() || now() != s.id {
			t.Errorf("%s: what it looked at is not known, or does not hold: %q", l.Test, r.Names)
		}
		names[l.Test] = r.Names
	}
	eachChange(t, dir, func(t *testing.T, lock string, change func(), stays, _ bool) {
		looked, known := names["TestReads/"+lock]
		if !known {
			t.Fatal("there is no such lock")
		}
		before, read := now(), cache.ReadNow(looked)
		change()
		if holds := now() == before && !read.Over(); holds != stays {
			t.Errorf("what is known holds: %v", holds)
		}
	})
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
	eachChange(t, dir, func(t *testing.T, lock string, change func(), stays, unseen bool) {
		if stays {
			return
		}
		if err := os.RemoveAll(filepath.Join(dir, "testdata", "lockstep")); err != nil { // too new for the go command
			t.Fatal(err)
		}
		first, again := run(lock), run(lock)
		if !strings.HasPrefix(first, "ok ") || !strings.Contains(again, "(cached)") {
			t.Fatalf("%s\n%s", first, again)
		}
		change()
		if after := run(lock); strings.Contains(after, "(cached)") != unseen || strings.Contains(after, "lock-recovers") == unseen {
			t.Error(after)
		}
	})
}
