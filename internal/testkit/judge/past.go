package judge

import (
	"slices"

	"lockstep/sim/history"
)

// A past answers questions about a history as of an event.
type past struct {
	history.History
	owners map[place]string // answers, so that none is looked for twice
}

type place struct {
	node string
	at   int
}

// last returns the last event of a client up to i for which such holds; -1 for none.
func (p past) last(c string, i int, such func(history.Event) bool) int {
	for ; i >= 0; i-- {
		if e := p.Events[i]; e.Client == c && such(e) {
			return i
		}
	}
	return -1
}

func (p past) alive(c string, i int) bool {
	return slices.Contains(p.Config.Clients, c) && p.last(c, i, func(e history.Event) bool {
		return e.Kind == history.Panic || e.Kind == history.Fault && e.Op == string(history.Crash)
	}) < 0
}

func (p past) cancelled(c string, i int) bool {
	return p.last(c, i, func(e history.Event) bool { return e.Is(history.Cancel) }) >= 0
}

func (p past) inside(c string, i int) bool {
	at := p.last(c, i, func(e history.Event) bool {
		return e.Op == history.Enter || e.Op == history.Leave || e.Op == history.Abandon
	})
	return at >= 0 && p.Events[at].Op == history.Enter && p.alive(c, i)
}

// depth returns how many acquisitions a living client has not begun to release.
func (p past) depth(c string, i int) (n int) {
	for _, e := range p.Events[:i+1] {
		switch {
		case e.Client == c && e.Outcome == history.Acquired:
			n++
		case e.Client == c && e.Op == history.OpRelease && e.Kind == history.Invoke:
			n--
		}
	}
	if !p.alive(c, i) {
		return 0
	}
	return n
}

func (p past) acquiring(c string, i int) bool {
	at := p.last(c, i, func(e history.Event) bool { return e.Op == history.OpAcquire })
	return at >= 0 && p.Events[at].Kind == history.Invoke && p.alive(c, i)
}

// lease returns when the client was granted its current or last lease.
func (p past) lease(c string, i int) int {
	return p.last(c, i, func(e history.Event) bool { return e.Outcome == history.Acquired && p.depth(c, e.Seq-1) == 0 })
}

func accesses(e history.Event) bool { return e.Op == history.ReadOp || e.Op == history.WriteOp }

// change returns what an event did to the lock's key.
func (p past) change(i int) (history.Change, bool) {
	for _, ch := range p.Events[i].Changes {
		if history.InQueue(p.Config.Key(), ch) && ch.After == nil && p.first(p.Events[i].Node, i-1) == ch.Key {
			return ch, true
		}
		if ch.Key != p.Config.Key() || history.InQueue(p.Config.Key(), ch) {
			continue
		}
		for _, k := range []*history.KeyState{ch.Before, ch.After} {
			if k != nil && k.Type == history.Znode { // below it are those who want the lock
				return ch, false
			}
			if k != nil && k.Type == "list" { // free as long as it has an element
				ch.Before, ch.After = taken(ch.Before), taken(ch.After)
				return ch, ch.Before != ch.After
			}
		}
		return ch, true
	}
	return history.Change{}, false
}

// first returns the ephemeral znode with the lowest number that a lock has then;
// "" if it has none.
func (p past) first(node string, i int) (lowest string) {
	for j := range i + 1 {
		for _, ch := range p.Events[j].Changes {
			there := history.InQueue(p.Config.Key(), ch) && ch.Before == nil && p.Events[j].Node == node
			if there && p.creator(node, ch.Key, i) != "" && (lowest == "" || history.PlaceOf(ch.Key) < history.PlaceOf(lowest)) {
				lowest = ch.Key
			}
		}
	}
	return lowest
}

// creator returns the client that created a znode that is still there; "" if it
// is not.
func (p past) creator(node, path string, i int) (who string) {
	for _, e := range p.Events[:i+1] {
		for _, ch := range e.Changes {
			if e.Node == node && ch.Key == path {
				if who = e.Client; ch.After == nil {
					who = ""
				}
			}
		}
	}
	return who
}

// taken is a lock that is held while a list has no element.
func taken(list *history.KeyState) *history.KeyState {
	if list == nil {
		return &history.KeyState{}
	}
	return nil
}

// held reports whether a client knows, or is about to learn, that it holds the lock.
func (p past) held(c string, i int) bool {
	return p.alive(c, i) && (p.depth(c, i) > 0 || p.acquiring(c, i) && p.owns(c, i))
}

func (p past) owns(c string, i int) bool {
	n := 0
	for node := range p.Nodes {
		if p.owner("r"+string(rune('1'+node)), i) == c {
			n++
		}
	}
	return 2*n > p.Nodes
}

// owner returns the owner of the key on a node: the client that created it, or changed
// its value outside of an acquisition or in a granted one.
func (p past) owner(node string, i int) string {
	if i < 0 {
		return ""
	}
	who, known := p.owners[place{node, i}]
	if !known {
		who = p.findOwner(node, i)
		p.owners[place{node, i}] = who
	}
	return who
}

func (p past) findOwner(node string, i int) string {
	e := p.Events[i]
	if first := p.first(node, i); first != "" {
		return p.creator(node, first, i)
	}
	if e.Outcome == history.Acquired && slices.Contains(p.changedSince(e.Client, i), node) {
		return e.Client
	}
	ch, ok := p.change(i)
	switch {
	case !ok || e.Node != node:
	case ch.After == nil:
		return ""
	case e.Kind == history.Fault && e.Op == string(history.Promote):
		return p.owner(node, p.replica(i))
	case ch.Before == nil:
		return e.Client
	case ch.Before.Value != ch.After.Value && e.Client != "" && !p.acquiring(e.Client, i):
		return e.Client
	}
	return p.owner(node, i-1)
}

// changedSince lists the nodes on which the attempt that ends at i changed another
// client's key. For a granted attempt, only nodes whose key still has the value that it
// wrote.
func (p past) changedSince(c string, i int) (nodes []string) {
	for j := i - 1; j >= 0; j-- {
		e := p.Events[j]
		if e.Client == c && e.Op == history.OpAcquire && e.Kind == history.Invoke {
			break
		}
		ch, ok := p.change(j)
		if !ok || e.Client != c || ch.Before == nil || ch.After == nil || p.owner(e.Node, j-1) == c {
			continue
		}
		if p.Events[i].Outcome == history.Refused || ch.Before.Value != ch.After.Value && !p.removed(e.Node, j, i) {
			nodes = append(nodes, e.Node)
		}
	}
	return nodes
}

func (p past) removed(node string, from, to int) bool {
	for k := from; k <= to; k++ {
		if ch, ok := p.change(k); ok && p.Events[k].Node == node && ch.After == nil {
			return true
		}
	}
	return false
}

// replica returns the last event that the promoted replica has received.
func (p past) replica(i int) int {
	missed := p.Events[i].By
	for j := i - 1; j >= 0; j-- {
		if e := p.Events[j]; e.Node == p.Events[i].Node && e.Kind == history.Apply && len(e.Changes) > 0 {
			if missed--; missed == 0 {
				return j - 1
			}
		}
	}
	return -1
}
