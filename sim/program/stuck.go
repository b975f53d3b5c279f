package program

import (
	"cmp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"lockstep/internal/lang"
)

// A Stuck describes code of a client that does not reach the seam while the
// world waits for it: it sends no command, reads no clock, does not sleep, does
// not end.
type Stuck struct {
	Lock   string // its name in the configuration
	Client string
	Task   string // the name of a background strand
	Op     string // the current operation; "" for none
	Action int    // the action of the schedule, from 1, since which it runs; 0 without a schedule
	For    time.Duration
	State  string // the state of its goroutine, as Go prints it: "chan receive"
	Place  string // the line of its own code, as in Event.Source, or the function; "" for none
}

// Spins reports whether it runs without end.
func (s Stuck) Spins() bool { return s.State == "running" }

// AtMutex reports whether it waits for a mutex of sync.
func (s Stuck) AtMutex() bool {
	return strings.HasPrefix(s.State, "sync.Mutex.") || strings.HasPrefix(s.State, "sync.RWMutex.")
}

// String returns one line: the client, the code, the time.
func (s Stuck) String() string { return s.In(nil) }

// In returns the same in a language.
func (s Stuck) In(l lang.Language) string {
	text := lang.New("client %s", s.Client)
	if s.Task != "" {
		text = lang.New("%v, task %s", text, s.Task)
	}
	if s.Op != "" {
		text = lang.New("%v, in %s", text, s.Op)
	}
	if s.Action > 0 {
		text = lang.New("%v, since action %d", text, s.Action)
	}
	switch {
	case s.State != "":
		text = lang.New("%v: no command, no look at its clock and no sleep for %v; %s", text, s.For, s.State)
	default:
		text = lang.New("%v: no command, no look at its clock and no sleep for %v", text, s.For)
	}
	if s.Place != "" {
		text = lang.New("%v at %s", text, s.Place)
	}
	return text.In(l)
}

// A StuckError is a Stuck that the world has given up. It ends the run and
// proves nothing about the lock.
type StuckError struct{ Stuck }

func (e *StuckError) Error() string { return e.Stuck.String() }

// Code that runs is looked at looksToGiveUp times within the patience with it: at
// looksToTell it is reported, at one of the others given up. Looks are counted, not time, so
// that a process that was stopped for an hour continues as before.
const (
	looksToTell   = 4
	looksToGiveUp = 20
	// Code of a dead client that unwinds changes no history.
	looksToUnwind = 4
	// No caller waits for the result: the context has ended.
	looksToHurry = 1
)

const defaultPatience = 5 * time.Second

// patience is Patience, if it was set.
var patience atomic.Int64

// Patience returns how long code of a client may take to reach the seam.
func Patience() time.Duration { return cmp.Or(time.Duration(patience.Load()), defaultPatience) }

// SetPatience sets how long code of a client may take to reach the seam before
// its run is given up, and returns the previous value. The default is five
// seconds. Listeners of OnStuck get a report after a fifth of it.
func SetPatience(d time.Duration) time.Duration {
	return cmp.Or(time.Duration(patience.Swap(int64(d))), defaultPatience)
}

// A listener is what OnStuck calls.
type listener = *func(s Stuck, over bool)

var listening = struct {
	sync.Mutex
	all map[listener]bool
}{all: map[listener]bool{}}

// OnStuck calls report when code of a client is stuck, in any world, and again
// with over when it no longer is: it reached the seam or was given up. Calls
// never overlap, and none begins after stop has returned.
func OnStuck(report func(s Stuck, over bool)) (stop func()) {
	listening.Lock()
	defer listening.Unlock()
	listening.all[&report] = true
	return func() {
		listening.Lock()
		defer listening.Unlock()
		delete(listening.all, &report)
	}
}

// tell reports to all who listen, and returns them.
func (s Stuck) tell() (told []listener) {
	listening.Lock()
	defer listening.Unlock()
	for report := range listening.all {
		told = append(told, report)
		(*report)(s, false)
	}
	return told
}

// end reports that it is over, to those who were told and still listen.
func (s Stuck) end(told []listener) {
	if len(told) == 0 {
		return
	}
	listening.Lock()
	defer listening.Unlock()
	for _, report := range told {
		if listening.all[report] {
			(*report)(s, true)
		}
	}
}

// await waits until a strand parks or ends, and gives it up if it does neither. Its
// goroutine then ends when it reaches the seam.
func (c *Coroutine) await(t *strand, state uint32) {
	every := Patience() / looksToGiveUp
	c.look.Reset(every)
	defer c.look.Stop()
	var s Stuck
	var told []listener
	for looks := 1; ; looks++ {
		select {
		case <-c.parked:
			s.end(told)
			return
		case <-c.look.C:
			c.look.Reset(every)
		}
		most := looksToGiveUp
		switch {
		case state == unwinds:
			most = looksToUnwind
		case c.ctx != nil && c.ctx.Err() != nil:
			most = looksToHurry
		}
		passed := time.Duration(looks) * every
		if looks >= most && t.turn.CompareAndSwap(state, lost) { // otherwise it has just reached the seam
			c.lost.Store(true)
			c.written.Load()
			if state == runs {
				c.stuck = &StuckError{t.stuck(passed)}
			}
			s.end(told)
			return
		}
		if looks == looksToTell {
			s = t.stuck(passed)
			told = s.tell()
		}
	}
}

// stuck describes a running strand.
func (t *strand) stuck(passed time.Duration) Stuck {
	s := Stuck{
		Lock: t.program.config.Strategy, Client: t.program.name, Task: t.name,
		Action: t.program.action, For: passed,
	}
	if call := t.call.Load(); call != nil {
		s.Op = call.op
	}
	s.State, s.Place = whereabouts(t)
	return s
}
