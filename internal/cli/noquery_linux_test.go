package cli

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"lockstep/internal/testkit"
)

// TestNoQuery: on a terminal, a command writes what it was asked for and no
// question to the terminal, which might not answer.
func TestNoQuery(t *testing.T) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer func() { _ = master.Close() }()
	testkit.OK(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	n := testkit.Must(unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN))(t)
	terminal := testkit.Must(os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0))(t)
	cmd := exec.CommandContext(t.Context(), "lockstep", "version")
	cmd.Env = append(os.Environ(), "TERM=xterm", "CI=") // with CI set, nobody asks
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true} // who is in the background does not ask
	testkit.OK(t, cmd.Run())
	written := make([]byte, 1000)
	size := testkit.Must(master.Read(written))(t)
	testkit.OK(t, terminal.Close())
	if got := string(written[:size]); !strings.HasPrefix(got, "lockstep ") {
		t.Errorf("the terminal gets %q", got)
	}
}

// TestTerminalKeepsItsName: what follows sees the terminal that there is.
func TestTerminalKeepsItsName(t *testing.T) {
	began, err := os.ReadFile("/proc/self/environ")
	if err != nil {
		t.Skip(err)
	}
	_, after, want := strings.Cut("\x00"+string(began), "\x00TERM=")
	name, _, _ := strings.Cut(after, "\x00")
	if got, known := os.LookupEnv("TERM"); got != name || known != want {
		t.Errorf("TERM is %q (%v), and was %q (%v)", got, known, name, want)
	}
}
