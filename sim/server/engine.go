// Package server contains the nodes. A Value is a node as a value, of which worlds and
// explorers make a sim.Server: a NodeState is a Redis, whose commands a real miniredis
// executes, and an ensemble a ZooKeeper. A Real is a sim.Server on a real Redis server.
//
// correct.go and transaction.go correct miniredis where it differs from Redis;
// TestConformance compares the two.
package server

import (
	"bytes"
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

// An engine is a NodeState in a miniredis, whose commands are dispatched directly, under the
// world's clock.
type engine struct {
	NodeState // but for the watches, which the peers have, and the scripts
	mini      *miniredis.Miniredis
	now       history.Millis // by its own clock
	peers     map[string]*peer
	sent      []sim.Message // by the unit under way
	ready     []string      // see awaited
	current   *peer         // whose unit is under way
	// The next command goes to miniredis uncorrected; see ask.
	direct   bool
	scripted bool              // a script is running
	refused  error             // why the unit under way cannot be executed; see unsupported
	asking   int               // the current depth of ask
	scratch  [2]*sink          // one for each depth
	scripts  map[string]string // those that EVALSHA finds, with their hash
}

// grace is the difference between the world's clock and a miniredis's, which is
// behind. miniredis drops a key at its deadline; Redis keeps it while now <=
// deadline. All deadlines reach miniredis as Unix times; see correctSet.
const grace = time.Millisecond / 2

// complete returns an error if a node did not execute units as it should have:
// some wait behind one that the node holds, or MULTI was refused, or a command is
// not simulated.
func (n *engine) complete(done []sim.Executed, units []sim.Unit) error {
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
func (n *engine) executeAll(conn string, units []sim.Unit) []sim.Executed {
	p := n.peerOf(conn)
	done := make([]sim.Executed, 0, len(units))
	for _, u := range units {
		var x sim.Executed
		waiting := len(n.Blocked)
		n.current = p
		x.Raw, x.Changes = n.apply(p, u.Cmds)
		if x.Held = len(n.Blocked) > waiting; !x.Held {
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
func (n *engine) peerOf(conn string) *peer {
	p := n.peers[conn]
	if p == nil {
		p = newPeer(conn)
		n.peers[conn] = p
	}
	return p
}

// apply executes one unit and returns the reply's bytes and the changes.
func (n *engine) apply(p *peer, cmds [][]string) ([]byte, []history.Change) {
	readOnly := !slices.ContainsFunc(cmds, func(cmd []string) bool { return !n.mini.IsReadOnlyCommand(cmd[0]) })
	var before NodeState
	if !readOnly {
		before = n.replica()
	}
	waiting := len(n.Blocked)
	for _, cmd := range cmds {
		if n.execute(p, cmd); len(n.Blocked) > waiting {
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
func (n *engine) wrote(before NodeState) []history.Change {
	changes := n.refresh()
	if len(changes) > 0 && n.Lag > 0 {
		n.Behind = slices.Insert(slices.Clone(n.Behind), 0, before)
		n.Behind = n.Behind[:min(len(n.Behind), n.Lag)]
	}
	return changes
}

// replica returns the present state of a replica; empty if none is needed.
func (n *engine) replica() NodeState {
	if n.Lag == 0 {
		return NodeState{}
	}
	keys := slices.Clone(n.Keys)
	for i := range keys {
		keys[i].Rest = 0 // a replica has a correct clock
	}
	return NodeState{Keys: keys}
}

// refresh reads the node's keys and returns the changes.
func (n *engine) refresh() []history.Change {
	was, db := n.views(), n.mini.DB(0)
	n.Keys = nil
	for _, key := range db.Keys() {
		n.Keys = append(n.Keys, n.look(db, key))
	}
	return compareKeys(was, n.views())
}

// look reads one key. A hash whose fields all end at one moment ends then; see correct_field.go.
func (n *engine) look(db *miniredis.RedisDB, key string) StoredKey {
	k := StoredKey{Key: key, State: history.KeyState{Type: db.Type(key)}}
	ttl := db.TTL(key)
	if k.State.Type == "string" {
		k.Raw, _ = db.Get(key) // it is there and a string
		k.State.Value = resp.Printable(k.Raw)
	} else {
		k.Parts = parts(db, key)
		k.State.Value = partsText(k.State.Type, k.Parts)
	}
	if k.State.Type == "hash" {
		end := db.HTTL(key, k.Parts[0])
		k.ByField = end > 0
		for i := 0; i < len(k.Parts); i += 2 {
			if db.HTTL(key, k.Parts[i]) != end || k.ByField && ttl > 0 {
				n.refuse(lang.New("HSETEX, HGETEX and HPEXPIRE are simulated where all fields of a hash end at one moment, and its key has no TTL: keep anything else in another key"))
			}
		}
		ttl = max(ttl, end)
	}
	if ttl > 0 {
		k.State.Deadline, k.Rest = worldDeadline(n.Clock, n.now+history.Millis(ttl/time.Millisecond))
	}
	return k
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
