//go:build unix

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// TestCheckInATerminal mends a lock under check --watch: the walkthrough opens on what
// was found, ends at a save, a file that does not compile is waited for, and what
// holds ends the command. check --walk opens it once.
func TestCheckInATerminal(t *testing.T) {
	testkit.Single(t)
	testkit.Long(t, "it links four test binaries; the script check tests what check finds, and tui/pages the page that opens")
	t.Parallel() // most of it is the go tool's time
	p := newPane(t)
	dir := filepath.Join(p.dir, "mine")
	source := testkit.Must(filepath.Abs("../.."))(t)
	var stderr bytes.Buffer
	if code := newApp(nil, &stderr, &stderr).run(t.Context(), []string{"exercise", "set-del", dir, "--source", source}); code != exitOK {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	// save writes a file as an editor does: at no moment is there half of it.
	save := func(name, text string) {
		t.Helper()
		part := filepath.Join(p.dir, "part.go")
		testkit.OK(t, os.WriteFile(part, []byte(text), 0o600))
		testkit.OK(t, os.Rename(part, filepath.Join(dir, name)))
	}
	save("set_del_test.go", `package exercise

import (
	"testing"

	"lockstep/locktest"
)

func TestLock(t *testing.T) {
	locktest.Check(t, locktest.Strategy(func(e Env) Lock { return &SetDel{e} }), locktest.Hazards(locktest.Overrun))
}
`)
	before := p.settings()
	p.runs("clear; lockstep check mine --walk; echo left with $?")
	p.sees("foreign-release")
	p.wantOpen()
	p.sees("set_del.go")
	p.keys("q")
	p.sees("left with 1")
	p.sees("lockstep: check: 1 of 1 VIOLATED")
	p.wantAsBefore(before)

	broken := testkit.Must(os.ReadFile(filepath.Join(dir, "set_del.go")))(t)
	p.runs("clear; lockstep check mine --watch; echo left with $?")
	p.sees("foreign-release")
	p.wantOpen()
	save("set_del.go", "package exercise; func {\n")
	p.sees("Waiting for a save")
	p.sees("set_del.go:1:")
	if p.is("alternate_on") != "0" {
		t.Error("the walkthrough is still open on code that has changed")
	}
	mended := strings.NewReplacer(
		"_ Grant", "g Grant",
		"l.Redis.Del(ctx, l.Key).Result()", "l.Redis.Eval(ctx, release, []string{l.Key}, g.Token).Int()",
	).Replace(string(broken))
	save("set_del.go", mended+"\nconst release = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`\n")
	p.sees("left with 0")
	p.sees("HOLDS")
	p.wantAsBefore(before)
}
