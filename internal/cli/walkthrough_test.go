//go:build unix

package cli

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/tui/pages"
)

// TestInATerminal drives the program through a chapter: it predicts, sees the
// lock break, takes the run over, copies its token and quits.
func TestInATerminal(t *testing.T) {
	p := newPane(t)
	before := p.settings()
	p.runs("clear; lockstep; echo left with $?")
	p.sees("The first minute")
	p.keys("Escape")
	p.sees("Choose a course")
	p.keys("Escape")
	p.sees("for the course")
	p.wantOpen()
	p.keys("c")
	p.sees("Choose a chapter")
	p.keys("Enter")
	p.sees("part 1 of 8")
	p.keys("Right")
	p.sees("part 2 of 8")

	asked, broken, frame := false, false, p.screen()
	for !strings.Contains(frame, "part 4 of 8") {
		key := "Right"
		switch {
		case strings.Contains(frame, " I do not know"):
			key, asked = "u", true
		case strings.Contains(frame, "VIOLATED") && !broken:
			broken = true
			takeOver(p)
		}
		frame = p.changes(key)
		p.until("run", func() bool { frame = p.screen(); return !strings.Contains(frame, "running the story") })
	}
	if !asked || !broken {
		t.Errorf("asked for a prediction: %v, violated: %v", asked, broken)
	}
	p.keys("q")
	p.sees("left with 0")
	p.sees("You have done 0 of ")
	p.wantAsBefore(before)
	if _, err := os.Stat(filepath.Join(p.dir, "state", "lockstep", "course.json")); err != nil {
		t.Error(err)
	}
}

// takeOver takes over the run that is shown, picks a move, copies the token and
// goes back.
func takeOver(p *pane) {
	p.t.Helper()
	p.keys("t")
	p.sees("You pick")
	p.changes("g")
	p.sees("move 0 of")
	p.changes("Enter")
	p.sees("move 1 of")
	p.keys("y")
	p.sees("Asked the terminal to copy")
	p.sees("ls1.")
	token := p.tmux("show-buffer") // tmux is the terminal here
	if _, s, err := history.ParseToken(token); err != nil || len(s) != 1 {
		p.t.Errorf("copied %q: %v %v", token, s, err)
	}
	p.changes("Escape")
	p.sees("move 1 of")
	p.changes("Escape")
	p.sees("part 3 of 8")
}

// TestSignalsInATerminal: whoever ends or stops the program finds the terminal
// as it was.
func TestSignalsInATerminal(t *testing.T) {
	p := newPane(t)
	before := p.settings()
	p.runs("clear; lockstep; echo stopped with $?")
	p.sees("The first minute")
	p.keys("Escape")
	p.sees("Choose a course")
	p.keys("Escape")
	p.sees("for the course")
	p.keys("m")
	p.sees("Locks against hazards")
	p.wantOpen()
	p.keys("C-z")
	p.sees("stopped with 1") // 128 and the signal's number
	p.wantAsBefore(before)
	p.runs("clear; fg; echo left with $?")
	p.sees("Locks against hazards")
	p.wantOpen()
	p.keys("C-c")
	p.sees("left with 130")
	p.wantAsBefore(before)

	for signal, says := range map[syscall.Signal]string{
		syscall.SIGTERM: "ended with 130", syscall.SIGHUP: "ended with 129", syscall.SIGQUIT: "ended with 2",
		syscall.SIGABRT: "ended with 2",
	} {
		p.runs("clear; sh -c 'echo $$ > part; mv part pid; exec lockstep' 2> said; echo ended with $?")
		p.sees("for the course")
		p.wantOpen()
		p.keys("c")
		p.sees("Choose a chapter")
		testkit.OK(t, syscall.Kill(p.pid(), signal))
		p.sees(says)
		p.wantAsBefore(before)
		said, err := os.ReadFile(filepath.Join(p.dir, "said"))
		dumps := signal == syscall.SIGQUIT || signal == syscall.SIGABRT
		if err != nil || strings.Contains(string(said), "goroutine ") != dumps {
			t.Errorf("%v: it says %.200q %v", signal, said, err)
		}
	}

	p.runs("clear; sh -c 'echo $$ > part; mv part pid; trap \"\" HUP; exec lockstep'; echo ended with $?")
	p.sees("for the course")
	p.wantOpen()
	testkit.OK(t, syscall.Kill(p.pid(), syscall.SIGHUP))
	p.keys("c")
	p.sees("Choose a chapter") // whoever started it wants it to outlive that signal
	p.keys("q")
	p.sees("ended with 0")
}

// TestStoppedFromOutside: bash takes the terminal while the walkthrough is stopped, and gives it
// back as it is. The walkthrough draws itself again, and reads keys that no Enter ends.
func TestStoppedFromOutside(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip(err)
	}
	p := newPane(t)
	p.runs("clear; exec bash --norc --noprofile")
	p.sees("$")
	before := p.settings()
	p.runs("clear; sh -c 'echo $$ > part; mv part pid; exec lockstep'; echo ended with $?")
	p.sees("The first minute")
	p.keys("Escape")
	p.sees("Choose a course")
	p.keys("Escape")
	p.sees("for the course")
	pid := p.pid()
	for _, signal := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGTSTP} {
		testkit.OK(t, syscall.Kill(pid, signal))
		p.sees("ended with 14") // 128 and the signal's number
		p.runs("clear; fg; echo ended with $?")
		p.sees("for the course")
		p.wantOpen()
		p.keys("c")
		p.sees("Choose a chapter")
		p.keys("Escape")
		p.sees("for the course")
	}
	p.keys("C-c")
	p.sees("ended with 130")
	p.wantAsBefore(before)
}

// pid is the process that has noted its number.
func (p *pane) pid() int {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, "pid"))
	if err != nil {
		p.t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		p.t.Fatal(err)
	}
	return pid
}

// TestPanicsInATerminal: a panic of the program or of work beside it is told on
// a terminal that is as it was.
func TestPanicsInATerminal(t *testing.T) {
	for _, command := range []string{"lockstep-panics-inside", "lockstep-panics-beside"} {
		t.Run(command, func(t *testing.T) {
			p := newPane(t)
			before := p.settings()
			p.runs("clear; " + command + " 2> said; echo ended with $?")
			p.sees("The first minute")
			p.keys("Escape")
			p.sees("Choose a course")
			p.keys("Escape")
			p.sees("for the course")
			p.wantOpen()
			p.keys("m")
			p.sees("ended with 2")
			p.wantAsBefore(before)
			if said, err := os.ReadFile(filepath.Join(p.dir, "said")); err != nil || !strings.Contains(string(said), "panic") {
				t.Errorf("it says %q %v", said, err)
			}
		})
	}
}

func init() {
	commands["lockstep-panics-inside"], commands["lockstep-panics-beside"] = panicsInside, panicsBeside
}

// panicsInside is the program with a matrix that has no cells, on which it
// panics when m is pressed.
func panicsInside() { panics(func(m *pages.Matrix) { m.Hazards = nil }) }

// panicsBeside is the program with a matrix that panics when it is computed.
func panicsBeside() {
	panics(func(m *pages.Matrix) {
		m.Compute = func(context.Context, func(...explore.Report)) error { panic("forced by a test") }
	})
}

func panics(change func(m *pages.Matrix)) {
	a := newApp(os.Stdin, os.Stdout, os.Stderr)
	a.walk = func(ctx context.Context, o walkOptions, in io.Reader, out io.Writer) error {
		change(o.Matrix)
		return walk(ctx, o, in, out)
	}
	os.Exit(a.run(context.Background(), os.Args[1:]))
}
