package diagram

import (
	"maps"
	"slices"

	"lockstep/internal/lesson"
	"lockstep/sim/history"
)

// A pen follows a run event by event and draws what begins and ends.
type pen struct {
	*Diagram
	monitor *history.Monitor
	clients []string
	main    []int // the main lane of each client
	open    map[place]int
	sent    map[int]int         // the index of the arrow of each command under way, by its call
	replies map[int]int         // the row at which a node executed a command, by its call
	held    map[int]bool        // the commands that their nodes hold, by call
	pushed  map[[2]string][]int // the rows at which a node sent a client what it has not read
	cut     map[[2]string]bool
	inside  []int           // the lanes of those that are in the critical section
	crowd   int             // the row from which on these are inside; -1 for fewer than two
	without map[string]bool // the nodes on which the lock's key has no TTL
	depth   []int           // how often each client has acquired without a release
	major   []bool
}

// A place is where at most one bar of a kind is open.
type place struct {
	kind  Kind
	lane  int
	depth int
}

func newPen(d *Diagram) *pen {
	r, clients := d.Run, d.Run.History.Config.Clients
	p := &pen{
		Diagram: d, monitor: history.NewMonitor(r.History.Config, r.History.Nodes), clients: clients, main: make([]int, len(clients)),
		open: map[place]int{}, sent: map[int]int{}, replies: map[int]int{}, cut: map[[2]string]bool{}, crowd: -1, without: map[string]bool{},
		held: map[int]bool{}, pushed: map[[2]string][]int{},
		depth: make([]int, len(clients)), major: make([]bool, len(clients)),
	}
	for i, l := range r.Lanes {
		if l.Main() {
			p.main[l.Client-1] = i
		}
	}
	return p
}

// event draws what an event of a row begins or ends.
func (p *pen) event(e *history.Event, row int) {
	found := p.monitor.Observe(*e)
	p.message(e, row)
	for _, c := range e.Changes {
		if c, is := history.OfLock(p.Run.History.Config.Key(), c); is {
			p.without[e.Node] = c.After != nil && c.After.Deadline == 0 && c.After.Type != history.Ephemeral
		}
	}
	p.marks(e, row, found)
	p.accuse(found, row)
	if e.Kind == history.Clock && e.By > 0 {
		p.Gaps = append(p.Gaps, Gap{Row: row, By: e.By})
	}
	for lane, l := range p.Run.Lanes {
		if l.Client == 0 {
			p.lease(lane, l.Name, e, row, found)
		}
	}
	p.count(e, row)
	var inside []int
	for i, name := range p.clients {
		p.client(i, name, row)
		if p.monitor.Alive(name) && p.monitor.Inside(name) {
			inside = append(inside, p.main[i])
		}
	}
	p.crowded(inside, row)
}

// lease draws who owns the lock's key on a node.
func (p *pen) lease(lane int, node string, e *history.Event, row int, found []history.Violation) {
	owner := slices.Index(p.clients, p.monitor.Owner(node)) + 1
	at := place{kind: Lease, lane: lane}
	i, known := p.open[at]
	if known && p.Bars[i].Client == owner {
		if e.Node == node && e.Kind == history.Apply {
			p.change(&p.Bars[i], e, row, found)
		}
		return
	}
	if known {
		end, by := p.endOf(e, p.Bars[i].Client, found)
		p.end(at, row, end, by)
	}
	if owner > 0 {
		p.begin(Bar{Kind: Lease, Lane: lane, Client: owner, From: row, Endless: p.without[node]})
	}
}

// change notes that an event changes a lease that lasts: its owner its deadline, another
// client its deadline or its value.
func (p *pen) change(b *Bar, e *history.Event, row int, found []history.Violation) {
	by := slices.Index(p.clients, e.Client) + 1
	for _, c := range e.Changes {
		if c.Key != p.Run.History.Config.Key() || c.Before == nil || c.After == nil {
			continue
		}
		if c.Before.Deadline != c.After.Deadline || by != b.Client && c.Before.Value != c.After.Value {
			wrong := violates(found, history.ForeignRenewal, p.clients[b.Client-1])
			b.Changes = append(b.Changes, Change{
				Row: row, By: by, Wrong: wrong, Known: row, Renews: c.Before.Deadline != c.After.Deadline, Endless: c.After.Deadline == 0,
			})
		}
	}
}

// accuse marks the commands that a violation is about and that came before it: a refused
// acquisition has overwritten a lease.
func (p *pen) accuse(found []history.Violation, known int) {
	for _, v := range found {
		if v.Invariant != history.OverwrittenLease || len(v.Causes) == 0 {
			continue
		}
		e := &p.Run.History.Events[v.Causes[0]]
		lane, row := p.laneOf(e.Node, 0), p.Run.RowOf(e.Seq)
		for i := range p.Bars {
			for n := range p.Bars[i].Changes {
				if c := &p.Bars[i].Changes[n]; p.Bars[i].Lane == lane && c.Row == row {
					c.Wrong, c.Known = true, known
				}
			}
		}
	}
}

// endOf says how an event ended a client's lease, and which client did it. A client that
// takes over a key owns it when its acquisition returns.
func (p *pen) endOf(e *history.Event, owner int, found []history.Violation) (End, int) {
	by := slices.Index(p.clients, e.Client) + 1
	switch {
	case e.Kind == history.Expire:
		return Expired, 0
	case e.Kind == history.Apply && by == owner:
		return Done, 0
	case by > 0 && violates(found, history.ForeignRelease, p.clients[owner-1]):
		return Removed, by
	case e.Kind == history.Apply && by > 0, e.Kind == history.Return && by > 0:
		return Taken, by
	}
	return Lost, 0
}

// client draws what a client believes and does.
func (p *pen) client(i int, name string, row int) {
	m, lane := p.monitor, p.main[i]
	alive, holds, inside := m.Alive(name), m.Holds(name), m.Inside(name)
	needs := p.Run.History.Nodes > 0 && (holds || inside)
	p.lasts(Belief, lane, i, alive && holds, row)
	p.lasts(Bare, lane, i, alive && needs && !m.Owns(name), row)
	p.lasts(Work, lane, i, alive && inside, row)
}

// lasts begins or ends a bar of a client, as it holds or not.
func (p *pen) lasts(k Kind, lane, client int, holds bool, row int) {
	at := place{kind: k, lane: lane}
	if _, known := p.open[at]; known == holds {
		return
	}
	if holds {
		p.begin(Bar{Kind: k, Lane: lane, Client: client + 1, From: row})
		return
	}
	p.end(at, row, Done, 0)
}

func (p *pen) begin(b Bar) {
	p.open[place{b.Kind, b.Lane, b.Depth}] = len(p.Bars)
	p.Bars = append(p.Bars, b)
}

func (p *pen) end(at place, row int, end End, by int) {
	b := &p.Bars[p.open[at]]
	b.To, b.End, b.By = row, end, by
	delete(p.open, at)
}

// crowded ends a crowd and begins another when who is inside changes.
func (p *pen) crowded(inside []int, row int) {
	if slices.Equal(inside, p.inside) {
		return
	}
	if p.crowd >= 0 {
		p.Crowds = append(p.Crowds, Crowd{p.crowd, row, p.inside})
		p.crowd = -1
	}
	if p.inside = inside; len(inside) > 1 {
		p.crowd = row
	}
}

// message draws the arrows of commands and replies.
func (p *pen) message(e *history.Event, row int) {
	switch {
	case e.Kind == history.Request:
		if p.draw(e, Arrow{From: row, To: row, Fate: UnderWay}) {
			p.sent[e.Call] = len(p.Arrows) - 1
		}
		if p.cut[[2]string{e.Client, e.Node}] {
			p.arrive(e.Call, row, Dropped)
		}
	case e.Kind == history.Apply:
		if i, ok := p.sent[e.Call]; ok {
			p.Arrows[i].Effect = effectOf(e)
		}
		p.arrive(e.Call, row, Arrived)
		p.replies[e.Call] = row
	case e.Kind == history.Broken && e.Op == history.NoServer && len(e.Cmds) > 0:
		p.barred(e, row)
	case e.Is(history.LoseRequest), e.Kind == history.Broken:
		p.arrive(e.Call, row, Dropped)
	case e.Kind == history.TimeOut:
		if i, ok := p.sent[e.Call]; ok {
			p.Arrows[i].To = row
		}
	case e.Is(history.Cut), e.Is(history.Heal):
		p.cut[[2]string{e.Client, e.Node}] = e.Is(history.Cut)
	case e.Kind == history.Wait:
		if i, ok := p.sent[e.Call]; ok {
			p.Arrows[i].Effect = Nothing // so far: it waits
		}
		p.arrive(e.Call, row, Arrived)
		p.held[e.Call] = true
	case e.Kind == history.Push:
		link := [2]string{e.Client, e.Node}
		p.pushed[link] = append(p.pushed[link], row)
	case e.Kind == history.Receive, e.Kind == history.Reply && p.held[e.Call]:
		p.unasked(e, row, Arrived)
	case e.Is(history.LosePush):
		p.unasked(e, row, Dropped)
	case e.Kind == history.Reply:
		if at, ok := p.replies[e.Call]; ok && at < row {
			p.reply(e, at, row, Arrived)
		}
	case e.Is(history.LoseReply):
		p.reply(e, p.replies[e.Call], row, Dropped)
	}
}

// barred draws a command whose node lets nobody connect.
func (p *pen) barred(e *history.Event, row int) {
	if _, ok := p.sent[e.Call]; ok {
		p.arrive(e.Call, row, Barred)
		return
	}
	p.draw(e, Arrow{From: row, To: row, Fate: Barred})
}

// laneOf returns the lane of a strand of a client, or of a node; -1 for none.
func (p *pen) laneOf(name string, strand int) int {
	if strand > 0 {
		name = history.StrandName(name, strand)
	}
	return slices.IndexFunc(p.Run.Lanes, func(l lesson.Lane) bool { return l.Name == name })
}

// arrive ends the arrow of a command that is under way.
func (p *pen) arrive(call, row int, fate Fate) {
	if i, ok := p.sent[call]; ok {
		p.Arrows[i].To, p.Arrows[i].Fate = row, fate
		delete(p.sent, call)
	}
}

// unasked draws what a node sent a client unasked: the first that it has not read, for a
// connection keeps the order.
func (p *pen) unasked(e *history.Event, row int, fate Fate) {
	link := [2]string{e.Client, e.Node}
	if sent := p.pushed[link]; len(sent) > 0 {
		p.reply(e, sent[0], row, fate)
		p.pushed[link] = sent[1:]
	}
}

func (p *pen) reply(e *history.Event, from, to int, fate Fate) {
	p.draw(e, Arrow{Reply: true, From: from, To: to, Fate: fate})
}

// draw draws an arrow between an event's client and its node, if both have lanes.
func (p *pen) draw(e *history.Event, a Arrow) bool {
	a.Client, a.Start, a.Goal = slices.Index(p.clients, e.Client)+1, p.laneOf(e.Client, e.Strand), p.laneOf(e.Node, 0)
	if a.Start < 0 || a.Goal < 0 {
		return false
	}
	if a.Reply {
		a.Start, a.Goal = a.Goal, a.Start
	}
	p.Arrows = append(p.Arrows, a)
	return true
}

// close ends at the last row what is still open. A command that its sender has given up
// and that has not arrived ends where it was given up.
func (p *pen) close(last int) {
	for at := range p.open {
		p.Bars[p.open[at]].To = last
	}
	for i := range p.Arrows {
		if a := &p.Arrows[i]; a.Fate == UnderWay && a.To == a.From {
			a.To = last
		}
	}
	if p.crowd >= 0 {
		p.Crowds = append(p.Crowds, Crowd{p.crowd, last, p.inside})
	}
	for _, link := range slices.SortedFunc(maps.Keys(p.pushed), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		for _, row := range p.pushed[link] { // nobody has read it
			p.reply(&history.Event{Client: link[0], Node: link[1]}, row, last, UnderWay)
		}
	}
}
