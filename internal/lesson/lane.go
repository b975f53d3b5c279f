package lesson

import (
	"maps"
	"slices"

	"lockstep/sim/history"
)

// A Lane is one column of the picture: a client, a strand of it, or a node.
type Lane struct {
	Name   string
	Client int // from 1; 0 for a node
	Strand int
}

// Main reports whether the lane is a client's main strand.
func (l Lane) Main() bool { return l.Client > 0 && l.Strand == 0 }

// A Mark is what a lane shows in a row.
type Mark byte

// The marks. Gone is a dead client, or a strand that does not run.
const (
	Idle Mark = iota
	Gone
	Inside
	Acts
	Hit
	Faulted
)

// lanes returns the clients, each followed by its strands, and then the nodes.
func lanes(h history.History, nodes []string) []Lane {
	strands := map[string]int{}
	for i := range h.Events {
		if e := &h.Events[i]; e.Strand > 0 {
			strands[e.Client] = max(strands[e.Client], e.Strand)
		}
	}
	var out []Lane
	for i, name := range h.Config.Clients {
		out = append(out, Lane{Name: name, Client: i + 1})
		for n := 1; n <= strands[name]; n++ {
			out = append(out, Lane{Name: history.StrandName(name, n), Client: i + 1, Strand: n})
		}
	}
	for _, node := range nodes {
		out = append(out, Lane{Name: node})
	}
	return out
}

// prepare computes once what a frame of any row needs: the marks of the lanes,
// the display, and the lit source line.
func (r *Run) prepare() {
	f, running, lit := newFold(r.History), map[string]bool{}, -1
	next, known := r.History.Next, map[string]string{}
	look := func(picks int) {
		for ; len(next) > 0 && next[0].After <= picks; next = next[1:] {
			known[next[0].Who] = next[0].Source
		}
	}
	for _, l := range r.Lanes {
		running[l.Name] = l.Client == 0
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		f.show(*row)
		r.markLanes(row, f.monitor, running)
		row.Now = f.snapshot(r.Nodes)
		if row.code = row.Source; row.To > row.From {
			if e := r.History.Events[row.Seq]; e.Kind == history.Resource || e.Kind == history.Read {
				look(e.Pick)
				row.code = known[row.Who]
			}
		}
		if row.code != "" {
			lit = i
		}
		row.lit = lit
		look(r.Picks(i))
		row.Next = maps.Clone(known)
	}
}

// markLanes fills in the marks of a row. running tells which strands and nodes
// run, by their lanes' names.
func (r *Run) markLanes(row *Row, monitor *history.Monitor, running map[string]bool) {
	events := r.History.Events[row.From:row.To]
	for i := range events {
		switch e := &events[i]; {
		case e.Strand > 0:
			running[history.StrandName(e.Client, e.Strand)] = e.Kind != history.End
		case e.Is(history.Down), e.Is(history.Up):
			running[e.Node] = e.Is(history.Up)
		}
	}
	row.Lanes = make([]Mark, len(r.Lanes))
	for n, l := range r.Lanes {
		row.Lanes[n] = r.rest(l, monitor, running[l.Name])
		for i := range events {
			if e := &events[i]; e.Seq >= row.Seq && e.Seq <= row.Last {
				row.Lanes[n] = r.mark(l, e, row.Lanes[n])
			}
		}
	}
}

// rest is the mark of a lane that takes no part.
func (r *Run) rest(l Lane, m *history.Monitor, running bool) Mark {
	switch {
	case l.Client == 0 && running:
		return Idle
	case l.Client == 0, !m.Alive(r.client(l)), l.Strand > 0 && !running:
		return Gone
	case l.Main() && m.Inside(l.Name):
		return Inside
	}
	return Idle
}

// mark is a lane's mark after an event of the row.
func (r *Run) mark(l Lane, e *history.Event, before Mark) Mark {
	own := e.Kind == history.Fault && e.Client == "" && e.Node == l.Name // of a node, or the end of one
	if l.Client > 0 {
		own = r.client(l) == e.Client && l.Strand == e.Strand
	}
	switch {
	case l.Client == 0 && e.Node == l.Name && (e.Kind == history.Apply || e.Kind == history.Expire || e.Kind == history.Push || e.Kind == history.Wait):
		return Hit
	case !own:
		return before
	case e.Kind == history.Fault && !mends(e) || e.Kind == history.Panic || e.Kind == history.TimeOut:
		return Faulted
	case e.Kind == history.Apply, e.Kind == history.Push, e.Op == history.Enter:
		return before
	}
	return Acts
}

// client returns the name of a lane's client.
func (r *Run) client(l Lane) string { return r.History.Config.Clients[l.Client-1] }

// mends reports whether an event ends a fault.
func mends(e *history.Event) bool {
	return slices.Contains([]history.Verb{history.Up, history.Fast, history.Heal}, history.Verb(e.Op))
}

// Actor is the lane of whoever acts in a row; -1 for nobody.
func (r *Run) Actor(row Row) int {
	if i := slices.IndexFunc(r.Lanes, func(l Lane) bool { return l.Name == row.Who }); i >= 0 {
		return i
	}
	return slices.Index(row.Lanes, Hit)
}

// Wire returns the lanes of the client that sent a command and of the node that
// executed it, or -1 twice.
func (r *Run) Wire(row Row) (from, to int) {
	from, to = -1, -1
	for i, m := range row.Lanes {
		switch {
		case m == Acts && r.Lanes[i].Client > 0:
			from = i
		case m == Hit:
			to = i
		}
	}
	if from < 0 || to < 0 {
		return -1, -1
	}
	return from, to
}
