// Package remote runs the code of a lock in other processes, so that a panic or
// an endless loop ends only that, and the code of several clients runs at once.
//
// A Pool (pool.go) of processes is the lock, and Pool.Start is the Start of a
// program.Subject: worlds, explorers and stories need not know where the code
// runs. A client's process (serve.go) receives its observations and
// returns its wants. They exchange one question and one answer at a time as gob
// over two pipes (wire.go). Nothing that it
// sends or prints is trusted, and it ends with all that it starts (child.go).
//
// If a process has ended, its clients repeat their observations in a new one.
package remote

import (
	"bufio"
	"context"
	"encoding/gob"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"lockstep/internal/lang"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/resp"
)

// A process is a process that serves.
type process struct {
	*Child
	adapted   bool // its code is
	parks     bool // see program.EnvParks
	reads     *Reads
	clients   int  // the number of clients so far
	asked     bool // it has been asked something
	mu        sync.Mutex
	written   *bufio.Writer
	questions *gob.Encoder
	unread    *bounded // what answers reads
	answers   *gob.Decoder
	ours      []*os.File
	places    *os.File // shared with the process
	// The last place, the last mark, and the panic that it has ended by, once it has ended.
	place lang.Message
	mark  mark
	panic history.Event
	ended bool
}

// ErrEnded means that the lock's process ended during a question.
var ErrEnded = lang.Errorf("the lock's process has ended")

func startProcess(cmd *exec.Cmd, reads *Reads) (*process, error) {
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
	p := &process{reads: reads, ours: []*os.File{ourIn, ourOut}, places: places, unread: &bounded{Reader: ourIn}}
	cmd.ExtraFiles = []*os.File{theirIn, theirOut, places}
	p.written = bufio.NewWriter(ourOut)
	p.questions, p.answers = gob.NewEncoder(p.written), gob.NewDecoder(bufio.NewReader(p.unread))
	p.Child, err = StartChild(cmd, ourIn, reads)
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
	patience = 3
	hurry    = 20
)

// StartTime bounds what the process does before its first answer: all that the
// package under test does by itself, and a first run of the lock.
const StartTime = 10 * time.Second

// errGone means that the process had ended before the question.
var errGone = lang.Errorf("%w before it was asked", ErrEnded)

// ask returns the answer to a question. An error is errGone or wraps ErrEnded.
func (p *process) ask(ctx context.Context, q *question) (*answer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return nil, errGone
	}
	most := patience * program.Patience()
	if !p.asked {
		most = max(most, StartTime)
	}
	late, pass := context.WithTimeout(context.Background(), most)
	defer pass()
	inTime := context.AfterFunc(late, p.Kill)
	defer inTime() // before late ends
	defer context.AfterFunc(ctx, func() { time.AfterFunc(program.Patience()/hurry, pass) })()
	a := &answer{}
	err := p.send(q)
	if err == nil {
		p.unread.left = maxAnswer
		err = p.answers.Decode(a)
	}
	if err == nil {
		p.asked = true
		return a, nil
	}
	p.reads.lose()
	if !inTime() {
		_ = p.wait()
		return nil, lang.Errorf("%w: it did not answer within %v, and was stopped%s", ErrEnded, most, p.words())
	}
	return nil, p.gone(err)
}

// settle waits until it is known what the process has read so far, or that it is not,
// which takes a second at most.
func (p *process) settle() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	a, err := p.ask(ctx, &question{Ask: forReads})
	if err == nil && a.Wrong == "" {
		select {
		case <-p.told:
			return
		case <-ctx.Done():
		}
	}
	if !errors.Is(err, errGone) {
		p.reads.lose()
	}
}

// gone says why a question has no answer.
func (p *process) gone(err error) error {
	closed := false
	silence := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, syscall.EPIPE)
	if silence {
		closed = !p.endsWithin(waitDelay)
	}
	if closed || !silence {
		p.Kill()
	}
	status := p.wait()
	words := p.words()
	switch {
	case errors.Is(err, errTooMuch):
		return lang.Errorf("%w: it was stopped, since what it sent at once has more than %d bytes: is a command of the lock as long, or does something write to files that it did not open?", ErrEnded, maxAnswer)
	case closed:
		return lang.Errorf("%w: it closed its channel to Lockstep, %v: does something close files that it did not open?", ErrEnded, p.place)
	case !silence:
		return lang.Errorf("%w: what it sent cannot be read, %v: does something write to files that it did not open? %w", ErrEnded, p.place, history.Briefly{Err: err})
	case status == nil:
		return lang.Errorf("%w with exit code 0: something in it calls os.Exit, %v%s", ErrEnded, p.place, words)
	}
	err = lang.Errorf("%w: %v, %v%s", ErrEnded, status, p.place, words)
	if strings.Contains(words, "\tgoroutine ") { // a stack has lines
		err = lang.Errorf("%w: %v%s", ErrEnded, status, words)
	}
	if said := shares.FindStringSubmatch(p.Stderr.String()); said != nil {
		_, stack, _ := strings.Cut(p.Stderr.String(), "\ngoroutine ")
		_, place := program.Whereabouts(strings.Split(stack, "\n\n")[0])
		return lang.Errorf("%w at %s: %s", ErrShares, place, resp.Short(said[1]))
	}
	if _, said, panicked := strings.Cut("\n"+p.Stderr.String(), "\npanic: "); panicked {
		said, stack, _ := strings.Cut(said, "\ngoroutine ")
		said, _, _ = strings.Cut(said, "\n")
		stack = strings.Split(stack, "\n\n")[0]
		if _, place := program.Whereabouts(stack); place != "" {
			p.panic = history.Event{Kind: history.Panic, Text: resp.Short(addresses.ReplaceAllString(said, "0x...")), Source: place}
			if head, _, _ := strings.Cut(stack, "\n"); !strings.Contains(head, "synctest bubble") {
				p.mark = mark{} // of a goroutine that is no client's
			}
			return lang.Errorf("%w at %s: %s", ErrPanicked, place, p.panic.Text)
		}
	}
	return err
}

// ErrPanicked means that it has ended by a panic of the lock's code.
var ErrPanicked = lang.Errorf("%w: a goroutine of its own panicked", ErrEnded)

// addresses differ from run to run.
var addresses = regexp.MustCompile("0x[0-9a-f]+")

// ErrShares means that it has ended since its runs have shared something.
var ErrShares = lang.Errorf("%w: what was made for one run, as a Redis client, a channel or a timer in a package variable, is used in another", ErrEnded)

// words are the last words of the process.
func (p *process) words() string { return lastWords(p.Stderr.String()) }

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
	late := time.AfterFunc(program.Patience(), p.Kill)
	defer late.Stop()
	status := p.Wait()
	p.place = p.lastPlace()
	_ = gob.NewDecoder(io.NewSectionReader(p.places, marks, maxAnswer)).Decode(&p.mark) // if there is none, it is zero
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
		p.Kill()
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
		words = append(words, resp.Short(lines[i]))
	}
	if words[0] == "" {
		return ""
	}
	return "\n\t" + strings.Join(words, "\n\t")
}

const maxWords = 30 // lines

// shares matches what the runtime says of something that runs share.
var shares = regexp.MustCompile(`(?m)^(?:panic|fatal error): (.*synctest.*)$`)

// foreign matches a line of a stack that is not the lock's.
var foreign = regexp.MustCompile(`^(created by )?(github\.com/redis/go-redis/|lockstep/(sim|scenarios|verdict|locktest\.adapted)|internal/|runtime\.|testing)`)
