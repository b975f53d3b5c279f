package locktest

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"

	"lockstep/internal/trial"
	"lockstep/sim/bubble"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/remote"
	"lockstep/sim/world"
)

// hosted is the nth lock of a test in a process of its own; nil in such a process.
func hosted(t *testing.T, f Factory, n int, o *options) *remote.Host {
	t.Helper()
	switch os.Getenv(trial.EnvTest) {
	case "":
		exe, err := os.Executable()
		if err != nil {
			t.Fatalf("locktest: %v", err)
		}
		host := remote.NewHost(func() *exec.Cmd { return trial.Command(exe, t.Name(), n) })
		t.Cleanup(host.Close)
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
