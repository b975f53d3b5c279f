package trial

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/lang"
)

// A lock runs in a process of its own: the test binary with these variables in
// its environment.
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
	Test string `json:"test"`
	Nth  int    `json:"nth"`
	Plan Plan   `json:"plan"`
	// Limit is for how long it may be tried, in real time.
	Limit time.Duration `json:"limit_ns"`
}

// fits is an error if no Check can have made this: what speaks for the tests is code
// that need not be theirs.
func (l *Listed) fits() error {
	p := &l.Plan
	for _, n := range []struct {
		is, least, most int
		what            string
	}{
		{l.Nth, 1, maxListed, "nth"}, {p.Clients, 1, MaxClients, "clients"}, {p.Rounds, 1, MaxRounds, "rounds"}, {p.Nodes, 1, MaxNodes, "nodes"},
		{p.Retries, 0, MaxRetries, "retries"}, {p.Addresses, 0, 3, "addresses"}, {p.States, 1, MaxStates, "states"},
		{p.Memory, 1, Usual().Memory, "memory"},
		{p.MoreFaults, 0, 1, "more_faults"}, {p.MoreTicks, 0, 2, "more_ticks"},
	} {
		if n.is < n.least || n.is > n.most {
			return lang.Errorf("%s: %d; use %d to %d", n.what, n.is, n.least, n.most)
		}
	}
	return nil
}

// Bounds of a plan.
const (
	MaxClients = 5
	MaxRounds  = 10
	MaxNodes   = 9
	MaxRetries = 10
	MaxStates  = 1 << 30
)

// Command runs a test binary in a folder for one lock, as remote.NewPool takes it; args
// are those of the tests.
func Command(dir, exe, test string, nth int, args ...string) *exec.Cmd {
	var pattern []string
	for _, part := range strings.Split(test, "/") {
		pattern = append(pattern, "^"+regexp.QuoteMeta(part)+"$")
	}
	cmd := exec.Command(exe, "-test.run="+strings.Join(pattern, "/"), "-test.count=1", "-test.timeout=0", "-test.parallel=1")
	cmd.Args = append(cmd.Args, args...)
	// It answers one question at a time, and its goroutines take turns: more
	// processors would only wake each other.
	cmd.Dir, cmd.Env = dir, append(environ(dir), EnvTest+"="+test, EnvNth+"="+strconv.Itoa(nth), "GODEBUG="+godebug(), "GOMAXPROCS=1")
	if os.Getenv("GOGC") == "" {
		cmd.Env = append(cmd.Env, "GOGC=400") // each run is new, and soon garbage
	}
	return cmd
}

// godebug keeps what is set, and makes rand.Seed do nothing and timers fit for
// bubbles, whatever go.mod says.
func godebug() string {
	return strings.Trim(os.Getenv("GODEBUG")+",randseednop=1,asynctimerchan=0", ",")
}
