package locktest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"lockstep/sim/explore"
)

// Check tries a lock under every hazard that applies, each as a subtest. A subtest
// fails where a schedule violates an invariant that the contract does not
// allow, and where a limit ended the search: that is no pass. It is skipped where what
// the hazard is about never happened.
func Check(t *testing.T, f Factory, opts ...Option) {
	t.Helper()
	o := defaults()
	for _, opt := range opts {
		opt(&o)
	}
	if o.err != nil {
		t.Fatalf("locktest: %v", o.err)
	}
	if isChild(t) {
		serve(t, f, &o)
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), o.limit+grace)
	defer cancel()
	child, err := startChild(ctx, t)
	if err != nil {
		t.Fatalf("locktest: %v", err)
	}
	used, test := map[allowance]bool{}, t.Name()
	for _, h := range o.under() {
		t.Run(h.ID, func(t *testing.T) {
			r, err := child.next(h.ID)
			if err != nil {
				t.Fatal(err)
			}
			conclude(t, test, r, &o, used)
		})
	}
	if err := child.end(); err != nil && !t.Failed() {
		t.Error(err)
	}
	for _, a := range o.contract {
		if a.own && !used[a] && o.explores(a.Hazard) && !t.Failed() {
			t.Errorf("locktest: the allowance of %s under %s is not needed: no schedule within the bounds violates it", a.Invariant, a.Hazard)
		}
	}
}

// grace is how much longer than the limit the process may take to say so.
const grace = 15 * time.Second

// under lists the hazards that apply.
func (o *options) under() (list []explore.Hazard) {
	for _, h := range explore.Hazards {
		if o.explores(h.ID) {
			list = append(list, h)
		}
	}
	return list
}

func (o *options) explores(hazard string) bool {
	for _, id := range o.hazards {
		if id == hazard {
			return true
		}
	}
	return len(o.hazards) == 0
}

// conclude passes or fails the subtest of a hazard, of that test.
func conclude(t *testing.T, test string, r *Report, o *options, used map[allowance]bool) {
	t.Helper()
	failed := false
	for i := range r.Found {
		found := &r.Found[i]
		if a := o.allowed(found.Invariant, r.Hazard); a != nil {
			used[*a] = true
			t.Logf("allowed: %s, since %s (%d faults, %d steps; %s)", found.Invariant, a.Why, found.Faults, found.Steps, found.Token)
			continue
		}
		failed = true
		t.Errorf("%s: %s\n%s", r.Verdict, found.Invariant, found.text())
		if name, err := keep(test, r.Hazard, found); err != nil {
			t.Logf("it could not be kept: %v", err)
		} else {
			t.Logf("kept in %s, and played first from now on", name)
		}
	}
	switch {
	case failed && r.Reason != "":
		t.Log(r.Reason)
	case failed:
	case r.Verdict == string(explore.Inconclusive) && r.Sampled > 0 && o.sampled != "":
		t.Logf("accepted, since %s", o.sampled)
	case r.Verdict == string(explore.Inconclusive):
		t.Errorf("INCONCLUSIVE: %s", r.Reason)
	case r.Verdict == string(explore.Vacuous):
		t.Skipf("VACUOUS: %s", r.Reason)
	}
	t.Logf("%s: %s\nAssumptions: %s", r.Verdict, r.extent(), r.Assumptions)
}

// A child is the process in which the lock runs.
type child struct {
	cmd    *exec.Cmd
	lines  *bufio.Scanner
	stderr *bytes.Buffer
	ctx    context.Context
	dead   error
}

// The environment by which a child knows what it is.
const (
	envTest = "LOCKSTEP_LOCKTEST"  // the name of the test
	envNth  = "LOCKSTEP_LOCKCHECK" // which of its Checks
)

func isChild(t *testing.T) bool { return os.Getenv(envTest) == t.Name() }

// checks counts the Checks of each test; tests may run side by side.
var checks = struct {
	sync.Mutex
	of map[string]int
}{of: map[string]int{}}

// nth numbers this Check among those of its test.
func nth(t *testing.T) string {
	checks.Lock()
	defer checks.Unlock()
	checks.of[t.Name()]++
	return strconv.Itoa(checks.of[t.Name()])
}

func startChild(ctx context.Context, t *testing.T) (*child, error) {
	if os.Getenv(envTest) != "" {
		t.SkipNow() // of another test
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var pattern []string
	for _, part := range strings.Split(t.Name(), "/") {
		pattern = append(pattern, "^"+regexp.QuoteMeta(part)+"$")
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c := &child{ctx: ctx, stderr: &bytes.Buffer{}, lines: bufio.NewScanner(r)}
	c.lines.Buffer(nil, 64<<20)
	c.cmd = exec.CommandContext(ctx, exe, "-test.run="+strings.Join(pattern, "/"), "-test.count=1", "-test.timeout=0", "-test.parallel=1")
	c.cmd.Env = append(os.Environ(), envTest+"="+t.Name(), envNth+"="+nth(t), "GODEBUG="+godebug())
	c.cmd.Stdout = io.Discard
	c.cmd.Stderr = &limited{c.stderr, 1 << 20}
	c.cmd.ExtraFiles = []*os.File{w}
	c.cmd.WaitDelay = time.Second
	err = c.cmd.Start()
	_ = w.Close()
	if err != nil {
		_ = r.Close()
		return nil, err
	}
	t.Cleanup(func() { _ = r.Close() })
	return c, nil
}

// godebug keeps what is set, and makes math/rand repeatable and timers fit for
// bubbles, whatever go.mod says.
func godebug() string {
	return strings.Trim(os.Getenv("GODEBUG")+",randseednop=0,asynctimerchan=0", ",")
}

// next returns the report on a hazard.
func (c *child) next(hazard string) (*Report, error) {
	if c.dead == nil && c.lines.Scan() {
		var r Report
		if err := json.Unmarshal(c.lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("locktest: %w", err)
		}
		return &r, nil
	}
	if c.dead == nil {
		c.dead = c.post()
	}
	return nil, fmt.Errorf("INCONCLUSIVE: %s was not explored to its end: %w", hazard, c.dead)
}

// post says why the child has ended before it was done.
func (c *child) post() error {
	err := c.cmd.Wait()
	text := lastWords(c.stderr.String())
	switch {
	case c.ctx.Err() != nil:
		return errors.New("the lock's process did not come to an end within the limit, and was stopped" + text)
	case err == nil:
		return errors.New("the lock's process ended with exit code 0; something in it calls os.Exit" + text)
	}
	return fmt.Errorf("the lock's process ended: %w%s", err, text)
}

// lastWords is what a process printed that tells why it ended.
func lastWords(s string) string {
	for _, mark := range []string{"fatal error: ", "panic: "} {
		if i := strings.Index(s, mark); i >= 0 {
			s = s[i:]
			break
		}
	}
	lines := strings.Split(strings.TrimSpace(s), "\n")
	if len(lines) > 30 {
		lines = append(lines[:30], "...")
	}
	if lines[0] == "" {
		return ""
	}
	return "\n\t" + strings.Join(lines, "\n\t")
}

func (c *child) end() error {
	if c.dead != nil {
		return nil
	}
	if c.lines.Scan() {
		return errors.New("locktest: the lock's process says more than it was asked")
	}
	if err := c.cmd.Wait(); err != nil {
		return fmt.Errorf("locktest: the lock's process: %w%s", err, lastWords(c.stderr.String()))
	}
	return nil
}

// A limited writer forgets what is too much.
type limited struct {
	w    *bytes.Buffer
	left int
}

func (l *limited) Write(b []byte) (int, error) {
	n := min(len(b), l.left)
	l.left -= n
	l.w.Write(b[:n])
	return len(b), nil
}
