package program

import (
	"sync"
	"time"

	"lockstep/internal/lang"
)

// A Stuck is code of a client that the world waits for and that does not come
// to the seam: no command, no look at its clock, no sleep, no end.
type Stuck struct {
	Lock   string // what the configuration calls it
	Client string
	Task   string // of a background strand: its name
	Op     string // the operation that it is inside of; "" for none
	Action int    // of the schedule, from 1, since which it runs; 0 where there is no schedule
	For    time.Duration
	State  string // what its goroutine does, in Go's words: "chan receive"
	Place  string // the line of its own code, as Event.Source has it, or the function; "" if it has none
}

// String says in one line who is stuck where, and since when.
func (s Stuck) String() string { return s.In(nil) }

// In says the same in a language.
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

// A StuckError is a Stuck for which the world waits no longer. It is the end of
// the run, and says nothing of the lock: neither that it breaks nor that it
// holds.
type StuckError struct{ Stuck }

func (e *StuckError) Error() string { return e.Stuck.String() }

// How often the watch looks within its patience, and after how many looks that
// found the same hand-off under way something is done about it. Looks are
// counted, not time: a process that was stopped for an hour goes on as before.
const (
	looksToTell   = 4
	looksToGiveUp = 20
	// Code of a dead client that unwinds makes no difference to any history.
	looksToUnwind = 4
	// Nobody wants to know what comes of it any more.
	looksToHurry = 1
)

// A watch looks now and then at every client of which code has run. It
// is the only place where real time counts, and all that it can do is end a
// run.
type watch struct {
	mu       sync.Mutex
	patience time.Duration
	programs map[*Coroutine]*watched
	over     []Stuck // told, and no longer so
	armed    bool    // a look is due

	telling   sync.Mutex
	listeners map[*func(Stuck, bool)]map[Stuck]bool // with what each was told of that is not over
}

// watched is the hand-off that the last look found of a client.
type watched struct {
	strand *strand
	turn   uint64
	looks  int
	told   *Stuck
}

var theWatch = &watch{patience: 5 * time.Second, programs: map[*Coroutine]*watched{}, listeners: map[*func(Stuck, bool)]map[Stuck]bool{}}

// Patience is how long code of a client may take to come to the seam.
func Patience() time.Duration {
	theWatch.mu.Lock()
	defer theWatch.mu.Unlock()
	return theWatch.patience
}

// SetPatience sets how long code of a client may take to come to the seam
// before its run is given up; five seconds if it is never called. After a fifth
// of that those who called OnStuck are told. It returns what it was.
func SetPatience(d time.Duration) time.Duration {
	theWatch.mu.Lock()
	defer theWatch.mu.Unlock()
	before := theWatch.patience
	theWatch.patience = d
	return before
}

// OnStuck lets tell know when code of a client is stuck, in any world, and
// again with over when it no longer is: it went on, or was given up. It is never called
// twice at a time, nor after stop has returned.
func OnStuck(tell func(s Stuck, over bool)) (stop func()) {
	w := theWatch
	w.telling.Lock()
	defer w.telling.Unlock()
	w.listeners[&tell] = map[Stuck]bool{}
	return func() {
		w.telling.Lock()
		defer w.telling.Unlock()
		delete(w.listeners, &tell)
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

// forget begins anew: the hand-off is another one.
func (d *watch) forget(seen *watched) {
	if seen.told != nil {
		d.over = append(d.over, *seen.told)
	}
	*seen = watched{}
}

// arm makes sure that there is a next look, if there is anything to look at.
func (d *watch) arm() {
	if !d.armed && len(d.programs)+len(d.over) > 0 {
		d.armed = true
		time.AfterFunc(d.patience/looksToGiveUp, d.look)
	}
}

func (d *watch) look() {
	d.mu.Lock()
	d.armed = false
	var told []Stuck
	for c, seen := range d.programs {
		if s, ok := d.lookAt(c, seen); ok {
			told = append(told, s)
		}
	}
	over := d.over
	d.over = nil
	d.arm()
	d.mu.Unlock()
	d.tell(told, over)
}

// lookAt counts for how long the same hand-off has been waited for. It
// returns what is to be told.
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
	seen.told = &s
	return s, true
}

func (d *watch) tell(told, over []Stuck) {
	d.telling.Lock()
	defer d.telling.Unlock()
	for tell, open := range d.listeners {
		for _, s := range over {
			if open[s] { // another may have come to listen in the meantime
				delete(open, s)
				(*tell)(s, true)
			}
		}
		for _, s := range told {
			open[s] = true
			(*tell)(s, false)
		}
	}
}

// giveUpOn takes the turn from a strand that runs. Its goroutine cannot be
// ended, but when it comes to the seam after all it ends there.
func (c *Coroutine) giveUpOn(t *strand, turn uint64, passed time.Duration) {
	if !t.turn.CompareAndSwap(turn, lost) {
		return // it has come just now
	}
	c.lost.Store(true)
	c.written.Load()
	if turn%states != unwinds {
		c.stuck = &StuckError{t.stuck(passed)}
	}
	c.parked <- t
}

// stuck describes a strand that runs.
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
