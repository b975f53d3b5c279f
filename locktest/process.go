package locktest

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"lockstep/internal/trial"
	"lockstep/sim/bubble"
	"lockstep/sim/program"
	"lockstep/sim/remote"
)

func init() {
	if os.Getenv(trial.EnvTest) != "" {
		bubble.Prepare()
	}
}

// hosted starts the process of a test's nth lock; nil in that process. What the lock
// looks at there, this process looks at in the end, for the go command's cache.
func hosted(t *testing.T, f Factory, n int, o *options) *remote.Pool {
	t.Helper()
	switch os.Getenv(trial.EnvTest) {
	case "":
		exe, err := os.Executable()
		if err != nil {
			t.Fatalf("locktest: %v", err)
		}
		run := func(exe string) *exec.Cmd { return trial.Command(home, exe, t.Name(), n, args()...) }
		adapted := sync.OnceValues(func() (string, error) { return buildAdapted(t) })
		host := remote.NewPool(func() (*exec.Cmd, error) { return run(exe), nil }, func() (*exec.Cmd, error) {
			exe, err := adapted()
			return run(exe), err
		})
		t.Cleanup(func() {
			reads, _ := host.Reads()
			host.Close()
			trial.LookAround(home)
			trial.LookAgain(reads)
		})
		return host
	case trial.EnvAll:
		if o.unlisted {
			break
		}
		if err := json.NewEncoder(outside()).Encode(trial.Listed{Test: t.Name(), Nth: n, Plan: o.plan, Limit: o.limit}); err != nil {
			t.Fatal(err)
		}
	case t.Name():
		if strconv.Itoa(n) == os.Getenv(trial.EnvNth) {
			runtime.GOMAXPROCS(1) // one goroutine at a time is wanted anyway, and need not wake another processor
			bubble.Watch()
			bubble.Places(os.NewFile(remote.Places, "places"))
			bubble.Seed()
			subject := o.plan.Subject(bubble.Start)
			subject.New = f.build(o)
			var traits program.Traits
			odd := false
			if program.Parks != program.Unprobed {
				subject, traits, odd = probed(subject)
			}
			unfit := o.unfit
			if err := remote.Serve(os.NewFile(remote.Questions, "questions"), outside(), subject, unfit, func() program.Traits {
				traits.Returned = o.says.returned()
				return traits
			}, odd); err != nil {
				fmt.Fprintf(os.Stderr, "the channel to Lockstep is broken: %v: does something close files that it did not open?\n", err)
				t.FailNow()
			}
			t.SkipNow() // the other process runs the rest of the test
		}
	}
	return nil
}

// args are the arguments that a lock may go by: what this process was given, but for what
// is only of package testing.
func args() (all []string) {
	flag.Visit(func(f *flag.Flag) {
		if !strings.HasPrefix(f.Name, "test.") || f.Name == "test.short" {
			all = append(all, "-"+f.Name+"="+f.Value.String())
		}
	})
	return append(append(all, "--"), flag.Args()...)
}

// buildAdapted compiles the tests of adapted code.
func buildAdapted(t *testing.T) (exe string, err error) {
	p, err := trial.Find(t.Context(), home)
	if err != nil {
		return "", err
	}
	temp := t.TempDir()
	exe = filepath.Join(temp, "adapted.test")
	return exe, p.BuildAdapted(t.Context(), exe, temp)
}

// home is the folder of the package under test, in which go test runs tests.
var home, _ = os.Getwd()

// outside is the file for the process's answers. It is never closed.
var outside = sync.OnceValue(func() *os.File { return os.NewFile(remote.Answers, "answers") })

// nth numbers the locks of a test.
func nth(t *testing.T) int {
	locks.Lock()
	defer locks.Unlock()
	if locks.of[t] == 0 {
		t.Cleanup(func() {
			locks.Lock()
			defer locks.Unlock()
			delete(locks.of, t)
		})
	}
	locks.of[t]++
	return locks.of[t]
}

// locks counts the locks of each test; tests can run in parallel.
var locks = struct {
	sync.Mutex
	of map[*testing.T]int
}{of: map[*testing.T]int{}}
