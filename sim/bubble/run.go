package bubble

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/redis/go-redis/v9"
	"github.com/zeebo/xxh3"

	"lockstep/sim"
	"lockstep/sim/bubble/guest"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/resp"
	"lockstep/strategies"
)

// A run is one bubble. Its first goroutine executes functions: it makes an
// observation or advances the clock, and reports when all goroutines are at
// rest. Between functions it waits for a channel outside of the bubble, so that
// the clock stands still.
type run struct {
	b      *Bubble
	do     chan func()   // made outside of the bubble
	rested chan struct{} // made outside of the bubble
	ended  chan struct{}
	names  names // for random values that cannot be repeated
	tasks  []*task
	pool   pool
	vars   guest.Vars
	number int // of the bubble

	// In the bubble.
	ctx     context.Context
	cancel  context.CancelFunc
	redis   []*redis.Client
	zk      *zk.Conn      // nil for a lock on Redis
	arrived chan struct{} // a goroutine has reached the seam, or the program has ended
	never   chan struct{}
	// finished is closed when nobody waits for the code any more.
	finished chan struct{}
	made     chan struct{} // closed when the lock is
	lock     strategies.Lock

	mu     sync.Mutex
	burst  []*operation    // those of this burst, in no order
	slots  []*operation    // by strand: the operation at the seam; nil for none
	conns  []int           // their number, by node
	events []history.Event // of this burst
	before []history.Event // of the previous burst
	closed []sim.Link      // connections that the code closed in this burst
	last   int             // the strand of the last observation
	ahead  bool            // time has passed since the last observation
	calls  int             // operations of the lock so far
	tokens int
	timers int             // that code has started and that may bring it to the seam; see quiet
	gates  []chan struct{} // of goroutines that wait for the others' rest
	dead   bool
	unfit  error // why its code cannot be tried
	over   bool  // its code has ended, or was abandoned
	late   int   // operations after death
	lost   error // why the first goroutine has stopped
}

// An operation is what a goroutine waits for at the seam.
type operation struct {
	main    bool // the program of its task
	task    int
	reads   bool // it waits for a message over conn
	again   bool // it has been handed a pong, and may come back to wait
	posted  bool // nobody waits for it; see post
	located bool // see locate
	at      time.Time
	conn    *conn // nil for an access
	units   []sim.Unit
	during  int
	access  sim.Access // of the resource; later its result
	source  string     // the line of an access
	text    string     // distinguishes it from others of the same burst
	wake    chan error // made in the bubble
}

// A conn is a connection with its number among the connections to its node, or
// -1 before its first command.
type conn struct {
	*program.Conn
	run      *run
	number   int
	deadline time.Time    // of reads; zero for none
	posted   []*operation // on their way, the first one in a slot; see post
	holds    bool         // a WATCH; see pool
}

// SetReadDeadline is net.Conn's.
func (c *conn) SetReadDeadline(t time.Time) error {
	if c.run.b.subject.Server == sim.ZooKeeper {
		return nil // it is there for pings, which no schedule is about
	}
	c.run.mu.Lock()
	defer c.run.mu.Unlock()
	c.deadline = t
	return nil
}

// SetDeadline is net.Conn's.
func (c *conn) SetDeadline(t time.Time) error { return c.SetReadDeadline(t) }

// Close is net.Conn's. It wakes a reader.
func (c *conn) Close() error {
	r := c.run
	r.mu.Lock()
	if !c.Closed() && len(c.posted) == 0 {
		r.ends(c)
	}
	if len(r.tasks) > 1 {
		r.pool.ends(c)
	}
	err := c.Conn.Close()
	reader := r.reading(c)
	r.mu.Unlock()
	if reader != nil {
		reader.wake <- nil
	}
	return err
}

// ends reports that the code has closed a connection, after all that it sent.
func (r *run) ends(c *conn) {
	if (c.Listens() || r.b.subject.Server == sim.ZooKeeper) && c.number >= 0 && !r.dead {
		r.closed = append(r.closed, sim.Link{Node: c.Node, Conn: c.number})
	}
}

// post sends commands for which nobody waits: go-redis writes a subscription and
// goes on, and whoever reads from the connection reads the reply. What the code
// does meanwhile may overtake it, but for what it sends over this connection.
//
// What a dead client sends is dropped without an error: go-redis, which would
// connect again and again, holds a mutex meanwhile. Its next read fails.
func (r *run) post(op *operation) {
	main := op.main
	op.main, op.task = false, r.whose() // the program goes on
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dead {
		return
	}
	op.posted = true
	if call := r.tasks[op.task].call; main || call > 0 {
		op.during = call
	}
	if op.conn.posted = append(op.conn.posted, op); len(op.conn.posted) == 1 {
		r.leave(op)
	}
}

// leave puts a posted operation at the seam.
func (r *run) leave(op *operation) {
	op.at = time.Now()
	r.burst = append(r.burst, op)
	r.signal()
}

// arrives hands the result of a posted operation to its connection.
func (r *run) arrives(op *operation, o sim.Observation) {
	c := op.conn
	c.Answer(o)
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.posted = c.posted[1:]; o.Kind != sim.SawReply {
		c.posted = nil // they are lost with the connection
	}
	switch {
	case len(c.posted) > 0:
		r.leave(c.posted[0])
	case c.Closed():
		r.ends(c)
	}
}

// pong hands the reply to a PING to a connection. A reader that waits for the
// next message after it has not moved. It reports whether the client is alive.
func (r *run) pong(c *conn, reply string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dead {
		return false
	}
	c.Answer(sim.Observation{Kind: sim.SawPush, Reply: []byte(reply)})
	for _, ops := range [][]*operation{r.slots, r.burst} {
		for _, op := range ops {
			if op != nil && op.reads && op.conn == c && !op.again {
				op.again = true
				op.wake <- nil
			}
		}
	}
	return true
}

// back puts a reader that has read a pong in its former place.
func (r *run) back(to *operation) bool {
	for _, ops := range [][]*operation{r.slots, r.burst} {
		for i, op := range ops {
			if op != nil && op.again && op.conn == to.conn {
				to.at, ops[i] = op.at, to
				return true
			}
		}
	}
	return false
}

// maxConns bounds the numbered connections to one node.
const maxConns = 1 << 20

// newRun starts a bubble. No code of the client runs yet.
func newRun(b *Bubble) *run {
	r := &run{
		b: b, do: make(chan func()), rested: make(chan struct{}), ended: make(chan struct{}),
		tasks: b.tasksOf(), conns: make([]int, b.subject.Nodes),
	}
	r.slots = make([]*operation, r.firstSlot())
	go func() {
		defer close(r.ended)
		defer func() { _ = recover() }() // goroutines of the client that wait forever
		synctest.Test(&testing.T{}, func(*testing.T) {
			r.number = number()
			runs.Store(r.number, r)
			defer r.forget()
			r.arrived, r.never, r.finished = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
			r.ctx, r.cancel = context.WithCancel(context.Background())
			for f := range r.do {
				f()
				for synctest.Wait(); r.admit(); synctest.Wait() {
				}
				r.rested <- struct{}{}
			}
			close(r.finished)
			r.cancel()
			for _, c := range r.redis {
				_ = c.Close()
			}
		})
	}()
	return r
}

// suspicion is how long a run does not come to rest before its goroutines are looked at.
const suspicion = 20 * time.Millisecond

// mutexLooks is how many looks in a row must find the code at a mutex. One look may find it
// where a goroutine outside of the bubble holds one for a moment and is not run.
const mutexLooks = 4

// hurry divides the patience with code whose result is no longer needed.
const hurry = 20

// perform lets the first goroutine call f, and waits until all are at rest.
func (r *run) perform(f func()) error {
	if r.lost != nil {
		return r.lost
	}
	r.vars.Enter()
	select {
	case r.do <- f:
	case <-r.ended:
		r.lost = elsewhere("its bubble has ended")
		return r.lost
	}
	patience := time.NewTimer(program.Patience())
	defer patience.Stop()
	wait, waits := suspicion, 0
	suspect := time.NewTimer(wait)
	defer suspect.Stop()
	unwanted := r.b.ctx.Done()
	for {
		select {
		case <-r.rested:
			return nil
		case <-suspect.C:
			// A look stops all goroutines, and searches of ZooKeeper have many.
			if waits++; r.b.subject.Server == sim.ZooKeeper || !r.atMutex() {
				waits = 0
			}
			if waits < mutexLooks {
				wait *= 2
				suspect.Reset(wait)
				continue
			}
			r.lost = r.stuck()
		case <-r.ended:
			r.lost = elsewhere("its bubble has ended")
		case <-patience.C:
			select {
			case <-r.rested: // the machine was busy, not the code
				return nil
			default:
				r.lost = r.stuck()
			}
		case <-unwanted:
			unwanted = nil
			patience.Reset(program.Patience() / hurry)
			continue
		}
		return r.lost
	}
}

// observe makes the nth observation.
func (r *run) observe(t program.Observed, n int) error {
	r.mu.Lock()
	ahead := r.ahead
	r.mu.Unlock()
	starts := r.taskAt(t.Strand)
	if starts != nil && starts.begun {
		starts = nil
	}
	op, reader, err := r.take(t, n)
	if err != nil {
		return err
	}
	t.Reply = r.names.read(t.Reply)
	at := t.Shown.Add(offset(n))
	err = r.perform(func() {
		forgetRead()
		if t.Strand == clockStrand {
			r.toTimer(at, ahead)
		} else {
			time.Sleep(time.Until(at))
		}
		switch {
		case t.Kind == sim.SawCancel:
			r.taskAt(t.Strand).cancel()
		case starts != nil:
			starts.begun = true
			go r.program(starts)
		case op != nil:
			r.mu.Lock()
			r.note(op, t.Kind)
			r.mu.Unlock()
			switch {
			case op.posted:
				r.arrives(op, t.Observation)
			case op.conn != nil:
				op.conn.Answer(t.Observation)
				op.wake <- nil
			default:
				op.access = t.Access
				op.wake <- nil
			}
			if reader != nil {
				synctest.Wait() // the writer goes first
				reader.wake <- nil
			}
		}
	})
	r.settle()
	r.mu.Lock()
	defer r.mu.Unlock()
	return cmp.Or(r.unfit, err)
}

// take removes and returns the operation of the nth observation, or nil if it
// has none, and the reader of the connection that the observation ends or that
// has something to read after it.
func (r *run) take(t program.Observed, n int) (op, reader *operation, err error) {
	r.mu.Lock() // orders this before all that a timer wakes
	defer r.mu.Unlock()
	if !r.ahead || t.Strand != clockStrand {
		r.closed = nil
	}
	r.last, r.ahead = t.Strand, false
	if begins := r.taskAt(t.Strand); begins != nil && !begins.begun || t.Strand == clockStrand || t.Kind == sim.SawCancel {
		return nil, nil, nil
	}
	if t.Strand < len(r.slots) && r.slots[t.Strand] != nil && (&sim.Want{Saw: r.slots[t.Strand].saw()}).Awaits(t.Kind) {
		op := r.slots[t.Strand]
		r.slots[t.Strand] = nil
		if op.conn != nil && len(r.tasks) > 1 {
			r.pool.idle(op.conn)
		}
		if op.conn != nil && !op.reads {
			reader = r.reading(op.conn)
		}
		r.note(op, sim.SawNothing) // until it gets the reply
		return op, reader, nil
	}
	for _, e := range r.before {
		if e.Kind == history.Panic {
			return nil, nil, elsewhere("client %s, after %d observations, panicked (%s): %s", r.b.name, n-1, e.Source, e.Text)
		}
	}
	return nil, nil, elsewhere("client %s, after %d observations, does not wait in thread %d", r.b.name, n-1, t.Strand)
}

// note notes what came of an operation, if it is a command of what its task does now.
func (r *run) note(op *operation, came sim.Saw) {
	if t := r.tasks[op.task]; op.units != nil && op.during == t.call && t.call > 0 {
		t.missing.Note(op.conn.Node, op.units, came)
	}
}

// reading removes and returns the operation that waits for a message over a
// connection; nil if there is none.
func (r *run) reading(c *conn) *operation {
	for i, op := range r.slots {
		if op != nil && op.reads && op.conn == c && !op.again {
			r.slots[i] = nil
			return op
		}
	}
	for i, op := range r.burst {
		if op.reads && op.conn == c && !op.again {
			r.burst = slices.Delete(r.burst, i, i+1)
			return op
		}
	}
	return nil
}

// An arrival is the client's time at which a goroutine next reaches the seam.
type arrival struct {
	at    time.Time
	never bool
}

func (a arrival) String() string {
	if a.never {
		return "waits for ever"
	}
	return "waits until its clock shows " + a.at.Format("15:04:05.000000")
}

// toArrival advances the clock until a goroutine reaches the seam, but at most by
// a duration.
func (r *run) toArrival(most time.Duration) (a arrival, err error) {
	r.mu.Lock()
	r.ahead = true
	r.mu.Unlock()
	err = r.perform(func() {
		select {
		case <-r.arrived: // an earlier arrival
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

// grain is how exactly a want of the clock strand tells the time: what a clock at a
// quarter of the rate shows in a millisecond.
const grain = 250 * time.Microsecond

// toTimer lets time pass until an instant, or until the first arrival if that is due
// in the grain before it. It may have come already, if the clock is ahead.
func (r *run) toTimer(at time.Time, ahead bool) {
	if len(r.tasks) > 1 { // who sleeps until the same instant wakes at the same step, in whatever order they went to sleep
		time.Sleep(time.Until(at))
		return
	}
	if !ahead {
		select {
		case <-r.arrived: // an earlier arrival
		default:
		}
		time.Sleep(time.Until(at) - grain)
		last := time.NewTimer(time.Until(at))
		defer last.Stop()
		came := time.Now()
		select {
		case <-r.arrived:
		case <-last.C:
		}
		if time.Now().After(came) {
			return
		}
	}
	if left := time.Until(at); left >= grain {
		time.Sleep(left)
	}
}

// settle assigns strands to the operations of the last burst, in an order that
// does not depend on scheduling: to the program the main strand, to the others
// the lowest free one.
func (r *run) settle() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, op := range r.slots {
		if op != nil && op.again { // it has not come back
			r.slots[i] = nil
		}
	}
	r.burst = slices.DeleteFunc(r.burst, func(op *operation) bool { return op.again })
	slices.SortStableFunc(r.burst, func(a, b *operation) int {
		return cmp.Or(a.at.Compare(b.at), a.task-b.task, strings.Compare(r.names.show(a.text), r.names.show(b.text)))
	})
	for _, op := range r.burst {
		if !op.main && !op.posted { // while it ran, so did the program
			op.during = r.tasks[op.task].call
		}
		if c := op.conn; c != nil && len(r.tasks) > 1 {
			r.pool.sends(c, op)
		} else if c != nil && c.number < 0 {
			c.number = c.Node*maxConns + r.conns[c.Node]
			r.conns[c.Node]++
		}
		at := strandOf(op.task)
		if !op.main {
			at = r.firstSlot()
			for at < len(r.slots) && r.slots[at] != nil {
				at++
			}
			if at == len(r.slots) {
				r.slots = append(r.slots, nil)
			}
		}
		r.slots[at] = op
	}
	r.burst = nil
	if len(r.tasks) > 1 { // chance may decide which of them goes on first
		slices.SortStableFunc(r.events, func(a, b history.Event) int {
			return slices.Index(r.b.config.Clients, a.Client) - slices.Index(r.b.config.Clients, b.Client)
		})
	}
	r.before, r.events = r.events, nil
}

// happened returns the events of the last burst.
func (r *run) happened() []history.Event {
	events := slices.Clone(r.before)
	for i := range events {
		events[i].Text, events[i].Token = r.names.show(events[i].Text), r.names.show(events[i].Token)
	}
	return events
}

// drew identifies what the code did at the last observation, but for its timers; it is not 0.
func (r *run) drew() uint32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := uint64(0)
	say := func(word string) { h = xxh3.HashStringSeed(word, h) }
	for i := range r.before {
		e := &r.before[i]
		for _, word := range [...]string{string(e.Kind), e.Client, e.Op, e.Outcome, r.names.show(e.Token), r.names.show(e.Text)} {
			say(word)
		}
	}
	for i, op := range r.slots {
		if op != nil {
			say(strconv.Itoa(i))
			say(strconv.Itoa(op.task))
			say(strconv.FormatBool(op.main))
			say(r.names.show(op.text))
		}
	}
	for _, t := range r.tasks {
		say(strconv.FormatBool(t.done))
	}
	return max(1, uint32(h))
}

// exited reports whether the process has ended with its program. A client of
// ZooKeeper has goroutines that never end by themselves; they end with it.
func (r *run) exited() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tasks[0].done && r.b.subject.Server == sim.ZooKeeper
}

// wants returns what each strand is about to do, except for the clock.
func (r *run) wants() []sim.Want {
	r.mu.Lock()
	defer r.mu.Unlock()
	wants := make([]sim.Want, len(r.slots))
	for i, op := range r.slots {
		w, t := &wants[i], r.taskAt(i)
		switch {
		case op != nil:
			*w = op.want(r)
			w.Of = r.of(op.task)
		case t != nil && !t.begun:
			*w = sim.Want{Fresh: true, Label: string(history.Start)}
		case t != nil && !t.done:
			*w = sim.Want{Stays: true, Label: string(history.Wait)}
		default:
			w.Ended = true
		}
		if t != nil {
			w.Of = r.of(slices.Index(r.tasks, t))
		}
		if i > clockStrand {
			w.Name = "goroutine"
		}
	}
	if r.last < len(wants) {
		wants[r.last].Closed, r.closed = r.closed, nil
	}
	return wants
}

// saw is the kind of its observation.
func (op *operation) saw() sim.Saw {
	switch {
	case op.conn == nil:
		return sim.SawAccess
	case op.reads:
		return sim.SawPush
	}
	return sim.SawReply
}

func (op *operation) want(r *run) sim.Want {
	if op.conn == nil {
		return sim.Want{Saw: op.saw(), Label: op.access.Op, Source: op.source, Access: op.access}
	}
	if op.reads {
		return sim.Want{Saw: op.saw(), Label: string(history.Receive), Node: op.conn.Node, Conn: op.conn.number}
	}
	return sim.Want{
		Blocks: program.BlocksOf(op.units),
		Saw:    op.saw(), Label: program.LabelOf(op.units), Node: op.conn.Node, Conn: op.conn.number, Source: op.units[0].Source,
		Units: r.names.showUnits(op.units), During: op.during,
	}
}

// program is the main goroutine of a task.
func (r *run) program(t *task) {
	t.begin(r.ctx)
	runs.Store(t.label, r)
	returned := false
	defer func() {
		reason := recover()
		if _, none := reason.(program.NoLock); none {
			returned = true
		}
		if reason == nil && !returned {
			reason = "its goroutine was ended by runtime.Goexit"
		}
		if !returned { // a dead client's Emit does nothing
			host{r, t}.Emit(history.Event{Kind: history.Panic, Text: resp.Printable(fmt.Sprint(reason)), Source: program.CallerSource()})
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		t.done = true
		r.signal()
	}()
	program.Run(host{r, t}, r.b.config, r.b.subject, r.b.name)
	returned = true
}

// signal reports that a goroutine has reached the seam.
func (r *run) signal() {
	select {
	case r.arrived <- struct{}{}:
	default:
	}
}

// maxLate bounds the failing operations of a dead client. After that many, the
// next ends its goroutine; after twice as many, it blocks forever.
const maxLate = 8

// park waits at the seam for the operation's result. It returns an error if the
// client is dead.
func (r *run) park(op *operation) error {
	op.task = r.whose()
	r.mu.Lock()
	if r.dead {
		r.late++
		late, over := r.late, r.over
		r.mu.Unlock()
		if over && number() != r.number {
			crossed.Store(program.CallerSource())
		}
		switch {
		case late > 2*maxLate && !(op.conn != nil && op.conn.Listens()): // which may hold a mutex that others want
			<-r.never
		case late > maxLate, op.conn == nil:
			runtime.Goexit()
		}
		return net.ErrClosed
	}
	if op.reads && op.conn.Ready() { // closed by another goroutine since it looked
		r.mu.Unlock()
		return nil
	}
	op.at, op.wake = time.Now(), make(chan error, 1)
	op.during = r.tasks[op.task].call
	back := op.reads && r.back(op)
	if !back {
		r.burst = append(r.burst, op)
	}
	var late <-chan time.Time
	if op.reads && !op.conn.deadline.IsZero() {
		timer := time.NewTimer(time.Until(op.conn.deadline))
		defer timer.Stop()
		late = timer.C
	}
	r.mu.Unlock()
	if !back {
		r.signal()
	}
	select {
	case err := <-op.wake:
		if err != nil && op.conn == nil {
			runtime.Goexit()
		}
		return err
	case <-late:
		r.mu.Lock()
		waits := r.reading(op.conn) != nil
		r.mu.Unlock()
		if !waits { // something has come at the same instant
			return <-op.wake
		}
		return os.ErrDeadlineExceeded
	}
}

// crossed is a line of code that has used another run's client.
var crossed atomic.Value

// elsewhere returns a program.ErrNondeterministic with a possible cause.
func elsewhere(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if line, ok := crossed.Load().(string); ok {
		return fmt.Errorf("%w: %s\n%s uses a Redis client that was made for another run: is it kept in a package variable?", program.ErrNondeterministic, text, line)
	}
	return fmt.Errorf("%w: %s\nIt may keep something in a package variable, as a Redis client, or go by the order of a map, by select or by random numbers that nobody can repeat", program.ErrNondeterministic, text)
}

// connect returns a connection to a node.
func (r *run) connect(node int) net.Conn {
	c := &conn{run: r, number: -1}
	c.Conn = program.NewConn(r.b.subject.Server, r.b.name, node, func(_ *program.Conn, units []sim.Unit) error {
		if pong := c.Pong(units); pong != "" && r.pong(c, pong) {
			return nil
		}
		var room [64]uintptr
		pcs := callers(room[:])
		if c.number < 0 {
			program.LearnLibrary(pcs)
		}
		if (r.b.sources || places != nil) && r.alive() {
			source := program.SourceIn(pcs)
			if places != nil && r.b.sources && asked(units, source) {
				source = r.programSource()
			}
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
		if len(r.tasks) > 1 && program.BlocksOf(units) > 0 {
			r.refuse(fmt.Errorf("%s: in a process with several goroutines that take the lock, no command may wait at the server: for whom it waits would not be known; leave out Goroutines", program.LabelOf(units)))
		}
		op := &operation{main: ofProgram(pcs), conn: c, units: units, text: text.String()}
		if program.Subscribes(units) {
			r.post(op)
			return nil
		}
		return r.park(op)
	}, func(*program.Conn) error {
		return r.park(&operation{main: inProgram(), conn: c, reads: true, text: fmt.Sprintf("r%d receive", node+1)})
	})
	return c
}

// refuse notes why the code cannot be tried.
func (r *run) refuse(why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unfit = cmp.Or(r.unfit, why)
}

// end ends the client's code: its operations fail, and time passes until it
// returns. Code that does not end is abandoned, and the error describes it,
// unless the run had failed before.
func (r *run) end() error {
	switch {
	case r.lost != nil:
		return nil
	case program.Parks != "":
		program.Parked++
		return nil
	}
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.over = true
	}()
	r.mu.Lock()
	r.dead = true
	waiting := append(r.burst, r.slots...)
	r.burst, r.slots = nil, make([]*operation, r.firstSlot())
	r.mu.Unlock()
	err := r.perform(func() {
		r.cancel()
		if r.zk != nil {
			go r.zk.Close() // otherwise it tries to reconnect for as long as time passes
		}
		for _, op := range waiting {
			if op != nil && !op.posted && !op.again {
				op.wake <- net.ErrClosed
			}
		}
	})
	for range maxHours {
		if err != nil {
			return err
		}
		err = r.perform(func() { time.Sleep(time.Hour) })
		if r.returned() {
			break
		}
	}
	close(r.do)
	select {
	case <-r.ended:
		return nil
	case <-time.After(program.Patience()): // a goroutine wakes up again and again
		return r.stuck()
	}
}

// alive reports whether the client has not died.
func (r *run) alive() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.dead
}

// returned reports whether every program that has begun has returned.
func (r *run) returned() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !slices.ContainsFunc(r.tasks, func(t *task) bool { return t.begun && !t.done })
}

// maxHours bounds the time, by its own clock, that a dead client needs to end.
const maxHours = 50

// callers returns the calling goroutine's stack, in the room if that suffices. To walk
// over it is dear.
func callers(room []uintptr) []uintptr {
	n := runtime.Callers(2, room)
	for n == len(room) {
		room = make([]uintptr, 4*n)
		n = runtime.Callers(2, room)
	}
	return room[:n]
}

// inProgram reports whether the calling goroutine is a client's main goroutine.
func inProgram() bool {
	var room [64]uintptr
	return ofProgram(callers(room[:]))
}

// ofProgram reports whether a stack is that of a client's main goroutine, by its first
// frames. Goroutine numbers would be ten times as slow.
func ofProgram(pcs []uintptr) bool {
	return slices.ContainsFunc(pcs[max(0, len(pcs)-3):], isProgram)
}

// programs caches whether a program counter is in run.program, or in Section.run.
var programs sync.Map

func isProgram(pc uintptr) bool {
	if known, ok := programs.Load(pc); ok {
		return known.(bool)
	}
	f := runtime.FuncForPC(pc - 1)
	is := f != nil && (strings.HasSuffix(f.Name(), "bubble.(*run).program") || strings.HasSuffix(f.Name(), "bubble.(*Section).run"))
	programs.Store(pc, is)
	return is
}
