package program

import (
	"strings"
	"sync"
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
	text = lang.New("%v: no command, no look at its clock and no sleep for %v", text, s.For)
	if s.State != "" {
		text = lang.New("%v; %s", text, s.State)
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

// The watch looks looksToGiveUp times within its patience. It counts the looks
// that find the same hand-off unfinished: at looksToTell it reports, at one of
// the others it gives up. It counts looks, not time, so that a process that was
// stopped for an hour continues as before.
const (
	looksToTell   = 4
	looksToGiveUp = 20
	// Code of a dead client that unwinds changes no history.
	looksToUnwind = 4
	// No caller waits for the result: the context has ended.
	looksToHurry = 1
)

// A watch looks at every client whose code has run, at regular intervals. It
// alone uses real time, and it can only end a run.
type watch struct {
	mu       sync.Mutex
	patience time.Duration
	programs map[*Coroutine]*watched
	over     []Stuck // reported, and no longer stuck
	armed    bool    // a look is scheduled

	reporting sync.Mutex
	listeners map[*func(Stuck, bool)]map[Stuck]bool // with the reports to each that are not over
}

// watched is the hand-off of a client at the last look.
type watched struct {
	strand   *strand
	turn     uint64
	looks    int
	reported *Stuck
}

var theWatch = &watch{patience: 5 * time.Second, programs: map[*Coroutine]*watched{}, listeners: map[*func(Stuck, bool)]map[Stuck]bool{}}

// Patience returns how long code of a client may take to reach the seam.
func Patience() time.Duration {
	theWatch.mu.Lock()
	defer theWatch.mu.Unlock()
	return theWatch.patience
}

// SetPatience sets how long code of a client may take to reach the seam before
// its run is given up, and returns the previous value. The default is five
// seconds. Listeners of OnStuck get a report after a fifth of it.
func SetPatience(d time.Duration) time.Duration {
	theWatch.mu.Lock()
	defer theWatch.mu.Unlock()
	before := theWatch.patience
	theWatch.patience = d
	return before
}

// OnStuck calls report when code of a client is stuck, in any world, and again
// with over when it no longer is: it reached the seam or was given up. Calls
// never overlap, and none begins after stop has returned.
func OnStuck(report func(s Stuck, over bool)) (stop func()) {
	w := theWatch
	w.reporting.Lock()
	defer w.reporting.Unlock()
	w.listeners[&report] = map[Stuck]bool{}
	return func() {
		w.reporting.Lock()
		defer w.reporting.Unlock()
		delete(w.listeners, &report)
	}
}

func (d *watch) add(c *Coroutine) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.programs[c] = &watched{}
	d.arm()
}

func (d *watch) remove(c *Coroutine) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if seen := d.programs[c]; seen != nil {
		d.forget(seen)
		delete(d.programs, c)
	}
}

// forget starts over, for another hand-off.
func (d *watch) forget(seen *watched) {
	if seen.reported != nil {
		d.over = append(d.over, *seen.reported)
	}
	*seen = watched{}
}

// arm schedules a look if there is anything to look at.
func (d *watch) arm() {
	if !d.armed && len(d.programs)+len(d.over) > 0 {
		d.armed = true
		time.AfterFunc(d.patience/looksToGiveUp, d.look)
	}
}

func (d *watch) look() {
	d.mu.Lock()
	d.armed = false
	var reported []Stuck
	for c, seen := range d.programs {
		if s, ok := d.lookAt(c, seen); ok {
			reported = append(reported, s)
		}
	}
	over := d.over
	d.over = nil
	d.arm()
	d.mu.Unlock()
	d.report(reported, over)
}

// lookAt counts the looks that found the same hand-off. It returns what to
// report.
func (d *watch) lookAt(c *Coroutine, seen *watched) (s Stuck, ok bool) {
	t := c.handed.Load()
	turn := t.turn.Load()
	if !underWay(turn) || t != seen.strand || turn != seen.turn {
		d.forget(seen)
		if underWay(turn) {
			seen.strand, seen.turn = t, turn
		}
		return Stuck{}, false
	}
	seen.looks++
	patience := looksToGiveUp
	switch {
	case turn%states == unwinds:
		patience = looksToUnwind
	case c.ctx != nil && c.ctx.Err() != nil:
		patience = looksToHurry
	}
	passed := time.Duration(seen.looks) * d.patience / looksToGiveUp
	if seen.looks >= patience {
		c.giveUpOn(t, turn, passed)
		d.forget(seen)
		return Stuck{}, false
	}
	if seen.looks != looksToTell {
		return Stuck{}, false
	}
	s = t.stuck(passed)
	seen.reported = &s
	return s, true
}

func (d *watch) report(reported, over []Stuck) {
	d.reporting.Lock()
	defer d.reporting.Unlock()
	for report, open := range d.listeners {
		for _, s := range over {
			if open[s] { // a listener may have registered since the report
				delete(open, s)
				(*report)(s, true)
			}
		}
		for _, s := range reported {
			open[s] = true
			(*report)(s, false)
		}
	}
}

// giveUpOn takes the turn from a running strand. Its goroutine ends when it
// reaches the seam.
func (c *Coroutine) giveUpOn(t *strand, turn uint64, passed time.Duration) {
	if !t.turn.CompareAndSwap(turn, lost) {
		return // it has just reached the seam
	}
	c.lost.Store(true)
	c.written.Load()
	if turn%states != unwinds {
		c.stuck = &StuckError{t.stuck(passed)}
	}
	c.parked <- t
}

// stuck describes a running strand.
func (t *strand) stuck(passed time.Duration) Stuck {
	s := Stuck{
		Lock: t.program.config.Strategy, Client: t.program.name, Task: t.name,
		Action: int(t.program.action.Load()), For: passed,
	}
	if call := t.call.Load(); call != nil {
		s.Op = call.op
	}
	s.State, s.Place = whereabouts(t)
	return s
}
