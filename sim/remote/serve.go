package remote

import (
	"bufio"
	"context"
	"encoding/gob"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"lockstep/sim"
	"lockstep/sim/program"
	"lockstep/sim/resp"
)

// Serve runs the code of a lock's clients for another process, until the end of
// in. unfit is why there is no lock to run, or nil. odd says that its code has to be
// adapted. An error is one of in or
// out.
func Serve(in io.Reader, out io.Writer, subject program.Subject, unfit error, traits func() program.Traits, odd bool) error {
	go endWith(os.Getppid())
	questions, written := gob.NewDecoder(bufio.NewReader(in)), bufio.NewWriter(out)
	answers := gob.NewEncoder(written)
	clients := map[int]program.Code{}
	for {
		var q question
		if err := questions.Decode(&q); err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return err
		}
		if q.Begin != nil {
			clients[q.Client] = q.Begin.start(subject)
		}
		c := clients[q.Client]
		if program.Careful = nil; q.Careful {
			program.Careful = leave
		}
		a := &answer{}
		switch {
		case q.Ask == forReads:
			flush()
		case q.Ask == forLock:
			a.Odd = odd
		case c != nil && q.Ask == forEnd:
			delete(clients, q.Client)
			c.Close()
			continue
		case c != nil && (q.Ask <= forEvents || q.Ask == forWalk):
			a = q.of(c)
		default:
			a.Wrong = "the program asks what this process does not know: they are of different versions of Lockstep; build it from the version that go.mod requires"
		}
		if q.Ask == forLock && unfit != nil {
			a.Wrong = resp.Short(unfit.Error())
		}
		a.Traits, a.Full = traits(), program.Parked >= maxParked
		if err := answers.Encode(a); err != nil {
			return err
		}
		if err := written.Flush(); err != nil {
			return err
		}
	}
}

// marks is where marks are in the file of places.
const marks = maxPlace

// leave writes a mark.
func leave(n int, wants []sim.Want) {
	_ = gob.NewEncoder(io.NewOffsetWriter(places(), marks)).Encode(mark{n, wants})
}

// places is the file of places of this process.
var places = sync.OnceValue(func() *os.File { return os.NewFile(Places, "places") })

// maxParked bounds the runs of ended clients that stay, each of which takes some 100 KB.
const maxParked = 2_000

// endWith ends this process after its parent. Code that never comes to rest does
// not read that there will be no more questions.
func endWith(parent int) {
	for os.Getppid() == parent {
		time.Sleep(time.Second)
	}
	os.Exit(0)
}

func (b *begin) start(subject program.Subject) program.Code {
	subject.TTL = b.TTL
	c := program.New(b.Config, subject, b.Name)
	c.Within(context.Background())
	if b.Show {
		calls := 0
		c.Show(func() int { calls++; return calls })
	}
	return c
}

// of answers a question about a client.
func (q *question) of(c program.Code) *answer {
	a := &answer{}
	c.Since(q.Since)
	for i, t := range q.Told {
		var err error
		if i == len(q.Told)-1 && q.Ask == forEvents {
			var now program.Did
			_, a.Events, err = c.Observe(0, t.Strand, t.Observation)
			_, now, _ = c.Walk(nil)
			a.Drew = now.Drew
		} else {
			_, _, err = c.Walk([]program.Stride{{Observed: t, Told: true}})
		}
		if err != nil {
			return a.wrong(err)
		}
	}
	if q.Ask != forWalk {
		a.Wants = c.Wants(0)
		return a
	}
	var err error
	a.Gone, a.Did, err = c.Walk(q.Walk)
	if err != nil {
		return a.wrong(err)
	}
	return a
}

// wrong returns the answer that an error is.
func (a *answer) wrong(err error) *answer {
	var stuck *program.StuckError
	if errors.As(err, &stuck) {
		a.Stuck = &stuck.Stuck
	} else {
		a.Wrong, a.Odd = resp.Short(err.Error()), errors.Is(err, program.ErrNondeterministic) || errors.Is(err, program.ErrOutside)
	}
	return a
}
