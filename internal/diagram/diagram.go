package diagram

import (
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

	slow    []Arrow // those that take time
	passes  map[int]bool
	removes map[[2]int]bool // by lane and row
}

// Kind says what a bar is about.
type Kind byte

// The kinds of bars. Lease stands on a node's lane, the others on a client's.
const (
	Lease  Kind = iota // the lock's key is the client's
	Belief             // the client believes that it holds the lock
	Bare               // it believes so, or does what the lock guards, and the lock is not its own
	Work               // it is in the critical section
)

// End says how a bar ended.
type End byte

// The ends of a bar. All but Open concern a lease; Done is the end of other bars too.
const (
	Open    End = iota // it has not ended
	Done               // its client ended it
	Expired            // its time was over
	Removed            // another client deleted or took the key
	Lost               // the node gave up the key or lost it
)

// A Bar is something that lasts.
type Bar struct {
	Kind     Kind
	Lane     int
	Client   int // whose it is, from 1
	From, To int // rows
	End      End
	By       int   // the client that removed a lease, from 1
	Renewed  []int // rows at which the lease got a new deadline
}

// Fate says what became of a message.
type Fate byte

// The fates of a message.
const (
	Arrived Fate = iota
	UnderWay
	Dropped // it never arrives
)

// An Arrow is a message: a command from a client to a node, or a reply back, or what the
// node sends unasked. An arrow within one row has taken no time.
type Arrow struct {
	Client      int // from 1
	Reply       bool
	Start, Goal int // lanes
	From, To    int // rows
	Fate        Fate
}

// A Gap is time that passes at a row.
type Gap struct {
	Row int
	By  history.Millis
}

// A Crowd is a stretch in which several clients are in the critical section.
type Crowd struct{ From, To int }

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
	d.index()
	return d
}

// index prepares what a frame asks of single rows, so that a long run costs no more.
func (d *Diagram) index() {
	d.passes, d.removes = map[int]bool{}, map[[2]int]bool{}
	for _, a := range d.Arrows {
		if a.From != a.To {
			d.slow = append(d.slow, a)
		}
	}
	for _, g := range d.Gaps {
		d.passes[g.Row] = true
	}
	for _, b := range d.Bars {
		if b.End == Removed {
			d.removes[[2]int{b.Lane, b.To}] = true
		}
	}
}

// Slow returns the messages that take time, by the row at which they begin.
func (d *Diagram) Slow() []Arrow { return d.slow }

// Passes reports whether time passes at a row.
func (d *Diagram) Passes(row int) bool { return d.passes[row] }

// Removes reports whether a client ends another's lease on a node's lane at a row.
func (d *Diagram) Removes(lane, row int) bool { return d.removes[[2]int{lane, row}] }

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
		n := 0
		for n < len(b.Renewed) && b.Renewed[n] <= row {
			n++
		}
		b.Renewed = b.Renewed[:n:n]
		out.Bars = append(out.Bars, b)
	}
	for _, a := range d.Arrows {
		if a.From > row {
			continue
		}
		if a.To > row {
			a.To, a.Fate = row, UnderWay
		}
		out.Arrows = append(out.Arrows, a)
	}
	for _, g := range d.Gaps {
		if g.Row <= row {
			out.Gaps = append(out.Gaps, g)
		}
	}
	for _, c := range d.Crowds {
		if c.From <= row {
			out.Crowds = append(out.Crowds, Crowd{c.From, min(c.To, row)})
		}
	}
	for _, g := range d.Ghosts {
		if g.Known == row {
			out.Ghosts = append(out.Ghosts, g)
		}
	}
	out.index()
	return out
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
