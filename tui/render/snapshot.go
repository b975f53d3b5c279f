package render

import (
	"slices"
	"strings"

	"lockstep/sim/history"
)

// A Snapshot is what there is to see of a world at one moment of a history.
type Snapshot struct {
	Now     history.Millis
	Locks   bool // the strategy keeps a lock in Redis
	Nodes   int
	Keys    []Key // by node, then by name
	Clients []Client
}

// A Key is one key of one node.
type Key struct {
	Node, Name string
	State      *history.KeyState // nil if it has just gone
	Was        *history.KeyState // before the latest change
	Since      history.Millis    // when it got its deadline
	Changed    bool              // by the latest row
}

// A Client is what one client believes, and whether Redis agrees.
type Client struct {
	Name   string
	Alive  bool
	Hung   bool
	Asks   Asks
	Holds  bool // it believes that it holds the lock
	Inside bool // it is in the critical section
	Owns   bool // it owns the key on enough nodes
	On     int  // on how many it does
}

// Asks is what became of a client's asking for the lock or giving it back.
type Asks byte

// What a client may know without holding the lock.
const (
	Nothing Asks = iota
	Trying
	Refused
	Unknown // no answer came
)

// At folds the first events of a history, up to but not including to; the
// changes from the event from on are marked as new. A checkpoint, should one
// be needed for long histories, would be a fold kept for later.
func At(h history.History, from, to int) Snapshot {
	f := fold{history: h, monitor: history.NewMonitor(h.Config, h.Nodes), hung: map[string]bool{}, asks: map[string]Asks{}}
	f.advance(from)
	f.settle()
	f.advance(to)
	return f.snapshot()
}

type fold struct {
	history history.History
	monitor *history.Monitor
	keys    []Key
	hung    map[string]bool
	asks    map[string]Asks
	now     history.Millis
	at      int
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

// client notes what the monitor has no need to tell.
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
		return strings.Compare(a.Name, b.Name)
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

// settle makes what has changed so far old, and forgets the keys that went.
func (f *fold) settle() {
	f.keys = slices.DeleteFunc(f.keys, func(k Key) bool { return k.State == nil })
	for i := range f.keys {
		f.keys[i].Changed = false
	}
}

func (f *fold) snapshot() Snapshot {
	s := Snapshot{Now: f.now, Locks: f.history.Nodes > 0, Nodes: f.history.Nodes, Keys: slices.Clone(f.keys)}
	names := nodes(f.history)
	for _, name := range f.history.Config.Clients {
		c := Client{
			Name: name, Alive: f.monitor.Alive(name), Hung: f.hung[name], Asks: f.asks[name], Holds: f.monitor.Holds(name),
			Inside: f.monitor.Inside(name), Owns: f.monitor.Owns(name),
		}
		for _, node := range names {
			if f.monitor.Owner(node) == name {
				c.On++
			}
		}
		s.Clients = append(s.Clients, c)
	}
	return s
}
