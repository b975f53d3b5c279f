package sshd

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"go.uber.org/goleak"
	"golang.org/x/crypto/ssh"

	"lockstep/internal/testkit"
	"lockstep/tui"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// served starts a server and returns its address; it ends with the test.
func served(t *testing.T, folder string, sessions int) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- Serve(ctx, l, Options{Walk: tui.Options{NoAnimation: true}, Folder: folder, Sessions: sessions})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// dial connects, with the key of a number or, for 0, without one.
func dial(t *testing.T, address string, key byte) *ssh.Client {
	t.Helper()
	auth := []ssh.AuthMethod{ssh.KeyboardInteractive(func(string, string, []string, []bool) ([]string, error) { return nil, nil })}
	if key > 0 {
		signer, err := ssh.NewSignerFromKey(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{key}, ed25519.SeedSize)))
		if err != nil {
			t.Fatal(err)
		}
		auth = []ssh.AuthMethod{ssh.PublicKeys(signer)}
	}
	c, err := ssh.Dial("tcp", address, &ssh.ClientConfig{User: "anybody", Auth: auth, HostKeyCallback: ssh.InsecureIgnoreHostKey(), Timeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// A screen is what a session has written so far.
type screen struct {
	*ssh.Session
	keys io.Writer
	mu   sync.Mutex
	text []byte
	more chan struct{}
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, ansi.Strip(string(p))...)
	select {
	case s.more <- struct{}{}:
	default:
	}
	return len(p), nil
}

// sees waits for a text, written since the last call.
func (s *screen) sees(t *testing.T, want string) {
	t.Helper()
	late := time.After(20 * time.Second)
	for {
		s.mu.Lock()
		if at := bytes.Index(s.text, []byte(want)); at >= 0 {
			s.text = s.text[at+len(want):]
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		select {
		case <-s.more:
		case <-late:
			t.Fatalf("no %q in %q", want, s.text)
		}
	}
}

func (s *screen) press(t *testing.T, keys string) {
	t.Helper()
	if _, err := io.WriteString(s.keys, keys); err != nil {
		t.Fatal(err)
	}
}

// session begins a session; without a terminal if it has no width.
func session(t *testing.T, c *ssh.Client, width int) *screen {
	t.Helper()
	s, err := c.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	out := &screen{Session: s, more: make(chan struct{}, 1)}
	s.Stdout, s.Stderr = out, out
	if out.keys, err = s.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if width != 0 {
		if err := s.RequestPty("xterm-256color", 30, width, nil); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// walk begins a session with the walkthrough.
func walk(t *testing.T, c *ssh.Client) *screen {
	t.Helper()
	s := session(t, c, 100)
	if err := s.Shell(); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSession: two learners walk, each for itself; a window grows; one quits.
func TestSession(t *testing.T) {
	address := served(t, t.TempDir(), 2)
	a, b := walk(t, dial(t, address, 1)), walk(t, dial(t, address, 0))
	a.sees(t, "setnx")
	b.sees(t, "setnx")
	a.press(t, "/")
	a.sees(t, "Search")
	a.press(t, "\x1b")
	b.press(t, "/")
	b.sees(t, "Search")
	if err := a.WindowChange(40, 140); err != nil {
		t.Fatal(err)
	}
	a.sees(t, "setnx") // drawn again
	a.press(t, "\x1a") // ctrl+z stops no server
	a.press(t, "q")
	if err := a.Wait(); err != nil {
		t.Error(err)
	}
	b.press(t, "\x1b")
	b.sees(t, "setnx")
}

// TestOnlyTheWalkthrough: there is no command, no session without a terminal, no second
// one on a connection, no file transfer and no forwarding.
func TestOnlyTheWalkthrough(t *testing.T) {
	address := served(t, t.TempDir(), 3)
	c := dial(t, address, 0)
	s := session(t, c, 100)
	if err := s.Start("sh"); err != nil {
		t.Fatal(err)
	}
	s.sees(t, "connect without a command")
	if err := s.Wait(); err == nil {
		t.Error("a command succeeds")
	}
	s = session(t, dial(t, address, 0), 0)
	if err := s.Shell(); err != nil {
		t.Fatal(err)
	}
	s.sees(t, "needs a terminal")

	c = dial(t, address, 0)
	walk(t, c).sees(t, "setnx")
	if err := session(t, c, 0).RequestSubsystem("sftp"); err == nil {
		t.Error("there is sftp")
	}
	if _, err := c.Dial("tcp", address); err == nil {
		t.Error("it forwards")
	}
	if _, err := c.Listen("tcp", "127.0.0.1:0"); err == nil {
		t.Error("it listens for others")
	}
	if ok, _, err := c.SendRequest("auth-agent-req@openssh.com", true, nil); ok || err != nil {
		t.Errorf("it takes an agent: %t, %v", ok, err)
	}
	second := walk(t, c)
	second.sees(t, "one session for each connection")
}

// TestPlaces: who comes when all places are taken learns so; a place becomes free.
func TestPlaces(t *testing.T) {
	address := served(t, t.TempDir(), 1)
	first := walk(t, dial(t, address, 0))
	first.sees(t, "setnx")
	walk(t, dial(t, address, 0)).sees(t, "all 1 places are taken")
	first.press(t, "q")
	if err := first.Wait(); err != nil {
		t.Error(err)
	}
	walk(t, dial(t, address, 0)).sees(t, "setnx")
}

// TestWaiting: connections without a session are bounded.
func TestWaiting(t *testing.T) {
	address := served(t, t.TempDir(), 1)
	refused := 0
	for range maxWaiting + 5 {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		if _, err := io.ReadFull(c, make([]byte, 4)); err != nil { // SSH-
			refused++
		}
	}
	if refused != 4 {
		t.Errorf("%d of them were refused", refused)
	}
}

// TestProgress: who comes again with a key finds what it did; another one, or who only
// shows that key and comes in without, does not.
func TestProgress(t *testing.T) {
	folder := t.TempDir()
	address := served(t, folder, 3)
	visit := func(key byte) {
		s := walk(t, dial(t, address, key))
		s.sees(t, "setnx")
		s.press(t, "\r") // the stories of a lock
		s.sees(t, "Choose a story")
		s.press(t, "\r") // a story
		s.sees(t, "ttl=5s")
		s.press(t, "G") // to the first question
		s.sees(t, "What does B's SETNX answer?")
		s.press(t, "0")
		s.sees(t, "go on")
		s.press(t, "q")
		_ = s.Wait()
	}
	kept := func() []string {
		all, err := filepath.Glob(filepath.Join(folder, "progress", "*", "*"))
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	visit(0)
	if all := kept(); len(all) > 0 {
		t.Errorf("without a key there is %q", all)
	}
	visit(1)
	one := kept()
	if len(one) == 0 {
		t.Fatal("nothing is kept")
	}
	visit(1)
	if all := kept(); len(all) != len(one) {
		t.Errorf("a second visit makes %q", all)
	}
	visit(2)
	if all := kept(); len(all) != 2*len(one) {
		t.Errorf("another key makes %q", all)
	}
	info, err := os.Stat(filepath.Join(folder, "host_ed25519"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the host's key: %v, %v", info, err)
	}
}

// TestEnd: an end of the server ends the sessions, which say goodbye.
func TestEnd(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, l, Options{Folder: t.TempDir(), Sessions: 1}) }()
	s := walk(t, dial(t, l.Addr().String(), 0))
	s.sees(t, "setnx")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	_ = s.Wait()
}

// TestHostileSizes: a window may have any size.
func TestHostileSizes(t *testing.T) {
	address := served(t, t.TempDir(), 1)
	s := session(t, dial(t, address, 0), 1<<31-1)
	if err := s.Shell(); err != nil {
		t.Fatal(err)
	}
	s.sees(t, "setnx")
	for _, size := range [][2]int{{0, 0}, {1, 1}, {1 << 30, 1 << 30}, {30, 100}} {
		if err := s.WindowChange(size[0], size[1]); err != nil {
			t.Fatal(err)
		}
	}
	s.press(t, "/")
	s.sees(t, "Search")
}

// TestMemory: many sessions, each at the end of a story, take little memory together.
func TestMemory(t *testing.T) {
	testkit.Single(t)
	testkit.Long(t, "a hundred sessions; nothing else holds their memory")
	const sessions, most = 100, 2 << 20 // bytes each
	address := served(t, t.TempDir(), sessions)
	var before, after runtime.MemStats
	for i := range sessions + 1 {
		s := walk(t, dial(t, address, 0))
		if i == 0 { // everything is loaded once
			s.press(t, "\r\r")
			s.sees(t, "ttl=5s")
			s.press(t, "q")
			_ = s.Wait()
			runtime.GC()
			runtime.ReadMemStats(&before)
			continue
		}
		s.press(t, "\r\r")
		s.sees(t, "ttl=5s")
		s.press(t, "G")
		s.sees(t, "What does B's SETNX answer?")
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := int(after.HeapInuse+after.StackInuse-before.HeapInuse-before.StackInuse) / sessions
	t.Logf("%d bytes for each session, with its client", each)
	if each > most {
		t.Errorf("at most %d are meant to be", most)
	}
}
