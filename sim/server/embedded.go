// Package server contains the nodes. An Embedded is a sim.Server on a real
// miniredis, a Real is one on a part of a real Redis server, and a NodeState is
// an embedded node as a value, for explorers.
//
// correct.go and transaction.go correct miniredis where it differs from Redis;
// TestConformance compares the two.
package server

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/resp"
)

// An Embedded is a miniredis whose commands are dispatched directly, under the
// world's clock.
type Embedded struct {
	name    string
	mini    *miniredis.Miniredis
	now     history.Millis // by its own clock
	keys    keyList
	health  sim.Health
	lag     int         // the maximum length of behind
	behind  []NodeState // see NodeState.Behind
	peers   map[string]*peer
	gone    map[string]bool // connections that ended with the process, unnoticed by their clients
	blocked []Blocked
	sent    []sim.Message // by the unit under way
	ready   []string      // see awaited
	current *peer         // whose unit is under way
	// The next command goes to miniredis uncorrected; see ask.
	direct   bool
	scripted bool              // a script is running
	refused  error             // why the unit under way cannot be executed; see unsupported
	asking   int               // the current depth of ask
	scratch  [2]*sink          // one for each depth
	scripts  map[string]string // those that EVALSHA finds, with their hash
	writes   int               // the number of expiries and of units that are not read-only
}

// grace is the difference between the world's clock and a miniredis's, which is
// behind. miniredis drops a key at its deadline; Redis keeps it while now <=
// deadline. All deadlines reach miniredis as Unix times; see correctSet.
const grace = time.Millisecond / 2

// NewEmbedded starts a node in its first state. Its replica may miss up to lag
// writes.
func NewEmbedded(name string, lag int) (*Embedded, error) {
	mini, err := newMini()
	if err != nil {
		return nil, lang.Errorf("start %s: %w", name, err)
	}
	n := &Embedded{name: name, lag: lag, mini: mini, peers: map[string]*peer{}, gone: map[string]bool{}, scripts: map[string]string{}}
	n.setTime(0)
	n.mini.ClockTTL(true)
	n.mini.Server().SetPreHook(n.correct)
	return n, nil
}

func (n *Embedded) setTime(now history.Millis) {
	n.now = n.health.Clock.Millis(now)
	n.mini.SetTime(sim.Epoch().Add(n.now.Duration() - grace))
}

// Execute is Server's.
func (n *Embedded) Execute(_ sim.Ref, conn string, units []sim.Unit, _ history.Millis) (sim.Ref, []sim.Executed, error) {
	done := n.executeAll(conn, units)
	return 0, done, n.complete(done, units)
}

// complete returns an error if a node did not execute units as it should have:
// some wait behind one that the node holds, or MULTI was refused, or a command is
// not simulated.
func (n *Embedded) complete(done []sim.Executed, units []sim.Unit) error {
	if n.refused != nil {
		return n.refused
	}
	last := done[len(done)-1]
	if len(done) < len(units) || last.Held && len(last.Raw) > 0 {
		return lang.Errorf("server: what follows %s in one pipeline would wait until that has a reply, and is not simulated", units[len(done)-1].Cmds[0][0])
	}
	for i, u := range units {
		if len(done[i].Raw) > maxReply {
			return &sim.UnsupportedError{Why: lang.New("a reply to %s of %d bytes is not simulated, only up to %d", u.Cmds[0][0], len(done[i].Raw), maxReply)}
		}
		if len(u.Cmds) > 1 && bytes.HasPrefix(done[i].Raw, []byte("-ERR Can't execute")) {
			return lang.Errorf("server: what follows a MULTI that is refused is not simulated")
		}
	}
	return nil
}

// maxReply bounds a reply, in bytes: each is kept with all that its client has seen.
const maxReply = 1 << 20

// executeAll executes units over a connection, which it creates if necessary.
func (n *Embedded) executeAll(conn string, units []sim.Unit) []sim.Executed {
	p := n.peerOf(conn)
	done := make([]sim.Executed, 0, len(units))
	for _, u := range units {
		var x sim.Executed
		waiting := len(n.blocked)
		n.current = p
		x.Raw, x.Changes = n.apply(p, u.Cmds)
		if x.Held = len(n.blocked) > waiting; !x.Held {
			x.Reply = unitReply(x.Raw, len(u.Cmds))
		}
		x.Sent = n.serve()
		if done = append(done, x); x.Held {
			break // what follows waits too
		}
	}
	return done
}

// peerOf returns the node's end of a connection, which it creates if necessary.
func (n *Embedded) peerOf(conn string) *peer {
	p := n.peers[conn]
	if p == nil {
		p = newPeer(conn)
		n.peers[conn] = p
	}
	return p
}

// apply executes one unit and returns the reply's bytes and the changes.
func (n *Embedded) apply(p *peer, cmds [][]string) ([]byte, []history.Change) {
	readOnly := !slices.ContainsFunc(cmds, func(cmd []string) bool { return !n.mini.IsReadOnlyCommand(cmd[0]) })
	var before NodeState
	if !readOnly {
		before = n.replica()
	}
	waiting := len(n.blocked)
	for _, cmd := range cmds {
		if n.execute(p, cmd); len(n.blocked) > waiting {
			break // what follows waits too
		}
	}
	reply := bytes.Clone(p.out.take())
	if readOnly {
		return reply, nil
	}
	return reply, n.wrote(before)
}

// wrote returns the changes of something that may have written; before is the
// replica's state before it.
func (n *Embedded) wrote(before NodeState) []history.Change {
	n.writes++ // also for an unchanged value, because EXEC notices it
	changes := n.refresh()
	if len(changes) > 0 && n.lag > 0 {
		n.behind = slices.Insert(slices.Clone(n.behind), 0, before)
		n.behind = n.behind[:min(len(n.behind), n.lag)]
	}
	return changes
}

// replica returns the present state of a replica; empty if none is needed.
func (n *Embedded) replica() NodeState {
	if n.lag == 0 {
		return NodeState{}
	}
	s, _ := n.store() // fails only for a state that no fault can use either
	for i := range s.Keys {
		s.Keys[i].Rest = 0 // a replica has a correct clock
	}
	return NodeState{Keys: s.Keys}
}

// Pass is Server's.
func (n *Embedded) Pass(_ sim.Ref, now history.Millis) (sim.Ref, sim.Happened, error) {
	n.setTime(now)
	changes := n.refresh()
	n.behind = expireAll(n.behind, now)
	n.writes += len(changes)
	return 0, sim.Happened{Changes: changes, Sent: n.giveUp(now)}, nil
}

// NextExpiry is Server's.
func (n *Embedded) NextExpiry(sim.Ref) (history.Millis, bool) {
	at, ok := NodeState{Blocked: n.blocked}.NextExpiry()
	if key, expires := n.keys.nextExpiry(); expires && (!ok || key < at) {
		return key, true
	}
	return at, ok
}

// Health is Server's.
func (n *Embedded) Health(sim.Ref) sim.Health { return n.health }

// refresh reads the node's keys and returns the changes.
func (n *Embedded) refresh() []history.Change {
	db := n.mini.DB(0)
	names := db.Keys()
	is := make([]KeyView, len(names))
	for i, key := range names {
		is[i] = KeyView{Node: n.name, Key: resp.Printable(key)}
		is[i].State, is[i].Rest = n.look(db, key)
	}
	return n.keys.become(is)
}

// look reads one key.
func (n *Embedded) look(db *miniredis.RedisDB, key string) (k history.KeyState, rest history.Millis) {
	k.Type = db.Type(key)
	if ttl := db.TTL(key); ttl > 0 {
		k.Deadline, rest = worldDeadline(n.health.Clock, n.now+history.Millis(ttl/time.Millisecond))
	}
	switch k.Type {
	case "string":
		value, _ := db.Get(key) // it is there and a string
		k.Value = resp.Printable(value)
	default:
		k.Value = partsText(k.Type, parts(db, key))
	}
	return k, rest
}

// parts returns the parts of a key: of a hash field, value, field, value ...,
// sorted by field; of a list its elements; of a set its members, sorted; of a
// sorted set member, score, member, score ..., in its order.
func parts(db *miniredis.RedisDB, key string) (list []string) {
	switch db.Type(key) {
	case "hash":
		names, _ := db.HKeys(key) // the key is a hash; the fields are sorted
		for _, f := range names {
			list = append(list, f, db.HGet(key, f))
		}
	case "list":
		list, _ = db.List(key)
	case "set":
		list, _ = db.Members(key)
	case "zset":
		members, _ := db.ZMembers(key)
		for _, m := range members {
			score, _ := db.ZScore(key, m)
			list = append(list, m, scoreText(score))
		}
	}
	return slices.Clone(list)
}

// scoreText returns a score as a person reads it, and exactly.
func scoreText(score float64) string {
	if math.IsInf(score, 0) || math.Abs(score) >= 1e17 {
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(score, 'g', -1, 64)), "+")
	}
	return strconv.FormatFloat(score, 'f', -1, 64)
}

// Has is Server's.
func (n *Embedded) Has(_ sim.Ref, key string) bool { return n.keys.has(key) }

// Behind is Server's.
func (n *Embedded) Behind(sim.Ref) int { return len(n.behind) }

// Broken is Server's.
func (n *Embedded) Broken(_ sim.Ref, conn string) bool { return n.gone[conn] }

// Forget is Server's.
func (n *Embedded) Forget(_ sim.Ref, gone func(conn string) bool) sim.Ref {
	maps.DeleteFunc(n.peers, func(conn string, _ *peer) bool { return gone(conn) })
	maps.DeleteFunc(n.gone, func(conn string, _ bool) bool { return gone(conn) })
	n.blocked = slices.DeleteFunc(slices.Clone(n.blocked), func(b Blocked) bool { return gone(b.Conn) })
	return 0
}

// Attend is Server's. Nothing in Redis depends on who is alive.
func (n *Embedded) Attend(at sim.Ref, _ string, _ sim.Attendance) sim.Ref { return at }

// Keys returns every key, sorted.
func (n *Embedded) Keys() []KeyView { return n.keys }

// Close ends the node.
func (n *Embedded) Close() error {
	n.end()
	return nil
}
