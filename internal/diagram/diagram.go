package diagram

import (
	"slices"
	"sort"

	"lockstep/internal/lesson"
	"lockstep/sim/history"
)

// A Diagram is the shapes of one run. A row of the run is a row of the diagram, and a
// lane of the run a lane. Shapes begin and end in the middle of rows.
type Diagram struct {
	Run    *lesson.Run
	Bars   []Bar   // by the row at which they begin
	Arrows []Arrow // by the row at which they begin
	Gaps   []Gap
	Crowds []Crowd
	Ghosts []Ghost
	Rows   int // how many are drawn

	Touches []Touch
	Signs   []Sign
	Counts  []Count
	Stucks  []Stuck

	Slow   []Arrow      // the messages that take time, by the row at which they begin
	Passes map[int]bool // the rows at which time passes

	marks map[[2]int]*Marks // by lane and row
}

// Marks are what stands at one row of one lane.
type Marks struct {
	Bar   Bar // the lease that ends there ...
	Ends  bool
	Began bool // ... and whether another begins
	Touch *Touch
	Sign  *Sign
	Count *Count
	By    *Change // of a lease
	Came  *Arrow  // a command that has come to a node
	Depth int     // of an entry beyond the first that begins there; 0 for none
}

// Kind says what a bar is about.
type Kind byte

// The kinds of bars. Lease stands on a node's lane, the others on a client's.
const (
	Lease  Kind = iota // the lock's key is the client's
	Belief             // the client believes that it holds the lock
	Bare               // it believes so, or does what the lock guards, and the lock is not its own
	Work               // it is in the critical section
	Again              // it has acquired the lock once more before a release
)

// End says how a bar ended.
type End byte

// The ends of a bar. All but Open concern a lease; Done is the end of other bars too.
const (
	Open    End = iota // it has not ended
	Done               // its client ended it
	Expired            // its time was over
	Removed            // another client deleted or took the key of one that holds the lock
	Taken              // another client did so, and nobody was harmed: its owner is dead, or gone
	Lost               // the node gave up the key or lost it
)

// A Bar is something that lasts.
type Bar struct {
	Kind     Kind
	Lane     int
	Client   int // whose it is, from 1
	From, To int // rows
	End      End
	By       int      // the client that removed a lease, from 1
	Endless  bool     // the lease began without a TTL
	Changes  []Change // of a lease, by its owner its deadline, by others its value as well
	Depth    int      // of an entry: 2 for the second
}

// Forever reports whether a lease has no TTL at its end.
func (b Bar) Forever() bool {
	if n := len(b.Changes); n > 0 {
		return b.Changes[n-1].Endless
	}
	return b.Endless
}

// Fate says what became of a message.
type Fate byte

// The fates of a message.
const (
	Arrived Fate = iota
	UnderWay
	Dropped // it never arrives
	Barred  // nobody listens at the node: it never left
)

// An Arrow is a message: a command from a client to a node, or a reply back, or what the
// node sends unasked. An arrow within one row has taken no time.
type Arrow struct {
	Client      int // from 1
	Reply       bool
	Start, Goal int // lanes
	From, To    int // rows
	Fate        Fate
	Effect      Effect // of a command that has arrived
}

// A Gap is time that passes at a row.
type Gap struct {
	Row int
	By  history.Millis
}

// A Crowd is a stretch in which several clients are in the critical section.
type Crowd struct {
	From, To int
	Lanes    []int // those of the clients
}

// Of returns the diagram of a whole run.
func Of(r *lesson.Run) *Diagram {
	d := &Diagram{Run: r, Rows: len(r.Rows)}
	p := newPen(d)
	for i := range r.Rows {
		for n := r.Rows[i].From; n < r.Rows[i].To; n++ {
			p.event(&r.History.Events[n], i)
		}
	}
	p.close(len(r.Rows) - 1)
	p.stuck()
	d.index()
	return d
}

// index prepares what a frame asks of single rows, so that a long run costs no more.
func (d *Diagram) index() {
	d.Passes, d.marks = map[int]bool{}, map[[2]int]*Marks{}
	at := func(lane, row int) *Marks {
		if d.marks[[2]int{lane, row}] == nil {
			d.marks[[2]int{lane, row}] = &Marks{}
		}
		return d.marks[[2]int{lane, row}]
	}
	for _, a := range d.Arrows {
		if a.From != a.To {
			d.Slow = append(d.Slow, a)
		}
		if a.Fate == Arrived && !a.Reply {
			at(a.Goal, a.To).Came = &a
		}
	}
	for _, g := range d.Gaps {
		d.Passes[g.Row] = true
	}
	for _, b := range d.Bars {
		if b.Kind == Again {
			at(b.Lane, b.From).Depth = b.Depth
		}
		if b.Kind != Lease {
			continue
		}
		at(b.Lane, b.From).Began = true
		if b.End != Open {
			m := at(b.Lane, b.To)
			m.Bar, m.Ends = b, true
		}
		for _, c := range b.Changes {
			at(b.Lane, c.Row).By = &c
		}
	}
	for _, t := range d.Touches {
		at(t.Lane, t.Row).Touch = &t
	}
	for _, s := range d.Signs {
		at(s.Lane, s.Row).Sign = &s
	}
	for _, c := range d.Counts {
		at(c.Lane, c.Row).Count = &c
	}
}

// Marks returns what stands at a row of a lane.
func (d *Diagram) Marks(lane, row int) Marks {
	if m := d.marks[[2]int{lane, row}]; m != nil {
		return *m
	}
	return Marks{}
}

// Until returns the diagram as it is known after a row: what comes later is not in it. Of
// the ghosts it has those of a violation at that row.
func (d *Diagram) Until(row int) *Diagram {
	out := &Diagram{Run: d.Run, Rows: row + 1}
	for _, b := range d.Bars {
		if b.From > row {
			continue
		}
		if b.To > row {
			b.To, b.End, b.By = row, Open, 0
		}
		b.Changes = slices.Clone(until(b.Changes, row, func(c Change) int { return c.Row }))
		for i := range b.Changes {
			b.Changes[i].Wrong = b.Changes[i].Wrong && b.Changes[i].Known <= row
		}
		out.Bars = append(out.Bars, b)
	}
	for _, a := range d.Arrows {
		if a.From > row {
			continue
		}
		if a.To > row {
			a.To, a.Fate, a.Effect = row, UnderWay, 0
		}
		out.Arrows = append(out.Arrows, a)
	}
	for _, c := range d.Crowds {
		if c.From <= row {
			out.Crowds = append(out.Crowds, Crowd{c.From, min(c.To, row), c.Lanes})
		}
	}
	for _, g := range d.Ghosts {
		if g.Known == row {
			out.Ghosts = append(out.Ghosts, g)
		}
	}
	out.Gaps = until(d.Gaps, row, func(g Gap) int { return g.Row })
	out.Touches = until(d.Touches, row, func(t Touch) int { return t.Row })
	out.Signs = until(d.Signs, row, func(s Sign) int { return s.Row })
	out.Counts = until(d.Counts, row, func(c Count) int { return c.Row })
	out.Stucks = until(d.Stucks, row, func(s Stuck) int { return s.Row })
	out.index()
	return out
}

// until returns the marks up to a row; they stand in the order of their rows.
func until[T any](marks []T, row int, of func(T) int) []T {
	n := sort.Search(len(marks), func(i int) bool { return of(marks[i]) > row })
	return marks[:n:n]
}

// At returns the bars of a lane that cover a row, in the order of their beginnings.
func (d *Diagram) At(lane, row int) (out []Bar) {
	for _, b := range d.Bars {
		if b.Lane == lane && b.From <= row && row <= b.To {
			out = append(out, b)
		}
	}
	return out
}
