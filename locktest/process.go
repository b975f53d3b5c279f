package locktest

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"lockstep/sim/bubble"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/remote"
	"lockstep/sim/world"
	"lockstep/verdict"
)

// A lock runs in a process of its own: the test binary, run once more with these
// in its environment.
const (
	// EnvTest is the name of the test whose lock the process serves; or EnvAll, if
	// it is to list what there is.
	EnvTest = "LOCKSTEP_LOCKTEST"
	// EnvNth is which of the test's locks that is, from 1.
	EnvNth = "LOCKSTEP_LOCKTEST_NTH"
	// EnvAll lists every lock that a test puts under test, one Listed a line, on
	// file remote.Answers, and tries none.
	EnvAll = "*"
)

// A Listed is one lock under test.
type Listed struct {
	Test string       `json:"test"`
	Nth  int          `json:"nth"`
	Plan verdict.Plan `json:"plan"`
	// Limit is for how long it may be tried, in real time.
	Limit time.Duration `json:"limit_ns"`
}

// hosted is the nth lock of a test in a process of its own; nil in such a process.
func hosted(t *testing.T, f Factory, n int, o *options) *remote.Host {
	t.Helper()
	switch os.Getenv(EnvTest) {
	case "":
		exe, err := os.Executable()
		if err != nil {
			t.Fatalf("locktest: %v", err)
		}
		host := remote.NewHost(func() *exec.Cmd { return Command(exe, t.Name(), n) })
		t.Cleanup(host.Close)
		return host
	case EnvAll:
		if o.unlisted {
			break
		}
		if err := json.NewEncoder(outside()).Encode(Listed{t.Name(), n, o.plan, o.limit}); err != nil {
			t.Fatal(err)
		}
	case t.Name():
		if strconv.Itoa(n) == os.Getenv(EnvNth) {
			bubble.Watch()
			bubble.Places(os.NewFile(remote.Places, "places"))
			bubble.Seed(bubble.Look(cmp.Or(o.plan.Tokens, string(bubble.Random))))
			subject := o.subject(bubble.Start)
			subject.New = f.build(o)
			subject.Draws = draws(subject)
			if err := remote.Serve(os.NewFile(remote.Questions, "questions"), outside(), subject, o.unfit); err != nil {
				t.Error(err)
			}
			t.SkipNow() // the rest of the test is for the process that asks
		}
	}
	return nil
}

// draws says whether a lock draws random values that nobody can repeat, as far as
// one client shows that has all to itself.
func draws(subject program.Subject) bool {
	config := history.Default()
	config.Strategy, config.Clients = "draws", []string{"A"}
	subject.Draws = true
	w, err := world.New(config, subject)
	if err != nil {
		return false
	}
	defer w.Close()
	for range maxDrawing {
		enabled := w.Enabled(history.Action{Verb: history.Step}, history.Action{Verb: history.Tick})
		if len(enabled) == 0 || w.Perform(enabled[0]) != nil {
			break // what is wrong will be seen where somebody asks
		}
	}
	return bubble.Named()
}

// maxDrawing is how many steps a client is given to draw something.
const maxDrawing = 100

// outside is where a process says what it is asked. The file is never closed.
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

// locks counts those of each test; tests may run side by side.
var locks = struct {
	sync.Mutex
	of map[*testing.T]int
}{of: map[*testing.T]int{}}

// Command runs a test binary for one lock, as remote.NewHost takes it.
func Command(exe, test string, nth int) *exec.Cmd {
	var pattern []string
	for _, part := range strings.Split(test, "/") {
		pattern = append(pattern, "^"+regexp.QuoteMeta(part)+"$")
	}
	cmd := exec.Command(exe, "-test.run="+strings.Join(pattern, "/"), "-test.count=1", "-test.timeout=0", "-test.parallel=1")
	cmd.Env = append(os.Environ(), EnvTest+"="+test, EnvNth+"="+strconv.Itoa(nth), "GODEBUG="+godebug())
	return cmd
}

// godebug keeps what is set, and makes math/rand repeatable and timers fit for
// bubbles, whatever go.mod says.
func godebug() string {
	return strings.Trim(os.Getenv("GODEBUG")+",randseednop=0,asynctimerchan=0", ",")
}
