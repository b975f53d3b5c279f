package lesson

import (
	"maps"
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

func (f *fold) clone() *fold {
	c := *f
	c.monitor, c.keys, c.hung, c.asks = f.monitor.Clone(), slices.Clone(f.keys), maps.Clone(f.hung), maps.Clone(f.asks)
	return &c
}

// show advances to the end of a row and marks only the keys that the row changes
// as changed.
func (f *fold) show(row Row) {
	f.advance(row.From)
	f.settle()
	f.advance(row.To)
}

// keptEvery is the number of rows from one fold that a run keeps to the next. At
// folds at most so many rows, however long the history is.
const keptEvery = 64

// At returns the display after a row.
func (r *Run) At(row int) Snapshot {
	f := r.kept[row/keptEvery].clone()
	for i := row - row%keptEvery; i <= row; i++ {
		f.show(r.Rows[i])
	}
	return f.snapshot(r.Nodes)
}

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
	case e.Kind == history.Fault && e.Op == string(history.Hang):
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

func (f *fold) snapshot(nodes []string) Snapshot {
	s := Snapshot{
		Now: f.now, Locks: f.history.Nodes > 0, Nodes: f.history.Nodes, Keys: slices.Clone(f.keys), Effect: f.monitor.Effect(),
	}
	for i := range s.Keys {
		if k := &s.Keys[i]; k.Name == f.history.Config.Key() {
			k.Owner = slices.Index(f.history.Config.Clients, f.monitor.Owner(k.Node)) + 1
		}
	}
	for _, name := range f.history.Config.Clients {
		c := Client{
			Name: name, Hold: holdOf(f.history, f.monitor, name), Hung: f.hung[name], Asks: f.asks[name], Owns: f.monitor.Owns(name),
		}
		if c.Hold == NotHeld && f.monitor.Inside(name) {
			c.Hold = Unprotected
		}
		for _, node := range nodes {
			if f.monitor.Owner(node) == name {
				c.On++
			}
		}
		s.Clients = append(s.Clients, c)
	}
	return s
}
