package model

import (
	"errors"
	"slices"
	"strings"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/server"
)

// This file takes clients for each other. They run the same code from the same
// start and differ by their names alone, so if each takes the name of the next, the
// last that of the first, what could happen before can happen after, under other
// names. That is a symmetry: a search needs to visit only one of the states that
// lead to each other by such a rotation, and the code has to be learned once. The
// learner calls every client by the first name, and a seat translates.
//
// Neither code nor servers need keep to that: a client may go by the order of names,
// and a server may sort by them. So the code runs under all names in turn, wherever
// it runs, and each execution of a server is repeated for the others. If
// anything differs, all is learned again with the clients kept apart.

// ErrTellsApart means that the lock, or a server, tells clients apart by more than
// their names. After KeepApart, none is taken for another.
var ErrTellsApart = lang.Errorf("the lock tells its clients apart")

// A circle is the clients that may be taken for each other, in order. All rotations
// are by a number of places, which may be negative.
type circle []string

// alone returns the circle of a client that is taken for no other.
func alone(name string) circle { return circle{name} }

// newCircle returns the clients of a configuration if they may be taken for each other,
// otherwise a circle of one. Code that keeps its own time is none of it: what it draws at
// random differs. A name is a word, and all are of one length, so that the
// other names fit in where one stood, in a message with its length too.
func newCircle(config history.Config, subject program.Subject) circle {
	names := config.Processes()
	_, renames := server.New(subject.Server, config).(server.Renamer)
	alike := renames && len(names) > 1 && len(subject.TTL) == 0 && !subject.KeepsTime() && config.Process != history.Shared
	for _, name := range names {
		alike = alike && len(name) == len(names[0]) && wordAt(name) == len(name)
	}
	if !alike {
		return alone("")
	}
	return names
}

// wordAt returns the length of the word at the beginning of a text.
func wordAt(text string) int {
	for i := range len(text) {
		if !isWord(text[i]) {
			return i
		}
	}
	return len(text)
}

func isWord(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '_' || b >= 0x80
}

// place returns the place of a client after a rotation. Who is not in the circle stays.
func (c circle) place(who, by int) int {
	if who < 0 || who >= len(c) {
		return who
	}
	return ((who+by)%len(c) + len(c)) % len(c)
}

// text rotates the names among the words of a text.
func (c circle) text(s string, by int) string {
	if by = c.place(0, by); by == 0 {
		return s
	}
	var b []byte
	for at := 0; at < len(s); at++ {
		n := wordAt(s[at:])
		if n == len(c[0]) {
			if who := slices.Index(c, s[at:at+n]); who >= 0 {
				if b == nil {
					b = []byte(s)
				}
				copy(b[at:], c[c.place(who, by)])
			}
		}
		at += n
	}
	if b == nil {
		return s
	}
	return string(b)
}

// rename returns the function that rotates the names in a text.
func (c circle) rename(by int) func(string) string {
	return func(s string) string { return c.text(s, by) }
}

func (c circle) texts(list []string, by int) []string {
	return mapped(list, func(s string) (string, bool) {
		to := c.text(s, by)
		return to, to != s
	})
}

// mapped returns a list with every element replaced. If do reports no change of any, it
// is the same list.
func mapped[T any](list []T, do func(T) (T, bool)) []T {
	var to []T
	for i, x := range list {
		if y, changed := do(x); changed {
			if to == nil {
				to = slices.Clone(list)
			}
			to[i] = y
		}
	}
	if to == nil {
		return list
	}
	return to
}

func (c circle) commands(list [][]string, by int) [][]string {
	return mapped(list, func(cmd []string) ([]string, bool) {
		to := c.texts(cmd, by)
		return to, len(cmd) > 0 && &to[0] != &cmd[0]
	})
}

// want returns what a strand is about to do, with the names rotated.
func (c circle) want(w sim.Want, by int) sim.Want {
	w.Name, w.Label, w.Text = c.text(w.Name, by), c.text(w.Label, by), c.text(w.Text, by)
	w.Units = slices.Clone(w.Units)
	for i := range w.Units {
		w.Units[i].Cmds, w.Units[i].Shown = c.commands(w.Units[i].Cmds, by), c.commands(w.Units[i].Shown, by)
	}
	return w
}

func (c circle) wants(list []sim.Want, by int) []sim.Want {
	if c.place(0, by) == 0 {
		return list
	}
	to := make([]sim.Want, len(list))
	for i := range list {
		to[i] = c.want(list[i], by)
	}
	return to
}

func (c circle) observation(o sim.Observation, by int) sim.Observation {
	if s := string(o.Reply); s != "" {
		if to := c.text(s, by); to != s {
			o.Reply = []byte(to)
		}
	}
	return o
}

func (c circle) events(list []history.Event, by int) []history.Event {
	if c.place(0, by) == 0 || len(list) == 0 {
		return list
	}
	list = slices.Clone(list)
	for i := range list {
		e := &list[i]
		e.Client, e.Token, e.Text = c.text(e.Client, by), c.text(e.Token, by), c.text(e.Text, by)
	}
	return list
}

// strands returns the state of a client's strands with the names rotated.
func (c circle) strands(list []sim.Strand, by int) []sim.Strand {
	if c.place(0, by) == 0 {
		return list
	}
	return mapped(list, func(t sim.Strand) (sim.Strand, bool) {
		if t.Phase != sim.Answered && t.Phase != sim.Held {
			return t, false
		}
		reply := c.text(t.Reply, by)
		changed := reply != t.Reply
		t.Reply, t.Shown = reply, c.texts(t.Shown, by)
		return t, changed
	})
}

// executed returns what a node did with the names rotated.
func (c circle) executed(x sim.Executed, by int) sim.Executed {
	x.Raw, x.Reply = []byte(c.text(string(x.Raw), by)), c.text(x.Reply, by)
	x.Changes, x.Sent = c.changes(x.Changes, by), slices.Clone(x.Sent)
	for i := range x.Sent {
		m := &x.Sent[i]
		m.Conn, m.Raw, m.Text, m.Changes = c.text(m.Conn, by), c.text(m.Raw, by), c.text(m.Text, by), c.changes(m.Changes, by)
	}
	return x
}

func (c circle) changes(list []history.Change, by int) []history.Change {
	list = slices.Clone(list)
	state := func(k *history.KeyState) *history.KeyState {
		if k == nil {
			return nil
		}
		to := *k
		to.Value = c.text(k.Value, by)
		return &to
	}
	for i := range list {
		ch := &list[i]
		ch.Key, ch.Before, ch.After = c.text(ch.Key, by), state(ch.Before), state(ch.After)
	}
	slices.SortStableFunc(list, func(a, b history.Change) int { return strings.Compare(a.Key, b.Key) })
	return list
}

// units returns requests with the names rotated.
func (c circle) units(list []sim.Unit, by int) []sim.Unit {
	w := c.want(sim.Want{Units: list}, by)
	return w.Units
}

// env returns an env of which the nodes have been rotated, with the rest rotated.
func (c circle) env(e envState, by int) envState {
	e.abandoned = slices.Clone(e.abandoned)
	for i := range e.abandoned {
		a := &e.abandoned[i]
		a.Client, a.Want = c.place(a.Client, by), c.want(a.Want, by)
	}
	slices.SortStableFunc(e.abandoned, func(a, b sim.Abandoned) int { return a.Client - b.Client })
	return e
}

// renamed is code, or what was learned of it, under the name that the first client gets by
// a rotation.
type renamed struct {
	circle
	by int
}

func (r renamed) wants(list []sim.Want) []sim.Want            { return r.circle.wants(list, r.by) }
func (r renamed) told(o sim.Observation) sim.Observation      { return r.circle.observation(o, -r.by) }
func (r renamed) events(list []history.Event) []history.Event { return r.circle.events(list, r.by) }

// A seat is a client as a sim.Program: what was learned, under the client's own name.
type seat struct {
	*learner
	renamed
	known [][]sim.Want // by node
}

// Wants is sim.Program's.
func (s *seat) Wants(at sim.Ref) []sim.Want {
	if s.by == 0 {
		return s.learner.Wants(at)
	}
	if more := len(s.nodes) - len(s.known); more > 0 {
		s.known = append(s.known, make([][]sim.Want, more)...)
	}
	if s.known[at] == nil {
		s.known[at] = s.renamed.wants(s.learner.Wants(at))
	}
	return s.known[at]
}

// Observe is sim.Program's.
func (s *seat) Observe(at sim.Ref, strand int, o sim.Observation) (sim.Ref, []history.Event, error) {
	to, events, err := s.learner.Observe(at, strand, s.told(o))
	return to, s.renamed.events(events), err
}

// A disguise is code that runs under another name than the learner calls it by.
type disguise struct {
	program.Code
	renamed
}

// Wants is sim.Program's.
func (d *disguise) Wants(at sim.Ref) []sim.Want { return d.renamed.wants(d.Code.Wants(at)) }

// Observe is sim.Program's.
func (d *disguise) Observe(at sim.Ref, strand int, o sim.Observation) (sim.Ref, []history.Event, error) {
	to, events, err := d.Code.Observe(at, strand, d.told(o))
	return to, d.renamed.events(events), err
}

// under returns code that runs under the name at a place of the circle as the learner
// calls it.
func (c circle) under(s program.Code, place int) program.Code {
	if place == 0 {
		return s
	}
	return &disguise{s, renamed{c, -place}}
}

// Circle returns how many clients are taken for each other, the first ones; 1 if none are.
func (m *Model) Circle() int { return len(m.circle) }

// Place returns the place of a client after a rotation. Whoever is taken for no other stays.
func (m *Model) Place(who, by int) int { return m.circle.place(who, by) }

// Same reports whether two clients are the same or taken for each other.
func (m *Model) Same(who, other int) bool { return m.same(who) == m.same(other) }

// NextEnv returns an env in which each client has the name of the next.
func (m *Model) NextEnv(env int32) int32 { return m.nextEnv[env] }

// NextMonitor returns a monitor that has observed each client under the name of the next.
func (m *Model) NextMonitor(monitor int32) int32 { return m.nextMonitor[monitor] }

// nextNode returns the number of a node's state with the names rotated by one place.
func (m *Model) nextNode(node sim.Ref) sim.Ref {
	if int(node) < len(m.nextNodes) && m.nextNodes[node] != unknown {
		return m.nextNodes[node]
	}
	to := m.node(m.nodes.list[node].(server.Renamer).Rename(m.circle.rename(1)))
	for len(m.nextNodes) <= int(node) {
		m.nextNodes = append(m.nextNodes, unknown)
	}
	m.nextNodes[node] = to
	return to
}

// noteNextEnv notes the env after a new one in the circle.
func (m *Model) noteNextEnv(env int32) {
	e := *m.envs.list[env]
	e.nodes = slices.Clone(e.nodes)
	for i, node := range e.nodes {
		e.nodes[i] = m.nextNode(node)
	}
	e = m.circle.env(e, 1)
	m.nextEnv[env] = m.intern(&e)
}

// noteNextMonitor notes the monitor after a new one in the circle.
func (m *Model) noteNextMonitor(monitor int32) {
	m.nextMonitor[monitor] = m.monitor(m.monitors.list[monitor].Rename(m.circle.rename(1)))
}

// likewise executes what a node was asked to do, for each of the other clients. An error
// wraps ErrTellsApart if it does something else.
func (m *Model) likewise(node sim.Ref, name, conn string, units []sim.Unit, at history.Millis, done execution) error {
	want := done
	for by := 1; by < len(m.circle); by++ {
		node, want.node = m.nextNode(node), m.nextNode(want.node)
		got, err := m.executeAt(node, name, m.circle.text(conn, by), m.circle.units(units, by), at)
		if err != nil {
			return err
		}
		same := got.node == want.node && slices.EqualFunc(got.done, done.done, func(a, b sim.Executed) bool {
			return sameExecuted(a, m.circle.executed(b, by))
		})
		if !same {
			return lang.Errorf("%w: %s answers %s otherwise to another", ErrTellsApart, name, history.CommandText(units[0].Shown))
		}
	}
	return nil
}

// sameExecuted reports whether a node did the same twice.
func sameExecuted(a, b sim.Executed) bool {
	return string(a.Raw) == string(b.Raw) && a.Reply == b.Reply && a.Held == b.Held && a.Stamp == b.Stamp &&
		slices.EqualFunc(a.Changes, b.Changes, sameChange) &&
		slices.EqualFunc(byConn(a.Sent), byConn(b.Sent), func(a, b sim.Message) bool {
			return a.Conn == b.Conn && a.Raw == b.Raw && a.Text == b.Text && slices.EqualFunc(a.Changes, b.Changes, sameChange)
		})
}

// byConn sorts messages by connection: what goes over different ones may have any order.
func byConn(list []sim.Message) []sim.Message {
	return slices.SortedStableFunc(slices.Values(list), func(a, b sim.Message) int { return strings.Compare(a.Conn, b.Conn) })
}

func sameChange(a, b history.Change) bool {
	same := func(a, b *history.KeyState) bool { return a == b || a != nil && b != nil && *a == *b }
	return a.Key == b.Key && same(a.Before, b.Before) && same(a.After, b.After)
}

// MayTellApart reports whether an error may be that the lock tells apart clients that
// are taken for each other.
func (m *Model) MayTellApart(err error) bool {
	return len(m.circle) > 1 && (errors.Is(err, ErrTellsApart) || errors.Is(err, ErrRemembers) || errors.Is(err, ErrCounts))
}
