package remote_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/remote"
)

const (
	envChild = "LOCKSTEP_TEST_CHILD" // what TestChild does
	envDial  = "LOCKSTEP_TEST_DIAL"  // the address that it dials
)

// TestChild is the child of TestEndsAll, and what that starts.
func TestChild(t *testing.T) {
	switch what := os.Getenv(envChild); what {
	case "":
		t.Skip("others run it, in a process of its own")
	case "grandchild":
		c := testkit.Must(net.Dial("tcp", os.Getenv(envDial)))(t)
		_, _ = os.Stdout.WriteString("dialed\n")
		_, _ = io.Copy(io.Discard, c)
	default:
		cmd := exec.Command(os.Args[0], "-test.run=^TestChild$")
		cmd.Env = append(os.Environ(), envChild+"=grandchild")
		cmd.ExtraFiles = []*os.File{os.NewFile(3, "the child's pipe")}
		if what == "far" {
			leaves(cmd)
		}
		out := testkit.Must(cmd.StdoutPipe())(t)
		testkit.OK(t, cmd.Start())
		_, _ = out.Read(make([]byte, 1))
		os.Exit(0)
	}
}

// TestEndsAll: what a child has started ends with it, also out of its process group,
// and does not keep its pipe open.
func TestEndsAll(t *testing.T) {
	near := []string{"near"}
	if runtime.GOOS == "linux" {
		near = append(near, "far")
	}
	for _, what := range near {
		l := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
		defer func() { _ = l.Close() }()
		r, w, err := os.Pipe()
		testkit.OK(t, err)
		cmd := exec.Command(os.Args[0], "-test.run=^TestChild$")
		cmd.Env = append(os.Environ(), envChild+"="+what, envDial+"="+l.Addr().String())
		cmd.ExtraFiles = []*os.File{w}
		c := testkit.Must(remote.StartChild(cmd, r, &remote.Reads{}))(t)
		_ = w.Close()
		grandchild := testkit.Must(l.Accept())(t)
		if _, err := io.ReadAll(r); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
		if _, err := io.Copy(io.Discard, grandchild); err != nil && !errors.Is(err, syscall.ECONNRESET) {
			t.Error(err)
		}
	}
}

// TestEnds: the beginning and the end of a long output are kept, and what is between
// is counted.
func TestEnds(t *testing.T) {
	var e remote.Ends
	const lines = 1 << 20
	for i := range lines {
		_, _ = fmt.Fprintf(&e, "line %d\n", i)
	}
	text := e.String()
	if len(text) > 200<<10 || !strings.HasPrefix(text, "line 0\nline 1\n") || !strings.HasSuffix(text, fmt.Sprintf("line %d\n", lines-1)) || !strings.Contains(text, " bytes left out ...") {
		t.Errorf("%d bytes: %q ... %q", len(text), text[:100], text[len(text)-100:])
	}
	var few remote.Ends
	want := slices.Repeat([]byte("x"), 40<<10)
	_, _ = few.Write(want)
	if !bytes.Equal([]byte(few.String()), want) {
		t.Error("a short output is not kept whole")
	}
}
