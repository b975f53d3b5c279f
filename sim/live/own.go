package live

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A process is a redis-server that was started here.
type process struct {
	binary string
	dir    string
	file   string // its configuration
	pid    int
	shell  *exec.Cmd
	leash  io.WriteCloser
	target Target
}

// startTimeout is how long a server may take until it answers.
const startTimeout = 10 * time.Second

// leashed runs a server for as long as its standard input is open: that ends
// with the process that holds the other end, however it dies. Then the server's
// folder goes too, unless a line has asked to keep it. The server says nothing
// that anybody would read. Whoever would read its pid may have died already:
// SIGPIPE must not end the shell before the server.
const leashed = `trap '' PIPE
"$1" "$2/` + configName + `" </dev/null >/dev/null 2>&1 & pid=$!
echo $pid
read -r keep
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
[ "$keep" ] || rm -rf "$2"`

const configName = "redis.conf"

// ErrNoRedisServer says that there is no redis-server to start.
var ErrNoRedisServer = errors.New("no redis-server is found on the PATH")

// A Kind says what a server of one's own is for.
type Kind int

// The kinds of servers.
const (
	Fleeting   Kind = iota // it stores nothing: a run does not end it
	Persistent             // every write is on disk before its reply, for a server that is killed
)

// Start starts a server of one's own: on a free port of the loopback address,
// in a temporary folder, under a random password. It ends with Stop, and with
// this process.
func Start(ctx context.Context, kind Kind) (*Server, error) {
	binary, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, ErrNoRedisServer
	}
	dir, err := os.MkdirTemp("", "lockstep-redis-")
	if err != nil {
		return nil, err
	}
	p := &process{binary: binary, dir: dir, file: filepath.Join(dir, configName)}
	// Somebody else may take the free port first.
	for range 3 {
		if err = p.launch(ctx, kind); err == nil {
			break
		}
		p.kill()
	}
	var s *Server
	if err == nil {
		s, err = Open(ctx, p.target)
	}
	if err != nil {
		p.stop()
		return nil, fmt.Errorf("start redis-server: %w", err)
	}
	s.process = p
	return s, nil
}

// Stop ends a server that was started here.
func (s *Server) Stop() {
	if s.process != nil {
		s.process.stop()
	}
}

// launch starts the process on a free port and waits until it is the one that
// answers there.
func (p *process) launch(ctx context.Context, kind Kind) error {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	port := free.Addr().(*net.TCPAddr).Port
	if err := free.Close(); err != nil {
		return err
	}
	secret := make([]byte, 16)
	_, _ = rand.Read(secret) // it never fails
	password := hex.EncodeToString(secret)
	p.target = Target{network: "tcp", address: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), password: password}
	lines := []string{
		"port " + strconv.Itoa(port), "bind 127.0.0.1", "requirepass " + password, "dir " + strconv.Quote(p.dir),
		`save ""`, "daemonize no", "databases 1", "masterauth " + password, "repl-diskless-sync-delay 0",
	}
	if kind == Persistent {
		lines = append(lines, "appendonly yes", "appendfsync always")
	}
	// A file, not the command line, which everybody can read.
	if err := os.WriteFile(p.file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		return err
	}
	return p.run(ctx)
}

func (p *process) run(ctx context.Context) error {
	p.shell = exec.Command("sh", "-c", leashed, "lockstep", p.binary, p.dir)
	detach(p.shell) // an interrupt at the terminal is not for it
	leash, err := p.shell.StdinPipe()
	if err != nil {
		return err
	}
	out, err := p.shell.StdoutPipe()
	if err != nil {
		return err
	}
	if err := p.shell.Start(); err != nil {
		return err
	}
	p.leash = leash
	if _, err := fmt.Fscan(out, &p.pid); err != nil {
		return fmt.Errorf("its shell does not name it: %w", err)
	}
	return p.answers(ctx)
}

// answers waits until the server answers, and makes sure that it is ours.
func (p *process) answers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		info, err := p.ask(ctx)
		switch {
		case err == nil && info["process_id"] == strconv.Itoa(p.pid):
			return nil
		case err == nil:
			return errors.New("another server has taken its port")
		case ctx.Err() != nil || !alive(p.pid):
			return fmt.Errorf("it does not come up: %w", err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (p *process) ask(ctx context.Context) (map[string]string, error) {
	w, err := dial(ctx, p.target)
	if err != nil {
		return nil, err
	}
	defer w.close()
	return w.info()
}

// kill ends the process as kill -9 does, and waits until it is gone. Its folder
// stays, to be started in again.
func (p *process) kill() { p.end("keep\n") }

func (p *process) stop() {
	p.end("")
	_ = os.RemoveAll(p.dir) // it is there still if the process was killed before
}

func (p *process) end(word string) {
	if p.leash != nil {
		_, _ = io.WriteString(p.leash, word) // or the shell is gone already
		_ = p.leash.Close()                  // what ends it
		_ = p.shell.Wait()                   // its exit code says nothing
		p.leash = nil
	}
}
