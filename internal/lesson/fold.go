package lesson

import (
	"slices"
	"strings"

	"lockstep/sim/history"
)

// A fold is the state of a display after a history's first events.
type fold struct {
	history history.History
	monitor *history.Monitor
	keys    []Key
	hung    map[string]bool
	asks    map[string]Asks
	now     history.Millis
	at      int
}

func newFold(h history.History) *fold {
	return &fold{history: h, monitor: history.NewMonitor(h.Config, h.Nodes), hung: map[string]bool{}, asks: map[string]Asks{}}
}

// show advances to the end of a row and marks only the keys that the row changes
// as changed.
func (f *fold) show(row Row) {
	f.advance(row.From)
	f.settle()
	f.advance(row.To)
}

// At returns the display after a row.
func (r *Run) At(row int) Snapshot { return *r.Rows[row].Now }

func (f *fold) advance(to int) {
	for ; f.at < to; f.at++ {
		e := f.history.Events[f.at]
		f.monitor.Observe(e)
		f.now = e.At
		f.client(e)
		for _, c := range e.Changes {
			f.change(e, c)
		}
	}
}

// client records what the monitor does not keep about clients.
func (f *fold) client(e history.Event) {
	switch {
	case e.Is(history.Hang):
		f.hung[e.Client] = true
	case e.Kind == history.Invoke && e.Op == history.OpAcquire:
		f.asks[e.Client] = Trying
	case e.Kind == history.Unknown:
		f.asks[e.Client] = Unknown
	case e.Kind == history.Return && e.Outcome == history.Refused:
		f.asks[e.Client] = Refused
	case e.Kind == history.Return || e.Kind == history.Fail || e.Kind == history.Invoke:
		delete(f.asks, e.Client)
	}
}

func (f *fold) change(e history.Event, c history.Change) {
	i, known := slices.BinarySearchFunc(f.keys, Key{Node: e.Node, Name: c.Key}, func(a, b Key) int {
		if a.Node != b.Node {
			return strings.Compare(a.Node, b.Node)
		}
		return history.CompareKeys(a.Name, b.Name)
	})
	if !known {
		f.keys = slices.Insert(f.keys, i, Key{Node: e.Node, Name: c.Key})
	}
	k := &f.keys[i]
	if c.After != nil && (c.Before == nil || c.Before.Deadline != c.After.Deadline) {
		k.Since = e.At
	}
	k.State, k.Was, k.Changed = c.After, c.Before, true
}

// settle unmarks all changes and forgets deleted keys.
func (f *fold) settle() {
	f.keys = slices.DeleteFunc(f.keys, func(k Key) bool { return k.State == nil })
	for i := range f.keys {
		f.keys[i].Changed = false
	}
}

func (f *fold) snapshot(nodes []string) *Snapshot {
	m, names := f.monitor, f.history.Config.Clients
	s := &Snapshot{
		Now: f.now, Locks: f.history.Nodes > 0, Nodes: f.history.Nodes, Keys: slices.Clone(f.keys), Owner: -1, Effect: m.Effect(),
	}
	for i := range s.Keys {
		if k := &s.Keys[i]; k.Name == f.history.Config.Key() {
			k.Owner = slices.Index(names, m.Owner(k.Node)) + 1
		}
	}
	for _, node := range nodes {
		s.Owners = append(s.Owners, int8(slices.Index(names, m.Owner(node))))
	}
	for i, name := range names {
		c := Client{Name: name, Hung: f.hung[name], Asks: f.asks[name], Owns: m.Owns(name)}
		switch {
		case !m.Alive(name):
			c.Hold = Dead
		case m.Holds(name) && s.Locks && !c.Owns:
			c.Hold = Wrongly
		case m.Holds(name) && m.Inside(name):
			c.Hold = AtWork
		case m.Holds(name):
			c.Hold = Held
		case m.Inside(name):
			c.Hold = Unprotected
		}
		for _, owner := range s.Owners {
			if int(owner) == i {
				c.On++
			}
		}
		if m.Holds(name) {
			s.Believe++
		}
		if c.Owns {
			s.Owner = int8(i)
		}
		s.Clients = append(s.Clients, c)
	}
	return s
}
