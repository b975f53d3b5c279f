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

// A process is one that serves.
type process struct {
	cmd       *exec.Cmd
	clients   int // how many it has heard of
	mu        sync.Mutex
	written   *bufio.Writer
	questions *gob.Encoder
	answers   *gob.Decoder
	ours      []*os.File
	places    *os.File     // ours, and written by the process
	place     lang.Message // what was last written there, once it has ended
	stderr    *limited
	ended     bool
}

// ErrEnded says that the process of the lock has ended while it was asked.
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
	_ = os.Remove(places.Name()) // it lives on while it is open
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

// How much longer than code may take to come to the seam a process may take to say
// that it did not; and how much of that time it is given when nobody wants to know.
const (
	patience = 5
	hurry    = 20
)

// errGone says that the process was gone before it was asked.
var errGone = lang.Errorf("%w before it was asked", ErrEnded)

// ask has one question answered. An error is errGone, or wraps ErrEnded.
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
	case strings.Contains(words, "\tgoroutine "): // a stack, which has lines
		return nil, lang.Errorf("%w: %v%s", ErrEnded, status, words)
	}
	return nil, lang.Errorf("%w: %v, %v%s", ErrEnded, status, p.place, words)
}

// lastPlace says which command of the lock was its last.
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

// maxPlace bounds what is read of a place, in bytes.
const maxPlace = 4 << 10

// wait lets it come to its end, but not for long.
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

// name numbers a client that it has not heard of.
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

// over says whether it is gone.
func (p *process) over() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

// forget lets it drop a client.
func (p *process) forget(id int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		_ = p.questions.Encode(&question{Client: id, Ask: forEnd}) // sent with the next question
	}
}

// end ends it; at once if its code may be at work for ever.
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

// lastWords is what a process printed that tells why it ended: of a goroutine's
// stack, what is neither ours nor go-redis's.
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
			i++ // and the place of it
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

// foreign is a line of a stack that is not of the lock.
var foreign = regexp.MustCompile(`^(created by )?(github\.com/redis/go-redis/|lockstep/(sim|scenarios|verdict|locktest\.adapted)|internal/|runtime\.|testing)`)

// A limited buffer forgets what is too much.
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
