package bubble

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/resp"
)

// A run is one bubble. Its first goroutine does what it is told: it lets the
// client learn something, or its clock run on, and says when everybody has come
// to rest. While nothing is asked of it, it waits for something outside of the
// bubble, so that the clock stands still.
type run struct {
	b      *Bubble
	do     chan func()   // made outside of the bubble, as is
	rested chan struct{} // this
	ended  chan struct{}
	reader *stream // of random numbers
	names  names   // of those that nobody can repeat
	number int     // of the bubble

	// In the bubble.
	ctx     context.Context
	cancel  context.CancelFunc
	redis   []*redis.Client
	arrived chan struct{} // somebody has come to the seam, or the program to its end
	never   chan struct{}

	mu     sync.Mutex
	came   []*operation    // in this burst, in no order
	slots  []*operation    // by strand: who waits at the seam; nil for nobody
	conns  []int           // how many there are, by node
	events []history.Event // since everybody came to rest
	before []history.Event // in the burst before that
	call   int             // the operation of the lock under way, by its place; 0 for none
	calls  int
	tokens int
	done   bool // the program has returned
	dead   bool
	late   int   // operations after death
	lost   error // why the first goroutine does nothing any more
}

// An operation is what a goroutine waits for at the seam.
type operation struct {
	main   bool
	at     time.Time
	conn   *conn // of a command
	units  []sim.Unit
	during int
	access sim.Access // of the resource, otherwise; then what came of it
	text   string     // tells it from others that came in the same burst
	wake   chan error // made in the bubble
}

// A conn is a connection, with its number among those to its node; -1 before
// the first command has been sent over it.
type conn struct {
	*program.Conn
	number int
}

// maxConns bounds how many connections to one node have numbers of their own.
const maxConns = 1 << 20

// newRun starts the bubble. No code of the client has run yet.
func newRun(b *Bubble) *run {
	r := &run{
		b: b, do: make(chan func()), rested: make(chan struct{}), ended: make(chan struct{}),
		reader: newStream(b.name), slots: make([]*operation, firstSlot), conns: make([]int, b.subject.Nodes),
	}
	go func() {
		defer close(r.ended)
		defer func() { _ = recover() }() // goroutines of the client that wait for ever
		synctest.Test(&testing.T{}, func(*testing.T) {
			r.number = number()
			streams.Store(r.number, r.reader)
			defer streams.Delete(r.number)
			r.arrived, r.never = make(chan struct{}, 1), make(chan struct{})
			r.ctx, r.cancel = context.WithCancel(context.Background())
			for f := range r.do {
				f()
				synctest.Wait()
				r.rested <- struct{}{}
			}
			r.cancel()
			for _, c := range r.redis {
				_ = c.Close()
			}
		})
	}()
	return r
}

// hurry is by how much less patient one is with code of which nobody wants to know
// what comes of it.
const hurry = 20

// tell lets the first goroutine do something, and everybody come to rest.
func (r *run) tell(f func()) error {
	if r.lost != nil {
		return r.lost
	}
	select {
	case r.do <- f:
	case <-r.ended:
		r.lost = elsewhere("its bubble has ended")
		return r.lost
	}
	patience := time.NewTimer(program.Patience())
	defer patience.Stop()
	unwanted := r.b.ctx.Done()
	for {
		select {
		case <-r.rested:
			return nil
		case <-r.ended:
			r.lost = elsewhere("its bubble has ended")
		case <-patience.C:
			r.lost = r.stuck()
		case <-unwanted:
			unwanted = nil
			patience.Reset(program.Patience() / hurry)
			continue
		}
		return r.lost
	}
}

// observe lets the nth thing be observed.
func (r *run) observe(t told, n int) error {
	op, err := r.take(t, n)
	if err != nil {
		return err
	}
	t.Reply = r.names.read(t.Reply)
	err = r.tell(func() {
		r.reader.again(n)
		time.Sleep(time.Until(t.Shown.Add(offset(n))))
		switch {
		case n == 1:
			go r.program()
		case op != nil:
			if op.conn != nil {
				op.conn.Answer(t.Observation)
			} else {
				op.access = t.Access
			}
			op.wake <- nil
		}
	})
	r.settle()
	return err
}

// take returns the operation that the nth thing observed is about, if it is about
// one.
func (r *run) take(t told, n int) (*operation, error) {
	r.mu.Lock() // whom a timer has woken comes after nothing that was done here
	defer r.mu.Unlock()
	if n == 1 || t.strand == clockStrand {
		return nil, nil
	}
	if t.strand < len(r.slots) && r.slots[t.strand] != nil {
		op := r.slots[t.strand]
		r.slots[t.strand] = nil
		return op, nil
	}
	for _, e := range r.before {
		if e.Kind == history.Panic {
			return nil, elsewhere("client %s, told %d things, panicked (%s): %s", r.b.name, n-1, e.Source, e.Text)
		}
	}
	return nil, elsewhere("client %s, told %d things, does not wait in thread %d", r.b.name, n-1, t.strand)
}

// An arrival is when somebody comes to the seam next, by the client's clock.
type arrival struct {
	at    time.Time
	never bool
}

func (a arrival) String() string {
	if a.never {
		return "never"
	}
	return "at " + a.at.Format("15:04:05.000000000")
}

// toArrival lets the clock run on, before the nth thing is observed, until somebody
// comes to the seam, but not for longer than that.
func (r *run) toArrival(n int, most time.Duration) (a arrival, err error) {
	err = r.tell(func() {
		r.reader.again(n)
		select {
		case <-r.arrived: // before
		default:
		}
		timer := time.NewTimer(most)
		select {
		case <-timer.C:
			a.never = true
		case <-r.arrived:
			timer.Stop()
			a.at = time.Now().Round(0)
		}
	})
	return a, err
}

// settle gives those who came in the last burst their strands, in an order that
// does not depend on who was first: the program its own, the others the lowest
// that are free.
func (r *run) settle() {
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.SortStableFunc(r.came, func(a, b *operation) int {
		return cmp.Or(a.at.Compare(b.at), strings.Compare(r.names.show(a.text), r.names.show(b.text)))
	})
	for _, op := range r.came {
		if c := op.conn; c != nil && c.number < 0 {
			c.number = c.Node*maxConns + r.conns[c.Node]
			r.conns[c.Node]++
		}
		at := mainStrand
		if !op.main {
			at = firstSlot
			for at < len(r.slots) && r.slots[at] != nil {
				at++
			}
			if at == len(r.slots) {
				r.slots = append(r.slots, nil)
			}
		}
		r.slots[at] = op
	}
	r.came = nil
	r.before, r.events = r.events, nil
}

// happened is what happened in the last burst.
func (r *run) happened() []history.Event {
	events := slices.Clone(r.before)
	for i := range events {
		events[i].Text, events[i].Token = r.names.show(events[i].Text), r.names.show(events[i].Token)
	}
	return events
}

// wants says what each strand is about to do, but for the clock.
func (r *run) wants() []sim.Want {
	r.mu.Lock()
	defer r.mu.Unlock()
	wants := make([]sim.Want, len(r.slots))
	for i, op := range r.slots {
		w := &wants[i]
		switch {
		case op != nil:
			*w = op.want(r)
		case i == mainStrand && !r.done:
			*w = sim.Want{Stays: true, Label: "wait", Text: "wait for another thread or for time"}
		default:
			w.Ended = true
		}
		if i >= firstSlot {
			w.Name = "goroutine"
		}
	}
	return wants
}

func (op *operation) want(r *run) sim.Want {
	if op.conn == nil {
		return sim.Want{Saw: sim.SawAccess, Label: op.access.Op, Text: op.access.Op + " " + r.b.config.Resource, Access: op.access}
	}
	return sim.Want{
		Saw: sim.SawReply, Label: program.LabelOf(op.units), Node: op.conn.Node, Conn: op.conn.number,
		Units: r.names.showUnits(op.units), During: op.during,
	}
}

// program is the main goroutine.
func (r *run) program() {
	returned := false
	defer func() {
		reason := recover()
		if reason == nil && !returned {
			reason = "its goroutine was ended by runtime.Goexit"
		}
		if !returned { // nothing is told of one that is dead
			host{r}.Emit(history.Event{Kind: history.Panic, Text: resp.Printable(fmt.Sprint(reason)), Source: program.CallerSource()})
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.done = true
		r.signal()
	}()
	program.Run(host{r}, r.b.config, r.b.subject, r.b.name)
	returned = true
}

// signal says that somebody has come to the seam.
func (r *run) signal() {
	select {
	case r.arrived <- struct{}{}:
	default:
	}
}

// maxLate is after how many operations of a dead client, all in vain, a goroutine
// is ended that tries one more; and after as many again it waits for ever, and
// with it whoever waits for it.
const maxLate = 50

// park waits at the seam until the operation is carried out. The error is that
// of a client that is dead.
func (r *run) park(op *operation) error {
	op.main = inProgram()
	r.mu.Lock()
	if r.dead {
		r.late++
		late := r.late
		r.mu.Unlock()
		if number() != r.number {
			crossed.Store(program.CallerSource())
		}
		switch {
		case late > 2*maxLate:
			<-r.never
		case late > maxLate, op.conn == nil:
			runtime.Goexit()
		}
		return net.ErrClosed
	}
	op.at, op.wake = time.Now(), make(chan error, 1)
	if op.main || r.call > 0 {
		op.during = r.call
	}
	r.came = append(r.came, op)
	r.mu.Unlock()
	r.signal()
	if err := <-op.wake; err != nil {
		if op.conn == nil {
			runtime.Goexit()
		}
		return err
	}
	return nil
}

// crossed is the line of code that has used a client of another run, if any has.
var crossed atomic.Value

// elsewhere is ErrElsewhere, with what may have led there.
func elsewhere(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if line, ok := crossed.Load().(string); ok {
		return fmt.Errorf("%w: %s; %s uses a Redis client that was made for another run: is it kept in a package variable?", ErrElsewhere, text, line)
	}
	return fmt.Errorf("%w: %s; what does it keep from one run to the next, as a Redis client in a package variable would be, or draw at random?", ErrElsewhere, text)
}

// connect is a connection to a node.
func (r *run) connect(node int) net.Conn {
	c := &conn{number: -1}
	c.Conn = program.NewConn(r.b.name, node, func(_ *program.Conn, units []sim.Unit) error {
		if r.b.sources || places != nil {
			source := program.CallerSource()
			note(r.b.name, source, units)
			for i := range units {
				units[i].Source = source
			}
		}
		var text strings.Builder
		fmt.Fprintf(&text, "r%d", node+1)
		for _, u := range units {
			text.WriteString(" " + history.CommandText(u.Cmds))
		}
		return r.park(&operation{conn: c, units: units, text: text.String()})
	})
	return c
}

// end ends the client's code: whatever it does from here on fails, and time
// passes until it has done with it. What will not end is left behind: the error
// says what that is, if nothing was wrong before.
func (r *run) end() error {
	if r.lost != nil {
		return nil
	}
	r.mu.Lock()
	r.dead = true
	waiting := append(r.came, r.slots...)
	r.came, r.slots = nil, make([]*operation, firstSlot)
	r.mu.Unlock()
	err := r.tell(func() {
		r.cancel()
		for _, op := range waiting {
			if op != nil {
				op.wake <- net.ErrClosed
			}
		}
	})
	for range maxHours {
		if err != nil {
			return err
		}
		err = r.tell(func() { time.Sleep(time.Hour) })
		if r.over() {
			break
		}
	}
	close(r.do)
	select {
	case <-r.ended:
		return nil
	case <-time.After(program.Patience()): // a goroutine that wakes up again and again, and does nothing
		return r.stuck()
	}
}

// over says whether the program has returned.
func (r *run) over() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.done
}

// maxHours is how long a dead client is given to do with itself.
const maxHours = 50

// inProgram says whether the calling goroutine is that of a client's program: it
// began there. Its number would tell as well, but costs ten times as much to ask for.
func inProgram() bool {
	var room [64]uintptr
	pcs := room[:]
	n := runtime.Callers(1, pcs)
	for n == len(pcs) {
		pcs = make([]uintptr, 4*n)
		n = runtime.Callers(1, pcs)
	}
	for _, pc := range pcs[max(0, n-3):n] {
		if isProgram(pc) {
			return true
		}
	}
	return false
}

// programs remembers for program counters whether they lie in run.program.
var programs sync.Map

func isProgram(pc uintptr) bool {
	if known, ok := programs.Load(pc); ok {
		return known.(bool)
	}
	f := runtime.FuncForPC(pc - 1)
	is := f != nil && strings.HasSuffix(f.Name(), "bubble.(*run).program")
	programs.Store(pc, is)
	return is
}
