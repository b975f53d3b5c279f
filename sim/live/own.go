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
	"sync/atomic"
	"time"

	"lockstep/internal/lang"
)

// A process is a server that Lockstep started, with all processes that it
// starts: redis-server may be a script around a server.
type process struct {
	command []string // a program and its arguments
	up      func(context.Context) error
	dir     string
	file    string // its configuration
	target  Target // of a redis-server
	keeper  *exec.Cmd
	leash   io.WriteCloser
	server  *exec.Cmd
	ended   chan struct{} // closed when the process has ended
	log     *lastWords    // of the server; readable after it has ended
}

// startTimeout bounds the time until a server answers: a JVM took more than 10 s on a busy machine.
const startTimeout = time.Minute

// keeperScript ends what is left of a server and removes its folder when its
// standard input ends, which happens when the process with the other end dies
// in any way. Each line is the process group of the current server; an empty
// line means none. A script may start the server in another group (setsid,
// --daemonize yes). So where there is a /proc, keeperScript also ends every
// process that works in the folder and reads from /dev/null, which a user's
// shell does not do.
const keeperScript = `while read -r line; do group=$line; done
if [ "$group" ]; then
	kill -s KILL -- "-$group" 2>/dev/null
	for i in 1 2 3 4 5; do kill -s 0 -- "-$group" 2>/dev/null && sleep 1; done
fi
for p in /proc/[0-9]*; do
	[ "$p/cwd" -ef "$1" ] && [ "$p/fd/0" -ef /dev/null ] && kill -s KILL "${p#/proc/}" 2>/dev/null
done
rm -rf "$1"`

// starterScript waits for a line before it starts the server. By then the
// keeper knows it.
const starterScript = `read -r begin && exec "$@" </dev/null`

const configName = "redis.conf"

// ErrNoRedisServer means that there is no redis-server to start.
var ErrNoRedisServer = lang.Errorf("no redis-server is found on the PATH")

// Start starts a server on a free port of the loopback address, in a temporary
// folder, with a random password. It ends with Stop or with this process.
func Start(ctx context.Context) (*Server, error) {
	binary, err := exec.LookPath("redis-server")
	if err != nil {
		return nil, ErrNoRedisServer
	}
	dir, err := os.MkdirTemp("", "lockstep-redis-")
	if err != nil {
		return nil, err
	}
	p := &process{dir: dir, file: filepath.Join(dir, configName)}
	p.command = []string{binary, p.file}
	p.up = func(ctx context.Context) error {
		// It is the right one, because no other has its password.
		w, err := dial(ctx, p.target)
		if err == nil {
			w.close()
		}
		return err
	}
	err = p.begin(func() error { return p.launch(ctx) })
	s := &Server{ctx: ctx, target: p.target, process: p}
	if err == nil {
		err = s.inspect()
	}
	if err != nil {
		p.stop()
		return nil, lang.Errorf("start redis-server: %w", err)
	}
	return s, nil
}

// begin launches a server on a free port, and again if another process takes the
// port first.
func (p *process) begin(launch func() error) error {
	err := p.startKeeper()
	for range 5 {
		if err != nil {
			break
		}
		if err = launch(); err == nil {
			break
		}
		p.kill()
	}
	return err
}

// Stop ends a server that Start has started.
func (s *Server) Stop() { s.process.stop() }

// launch starts the process on a free port and waits until it answers there.
func (p *process) launch(ctx context.Context) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	secret := make([]byte, 16)
	_, _ = rand.Read(secret) // it never fails
	password := hex.EncodeToString(secret)
	p.target = Target{network: "tcp", address: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), password: password}
	lines := []string{
		"port " + strconv.Itoa(port), "bind 127.0.0.1", "requirepass " + password, "dir " + strconv.Quote(p.dir),
		`save ""`, "daemonize no",
		"appendonly yes", "appendfsync no", // in the system's hands before the reply, which outlives the process
	}
	// A file, because every user can read the command line.
	if err := os.WriteFile(p.file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		return err
	}
	return p.run(ctx)
}

// The ports for servers are below the ephemeral ports of the system (from 32768
// on Linux, from 49152 elsewhere). So no connection takes a server's port
// before it listens or while it restarts.
const (
	firstPort = 20000
	lastPort  = 32000
)

// portsTried counts the ports that this process has tried.
var portsTried atomic.Int64

// freePort returns a port of the loopback address on which no process listens.
// It counts upwards, so that no server gets the port of another that is down.
// Each process starts at another port.
func freePort() (port int, err error) {
	for range 100 {
		port = firstPort + (os.Getpid()*100+int(portsTried.Add(1)))%(lastPort-firstPort)
		var free net.Listener
		if free, err = net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			return port, free.Close()
		}
	}
	return 0, err
}

// startKeeper starts the keeper, which ends the server and removes its folder
// if this process cannot.
func (p *process) startKeeper() error {
	keeper := exec.Command("sh", "-c", keeperScript, "lockstep", p.dir)
	detach(keeper) // an interrupt at the terminal must not reach it
	leash, err := keeper.StdinPipe()
	if err == nil {
		err = keeper.Start()
	}
	if err != nil {
		return err
	}
	p.keeper, p.leash = keeper, leash
	return nil
}

func (p *process) run(ctx context.Context) error {
	p.server = exec.Command("sh", append([]string{"-c", starterScript, "lockstep"}, p.command...)...)
	p.server.Dir = p.dir
	detach(p.server)
	// Not a file, so that Wait waits for every process that holds the pipe,
	// such as a script's server.
	p.log = &lastWords{}
	p.server.Stdout, p.server.Stderr = p.log, p.log
	p.server.WaitDelay = time.Second
	begin, err := p.server.StdinPipe()
	if err == nil {
		err = p.server.Start()
	}
	if err != nil {
		p.server = nil
		return err
	}
	server, ended := p.server, make(chan struct{})
	p.ended = ended
	go func() {
		_ = server.Wait() // the exit code means nothing
		close(ended)
	}()
	if _, err = fmt.Fprintln(p.leash, server.Process.Pid); err == nil {
		_, err = fmt.Fprintln(begin)
	}
	if err != nil {
		_ = begin.Close()
		return err
	}
	// A server that ends at once has closed it already: answers tells of that.
	if err := begin.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	return p.answers(ctx)
}

// answers waits until the server answers.
func (p *process) answers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		err := p.up(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-p.ended:
			return lang.Errorf("it has ended by itself: %q", p.log.text)
		case <-ctx.Done():
			return lang.Errorf("it does not come up: %w", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// kill kills the process and all that it has started like kill -9, and waits
// for their end. The folder stays for a restart.
func (p *process) kill() {
	if p.server == nil {
		return
	}
	killGroup(p.server.Process)
	<-p.ended
	p.server = nil
	_, _ = fmt.Fprintln(p.leash) // no group is left to end
}

func (p *process) stop() {
	p.kill()
	if p.keeper != nil {
		_ = p.leash.Close()
		_ = p.keeper.Wait() // the exit code means nothing
		p.keeper = nil
	}
	_ = os.RemoveAll(p.dir) // it is gone unless the keeper never started
}

// lastWords keeps the end of what is written to it.
type lastWords struct{ text []byte }

// kept is the length of that end in bytes, a few lines of a log.
const kept = 400

func (l *lastWords) Write(p []byte) (int, error) {
	l.text = append(l.text, p...)
	l.text = append([]byte(nil), l.text[max(0, len(l.text)-kept):]...)
	return len(p), nil
}
