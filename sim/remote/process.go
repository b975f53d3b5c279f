// Package remote runs the code of a lock in another process, so that a panic or
// an endless loop ends only that.
//
// A Host (host.go) is the lock, and Host.Start is the Start of a
// program.Subject: worlds, explorers and stories need not know where the code
// runs. The other process (serve.go) receives a client's observations and
// returns its wants. They exchange one question and one answer at a time as gob
// over two pipes (wire.go).
//
// If a process has ended, its clients repeat their observations in a new one.
package remote

import (
	"bufio"
	"bytes"
	"context"
	"encoding/gob"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"

	"lockstep/internal/lang"
	"lockstep/sim/program"
)

// A process is a process that serves.
type process struct {
	cmd       *exec.Cmd
	clients   int // the number of clients so far
	mu        sync.Mutex
	written   *bufio.Writer
	questions *gob.Encoder
	answers   *gob.Decoder
	ours      []*os.File
	places    *os.File     // shared with the process
	place     lang.Message // the last place, once the process has ended
	stderr    *limited
	ended     bool
}

// ErrEnded means that the lock's process ended during a question.
var ErrEnded = lang.Errorf("the lock's process has ended")

func startProcess(cmd *exec.Cmd) (*process, error) {
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		closeAll(theirIn, ourOut)
		return nil, err
	}
	places, err := os.CreateTemp("", "lockstep-*")
	if err != nil {
		closeAll(theirIn, ourOut, ourIn, theirOut)
		return nil, err
	}
	_ = os.Remove(places.Name()) // it exists while it is open
	p := &process{cmd: cmd, stderr: &limited{left: 1 << 20}, ours: []*os.File{ourIn, ourOut}, places: places}
	cmd.Stdout, cmd.Stderr = io.Discard, p.stderr
	cmd.ExtraFiles = []*os.File{theirIn, theirOut, places}
	cmd.WaitDelay = time.Second
	p.written = bufio.NewWriter(ourOut)
	p.questions, p.answers = gob.NewEncoder(p.written), gob.NewDecoder(bufio.NewReader(ourIn))
	err = cmd.Start()
	closeAll(theirIn, theirOut)
	if err != nil {
		closeAll(ourIn, ourOut, places)
		_ = os.Remove(places.Name()) // where an open file cannot be removed
		return nil, lang.Errorf("the lock's process: %w", err)
	}
	return p, nil
}

// patience multiplies the time that code may take to reach the seam; the
// process may take that long to report stuck code. If the result is no longer
// needed, hurry divides that time of the code.
const (
	patience = 5
	hurry    = 20
)

// errGone means that the process had ended before the question.
var errGone = lang.Errorf("%w before it was asked", ErrEnded)

// ask returns the answer to a question. An error is errGone or wraps ErrEnded.
func (p *process) ask(ctx context.Context, q *question) (*answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return nil, errGone
	}
	late := time.AfterFunc(patience*program.Patience(), p.kill)
	defer late.Stop()
	defer context.AfterFunc(ctx, func() { late.Reset(program.Patience() / hurry) })()
	a := &answer{}
	err := p.send(q)
	if err == nil {
		err = p.answers.Decode(a)
	}
	if err == nil {
		return a, nil
	}
	silent := !late.Stop()
	status := p.wait()
	words := lastWords(p.stderr.String())
	switch {
	case silent:
		return nil, lang.Errorf("%w: it did not answer, and was stopped%s", ErrEnded, words)
	case status == nil:
		return nil, lang.Errorf("%w with exit code 0: something in it calls os.Exit, %v%s", ErrEnded, p.place, words)
	case strings.Contains(words, "\tgoroutine "): // a stack has lines
		return nil, lang.Errorf("%w: %v%s", ErrEnded, status, words)
	}
	return nil, lang.Errorf("%w: %v, %v%s", ErrEnded, status, p.place, words)
}

// lastPlace describes the lock's last command.
func (p *process) lastPlace() lang.Message {
	line := make([]byte, maxPlace)
	n, _ := p.places.ReadAt(line, 0)
	text, _, _ := strings.Cut(string(line[:n]), "\n")
	words := strings.Split(text, "\t")
	if len(words) != 3 {
		return lang.New("before its first command")
	}
	return lang.New("after %s of client %s, sent at %s", words[1], words[0], words[2])
}

// maxPlace bounds the length of a place, in bytes.
const maxPlace = 4 << 10

// wait waits for the end of the process, and kills it if that takes too long.
func (p *process) wait() error {
	p.ended = true
	closeAll(p.ours...)
	late := time.AfterFunc(program.Patience(), p.kill)
	defer late.Stop()
	status := p.cmd.Wait()
	p.place = p.lastPlace()
	closeAll(p.places)
	return status
}

// name returns a number for a new client.
func (p *process) name() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clients++
	return p.clients
}

func (p *process) send(q *question) error {
	if err := p.questions.Encode(q); err != nil {
		return err
	}
	return p.written.Flush()
}

func (p *process) kill() { _ = p.cmd.Process.Kill() }

// over reports whether the process has ended.
func (p *process) over() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

// forget drops a client.
func (p *process) forget(id int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		_ = p.questions.Encode(&question{Client: id, Ask: forEnd}) // sent with the next question
	}
}

// end ends the process, at once if its code may never end.
func (p *process) end(atOnce bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	if atOnce {
		p.kill()
	}
	_ = p.wait()
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// lastWords returns the output of a process that explains its end: of a stack,
// the lines that belong to neither Lockstep nor go-redis.
func lastWords(s string) string {
	for _, mark := range []string{"fatal error: ", "panic: "} {
		if i := strings.Index(s, mark); i >= 0 {
			s = s[i:]
			break
		}
	}
	var words []string
	lines := strings.Split(strings.TrimSpace(s), "\n")
	for i := 0; i < len(lines) && len(words) < maxWords; i++ {
		if i+1 < len(lines) && strings.HasPrefix(lines[i+1], "\t") && foreign.MatchString(lines[i]) {
			i++ // and its place
			continue
		}
		words = append(words, lines[i])
	}
	if words[0] == "" {
		return ""
	}
	if strings.Contains(words[0], "synctest") {
		words = append([]string{"What was made for one run is used in another: is a Redis client, a channel or a timer kept in a package variable?"}, words...)
	}
	return "\n\t" + strings.Join(words, "\n\t")
}

const maxWords = 30 // lines

// foreign matches a line of a stack that is not the lock's.
var foreign = regexp.MustCompile(`^(created by )?(github\.com/redis/go-redis/|lockstep/(sim|scenarios|verdict|locktest\.adapted)|internal/|runtime\.|testing)`)

// A limited buffer drops what exceeds its limit.
type limited struct {
	bytes.Buffer
	left int
}

func (l *limited) Write(b []byte) (int, error) {
	n := min(len(b), l.left)
	l.left -= n
	l.Buffer.Write(b[:n])
	return len(b), nil
}
