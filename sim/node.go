package sim

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2"

	"lockstep/sim/history"
)

// A node is one Redis server: a miniredis whose commands are dispatched
// directly, under the world's clock, or a part of a real one.
type node struct {
	name string
	mini *miniredis.Miniredis
	live *liveNode      // nil if miniredis is the server
	now  history.Millis // what its clock shows
	keys []KeyView      // sorted by key; never changed, only replaced
	Health
	lag    int         // how many writes of a replica's delay are remembered
	behind []NodeState // see NodeState.Behind
	// The next command is for miniredis as it is: see ask.
	direct   bool
	scripted bool // a script is running
	// For World.Canonical, which cannot look into miniredis:
	scripts []string // that EVALSHA would find
	writes  int      // units executed that were not read-only, and expiries
}

// grace is half a millisecond, by which a miniredis's clock is behind the
// world's: it drops a key at its deadline, and Redis keeps it while now <=
// deadline. Every deadline is told it as a Unix time: see correctSet.
const grace = time.Millisecond / 2

// Epoch is the moment at which every world begins, for clients and nodes.
var Epoch = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// NodeName is what the node with that index is called.
func NodeName(i int) string { return fmt.Sprintf("r%d", i+1) }

func newNode(name string) (*node, error) {
	n := &node{name: name, mini: miniredis.NewMiniRedis()}
	// A first Dial starts the server without a socket; the world dispatches
	// commands itself and has no use for the connection.
	c, err := n.mini.Dial()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	n.setTime(0)
	n.mini.ClockTTL(true)
	n.mini.Server().SetPreHook(n.correct)
	return n, c.Close()
}

func (n *node) setTime(now history.Millis) {
	n.now = now + n.Offset
	n.mini.SetTime(Epoch.Add(n.now.Duration() - grace))
}

// apply executes one unit and returns the reply's bytes and what it changed.
func (n *node) apply(p *peer, u unit, now history.Millis) ([]byte, []history.Change) {
	if n.live != nil {
		return n.applyLive(p, u.cmds, now)
	}
	readOnly := !slices.ContainsFunc(u.cmds, func(cmd []string) bool { return !n.mini.IsReadOnlyCommand(cmd[0]) })
	var before NodeState
	if !readOnly {
		before = n.replica()
	}
	for _, cmd := range u.cmds {
		n.execute(p, cmd)
	}
	p.Flush()
	reply := bytes.Clone(p.out.Bytes())
	p.out.Reset()
	if readOnly {
		return reply, nil
	}
	n.writes++ // of values that were there already too: EXEC notices those
	changes := n.refresh(now)
	if len(changes) > 0 && n.lag > 0 {
		n.behind = slices.Insert(slices.Clone(n.behind), 0, before)
		n.behind = n.behind[:min(len(n.behind), n.lag)]
	}
	return reply, changes
}

// replica returns what a replica of the node has now, if any is kept.
func (n *node) replica() NodeState {
	if n.lag == 0 {
		return NodeState{}
	}
	s, _ := n.store(nil) // of what could not be stored, nothing else can be done either
	return NodeState{Keys: s.Keys}
}

// pass moves the node's clock and returns the keys that expired.
func (n *node) pass(now history.Millis) []history.Change {
	if n.live != nil {
		return n.passLive(now)
	}
	n.setTime(now)
	changes := n.refresh(now)
	n.behind = expireAll(n.behind, now)
	n.writes += len(changes)
	return changes
}

// nextExpiry returns the moment at which the next key will be gone.
func (n *node) nextExpiry() (at history.Millis, ok bool) {
	for _, k := range n.keys {
		if d := k.State.Deadline; d > 0 && (!ok || d+1 < at) {
			at, ok = d+1, true
		}
	}
	return at, ok
}

// refresh compares the node's keys with what they were.
func (n *node) refresh(now history.Millis) []history.Change {
	names := n.mini.Keys()
	is := make([]KeyView, len(names))
	for i, key := range names {
		is[i] = KeyView{n.name, printable(key), n.look(key, now)}
	}
	return n.become(is)
}

// become notes the node's keys as they are now, and returns what has changed.
func (n *node) become(is []KeyView) []history.Change {
	slices.SortFunc(is, func(a, b KeyView) int { return strings.Compare(a.Key, b.Key) })
	changes := compareKeys(n.keys, is)
	n.keys = is
	return changes
}

// look reads one key.
func (n *node) look(key string, now history.Millis) history.KeyState {
	k := history.KeyState{Type: n.mini.Type(key)}
	if ttl := n.mini.TTL(key); ttl > 0 {
		k.Deadline = now + history.Millis(ttl/time.Millisecond)
	}
	switch k.Type {
	case "string":
		value, _ := n.mini.Get(key) // it is there and a string
		k.Value = printable(value)
	case "hash":
		k.Value = hashText(n.fields(key))
	default:
		k.Value = "(" + k.Type + ")"
	}
	return k
}

// fields returns a hash as field, value, field, value ...
func (n *node) fields(key string) (list []string) {
	names, _ := n.mini.HKeys(key) // it is there and a hash; sorted
	for _, f := range names {
		list = append(list, f, n.mini.HGet(key, f))
	}
	return list
}

func (n *node) close() {
	if n.live != nil {
		n.live.close()
		return
	}
	n.mini.Close()
}

func (n *node) flushScripts() {
	if n.live != nil {
		n.live.flush()
		return
	}
	n.dispatch(newPeer(), []string{"SCRIPT", "FLUSH"})
}
