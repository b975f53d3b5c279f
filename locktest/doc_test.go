package locktest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// TestTenMinutes does what docs/locktest.md and its reference tell the reader to do.
func TestTenMinutes(t *testing.T) {
	testkit.Single(t)
	testkit.Long(t, "it links a test binary for each command of the page; the tests beside it test what the commands do")
	t.Parallel()
	root := testkit.Must(filepath.Abs(".."))(t)
	var text []byte
	for _, page := range []string{"locktest.md", "locktest-reference.md"} {
		text = append(text, testkit.Must(os.ReadFile(filepath.Join(root, "docs", page)))(t)...)
	}
	blocks := regexp.MustCompile("(?ms)^```(go)?\n(.*?)^```").FindAllStringSubmatch(string(text), -1)
	var code, module []string
	for _, b := range blocks {
		if strings.HasPrefix(b[2], "go mod init ") {
			module = b
		}
		if b[1] == "go" {
			code = append(code, b[2])
		}
	}
	if len(code) != 6 {
		t.Fatalf("%d pieces of Go; use a lock, a test, a better lock, its test with goroutines, a test of a lock on ZooKeeper and stories", len(code))
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		// A machine at work on other tests as well takes longer than a reader's.
		text = strings.ReplaceAll(text, ", locktest.RefusedBy(", ", locktest.Limit(3600e9), locktest.RefusedBy(")
		testkit.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	run := func(command string) (string, error) {
		words := strings.Fields(strings.Replace(command, "=../lockstep", "="+root, 1))
		cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	passes := func(commands ...string) {
		t.Helper()
		for _, command := range commands {
			if out, err := run(command); err != nil {
				t.Errorf("%s: %v\n%s", command, err, out)
			}
		}
	}
	// What go mod tidy would fetch is what this module has.
	sums := testkit.Must(os.ReadFile(filepath.Join(root, "go.sum")))(t)
	write("go.sum", string(sums))
	passes(append(strings.Split(strings.TrimSpace(module[2]), "\n"), "go mod edit -require github.com/redis/go-redis/v9@"+goRedis(t, root))...)
	write("mylock.go", code[0])
	write("mylock_test.go", code[1])
	out, err := run("go test")
	if said := "VIOLATED foreign-release: A removed lock:stock, which B held"; err == nil || !strings.Contains(out, said) || !strings.Contains(string(text), said) {
		t.Errorf("the page says %q, and the test:\n%s", said, out)
	}
	if !strings.Contains(out, "mylock/mylock.go:") {
		t.Errorf("no line of the lock in:\n%s", out)
	}
	write("mylock.go", code[2])
	passes("go test")
	write("goroutines_test.go", code[3])
	passes("go test -run TestGoroutines")
	write("zookeeper_test.go", code[4])
	passes("go test -run TestZooKeeperLock/(contention|crash)")
	write("stories_test.go", code[5])
	testkit.OK(t, os.MkdirAll(filepath.Join(dir, "testdata", "stories"), 0o700))
	after := blocks[len(blocks)-4:]
	write("testdata/stories/the_reply_is_lost.txt", after[1][2])
	said := strings.TrimSpace(after[0][2])
	if out, err := run("go test -run Pause|LateDel"); err == nil || !strings.Contains(out, said) || strings.Contains(out, "FAIL: TestLateDel") {
		t.Errorf("the page says %q, and the tests:\n%s", said, out)
	}
	passes(
		strings.TrimSpace(after[2][2]), "go test -run Stories", strings.TrimSpace(after[3][2])+" -run TestLock/(contention|crash)",
		// A module may keep the timers of Go 1.22, with which bubbles do not work.
		"go mod edit -godebug=asynctimerchan=1", "go test -run TestLock/contention",
	)
	story, err := os.ReadFile(filepath.Join(dir, "testdata", "stories", "the_reply_is_lost.txt"))
	if want := "the reply to it is lost"; err != nil || !strings.Contains(string(story), want) {
		t.Errorf("no %q in %s, %v", want, story, err)
	}
}

// goRedis is the version of go-redis that this module requires.
func goRedis(t *testing.T, root string) string {
	t.Helper()
	mod := testkit.Must(os.ReadFile(filepath.Join(root, "go.mod")))(t)
	m := regexp.MustCompile(`github.com/redis/go-redis/v9 (v\S+)`).FindStringSubmatch(string(mod))
	if m == nil {
		t.Fatal("go.mod does not require go-redis")
	}
	return m[1]
}
