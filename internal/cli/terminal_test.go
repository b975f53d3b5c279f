//go:build unix

package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"lockstep/internal/lang"
	"lockstep/internal/queue"
	"lockstep/internal/testkit"
)

// A pane is a shell in a terminal of its own, which a test types into and
// reads from.
type pane struct {
	t      *testing.T
	dir    string
	socket string
	looks  int
}

// newPane starts the shell in a folder of its own. Without tmux the test is
// skipped.
func newPane(t *testing.T) *pane {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip(err)
	}
	dir, err := os.MkdirTemp("", "lockstep") // t.TempDir may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	p := &pane{t: t, dir: dir, socket: filepath.Join(dir, "tmux")}
	t.Cleanup(func() {
		_ = exec.Command("tmux", "-S", p.socket, "kill-server").Run()
		_ = os.RemoveAll(dir)
	})
	p.tmux("-u", "-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "-c", dir,
		"env", "PS1=$ ", "ENV=", "LC_ALL=C.UTF-8", "NO_COLOR=", "LOCKSTEP_PLAIN=", "XDG_STATE_HOME="+filepath.Join(dir, "state"), "sh")
	p.tmux("set-option", "-s", "set-clipboard", "on")
	p.until("a prompt", func() bool { return strings.Contains(p.screen(), "$") })
	return p
}

func (p *pane) tmux(args ...string) string {
	p.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-S", p.socket}, args...)...).CombinedOutput()
	if err != nil {
		p.t.Fatalf("tmux %q: %v %s", args, err, out)
	}
	return string(out)
}

// keys presses keys, by tmux's names for them.
func (p *pane) keys(keys ...string) {
	p.t.Helper()
	p.tmux(append([]string{"send-keys"}, keys...)...)
}

// runs types a command line.
func (p *pane) runs(line string) {
	p.t.Helper()
	p.tmux("send-keys", "-l", line)
	p.keys("Enter")
}

func (p *pane) screen() string {
	p.t.Helper()
	return p.tmux("capture-pane", "-p", "-J")
}

// is asks tmux what it knows of the terminal.
func (p *pane) is(what string) string {
	p.t.Helper()
	return strings.TrimSpace(p.tmux("display-message", "-p", "#{"+what+"}"))
}

// until waits for something that must happen, however slow the machine is.
func (p *pane) until(what string, happens func() bool) {
	p.t.Helper()
	for end := time.Now().Add(time.Minute); !happens(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			p.t.Fatalf("no %s on the screen:\n%s", what, p.screen())
		}
	}
}

// sees waits for words on the screen.
func (p *pane) sees(words string) {
	p.t.Helper()
	p.until(fmt.Sprintf("%q", words), func() bool { return strings.Contains(p.screen(), words) })
}

// changes presses a key and waits for what it does.
func (p *pane) changes(key string) string {
	p.t.Helper()
	before := p.screen()
	p.keys(key)
	after := before
	p.until("answer to "+key, func() bool { after = p.screen(); return after != before })
	return after
}

// settings are the terminal's, as the shell finds them.
func (p *pane) settings() string {
	p.t.Helper()
	p.looks++
	file := filepath.Join(p.dir, fmt.Sprintf("stty%d", p.looks))
	p.runs("stty -a > part && mv part " + file)
	var text []byte
	p.until("settings", func() (ok bool) { text, _ = os.ReadFile(file); return len(text) > 0 })
	return string(text)
}

// wantOpen checks the terminal while the walkthrough has it.
func (p *pane) wantOpen() {
	p.t.Helper()
	p.until("alternate screen", func() bool { return p.is("alternate_on") == "1" })
	p.until("mouse", func() bool { return p.is("mouse_any_flag") == "1" })
}

// wantAsBefore checks that a terminal is as the walkthrough has found it.
func (p *pane) wantAsBefore(before string) {
	p.t.Helper()
	if after := p.settings(); after != before {
		p.t.Errorf("the settings are\n%s\nand were\n%s", after, before)
	}
	if p.is("alternate_on") != "0" || p.is("cursor_flag") != "1" {
		p.t.Errorf("alternate screen %s, cursor %s:\n%s", p.is("alternate_on"), p.is("cursor_flag"), p.screen())
	}
}

// TestProgressBelow: each progress replaces the one before, with as many lines above it as
// the terminal has room for, and nothing is left of it in the end.
func TestProgressBelow(t *testing.T) {
	master, tty, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer master.Close()
	testkit.OK(t, pty.Setsize(master, &pty.Winsize{Rows: 4, Cols: 8}))
	a := newApp(nil, io.Discard, tty)
	for _, lines := range [][]string{nil, {"one"}, {"one", "two", "three and more"}} {
		a.progressAt = time.Time{}
		a.progressBelow(func() []string { return lines }, lang.New("below"))
	}
	a.eraseProgress()
	a.eraseProgress()
	want := "\rbelow\x1b[K" + "\rone\x1b[K\r\nbelow\x1b[K" + "\r\x1b[1Atwo\x1b[K\r\nthree a\x1b[K\r\nbelow\x1b[K" + "\r\x1b[2A\x1b[J"
	got := make([]byte, len(want))
	if _, err := io.ReadFull(master, got); err != nil || string(got) != want {
		t.Errorf("%q, %v\nwant\n%q", got, err, want)
	}
	_ = tty.Close()
}

// TestTroubleInATerminal: what keeps the workers is whole in a narrow terminal, and said once.
func TestTroubleInATerminal(t *testing.T) {
	master, tty, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer master.Close()
	testkit.OK(t, pty.Setsize(master, &pty.Winsize{Rows: 4, Cols: 30}))
	a := newApp(nil, io.Discard, tty)
	tell := a.queueProgress(map[string]string{"v": ""})
	p := queue.Progress{Of: 3, Trouble: errors.New("ADDR does not answer; it may be stopped, or busy"), Lacking: []string{"v"}}
	for range 2 {
		a.progressAt = time.Time{}
		tell(p)
	}
	line := "\rqueue: 0 of 3 parts, 0 worker\x1b[K"
	want := "lockstep: --queue: Redis: ADDR does not answer; it may be stopped, or busy\r\n" + line + line
	_ = tty.Close()
	if got, _ := io.ReadAll(master); string(got) != want { // it ends with an error: the terminal is closed
		t.Errorf("%q\nwant\n%q", got, want)
	}
}
