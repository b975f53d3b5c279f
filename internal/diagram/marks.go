package diagram

import (
	"slices"
	"strings"

	"lockstep/internal/lesson"
	"lockstep/sim/history"
)

// This file has the marks that stand at one row of one lane.

// Effect says what a command did to the keys of its node.
type Effect byte

// The effects of a command.
const (
	Changes Effect = iota // it changed a key
	Looks                 // it only reads
	Nothing               // it would have changed a key, and did not: refused, or nothing there
)

// A Touch is what a client does to what the lock guards.
type Touch struct {
	Lane, Client, Row int
	Access            Access
	Fence             int64 // the fencing token of a write; 0 for none
}

// Access says what a touch does.
type Access byte

// The accesses.
const (
	Reads    Access = iota
	Writes          // the resource accepts it, and rightly
	Damages         // it accepts a stale write, or one that undoes another
	Declined        // it refuses the write
)

// A Sign is what goes wrong on a lane.
type Sign struct {
	Lane, Row int
	Trouble   Trouble
	Word      string // the id of a word for it; "" where its shape says enough
}

// A Stuck is where it is known that nobody gets the lock any more, or that a client waits
// in vain or for itself.
type Stuck struct {
	Lane, Row int
	Harm      history.Harm
}

// Trouble says what goes wrong.
type Trouble byte

// The troubles.
const (
	Other    Trouble = iota
	Dies             // a client crashes or hangs, a node goes down
	GivesUp          // a client has waited too long for a reply
	Forgets          // a node loses a key
	Strays           // a message is lost; its arrow, if there is one, says so
	Restored         // an end of what went wrong before
)

// A Count is on how many nodes a client owns the key: when its attempt ends, and when it
// loses the majority.
type Count struct {
	Lane, Client, Row int
	On, Of            int
	Loses             bool // it believes that it holds the lock, and has lost the majority
}

// Majority reports whether these are enough nodes.
func (c Count) Majority() bool { return c.On > c.Of/2 }

// Change is a row at which a lease gets another deadline or value, and lasts.
type Change struct {
	Row     int
	By      int  // the client that did it, from 1
	Wrong   bool // it breaks another client's lease ...
	Known   int  // ... as is known from this row on
	Renews  bool // it gives the key another deadline
	Endless bool // after it the key has no TTL
}

// reads are the commands that change no key, whatever they find, and the requests that change no
// node of ZooKeeper's.
var reads = strings.Fields("CONNECT GETDATA GETACL GETCHILDREN GETCHILDREN2 SYNC AUTH SETWATCHES " +
	"GET MGET EXISTS TTL PTTL TYPE STRLEN HGET HGETALL HMGET HEXISTS TIME PING ECHO INFO WAIT WATCH UNWATCH SUBSCRIBE UNSUBSCRIBE SCRIPT PUBLISH")

// effectOf says what an executed command did.
func effectOf(e *history.Event) Effect {
	if len(e.Changes) > 0 {
		return Changes
	}
	for _, cmd := range e.Cmds {
		switch name := strings.ToUpper(cmd[0]); {
		case name == "MULTI" || name == "EXEC" || slices.Contains(reads, name):
		default:
			return Nothing
		}
	}
	return Looks
}

// troubleOf says what an event is a sign of; ok is false for nothing.
func troubleOf(e *history.Event) (t Trouble, ok bool) {
	switch e.Kind {
	case history.Panic:
		return Dies, true
	case history.TimeOut:
		return GivesUp, true
	case history.Fault:
	default:
		return 0, false
	}
	switch history.Verb(e.Op) {
	case history.Crash, history.Hang, history.Down:
		return Dies, true
	case history.Wipe, history.Evict, history.Promote:
		return Forgets, true
	case history.LoseRequest, history.LoseReply, history.LosePush:
		return Strays, true
	case history.Late: // its arrow comes to its end
		return 0, false
	case history.Up, history.Fast, history.Heal:
		return Restored, true
	}
	return Other, true
}

// words are the ids of words for what goes wrong, where a shape does not tell a fault from
// others. No other event has the name of a fault.
var words = map[history.Verb]string{
	history.Wipe: "restart", history.Restart: "restart", history.Promote: "failover", history.Evict: "evicted", history.Jump: "clock", history.Rate: "clock",
	history.Hang: "hangs", history.Pause: "pause", history.Cancel: "cancelled", history.Slow: "slow", history.Cut: "cut",
}

// stuck marks where a violation means that somebody is stuck: on the lane of the client that
// waits, and on a node's if nobody gets the lock.
func (p *pen) stuck() {
	for row := range p.Run.Rows {
		on := map[int]bool{}
		for _, i := range p.Run.Rows[row].Found {
			v := p.Run.Found[i]
			harm := history.HarmOf(v.Invariant)
			if harm != history.Stuck && harm != history.ShutOut {
				continue
			}
			lane := p.laneOf(v.Client, 0)
			if v.Invariant == history.LockRecovers || lane < 0 {
				lane = slices.IndexFunc(p.Run.Lanes, func(l lesson.Lane) bool { return l.Client == 0 })
			}
			if lane >= 0 && !on[lane] {
				on[lane] = true
				p.Stucks = append(p.Stucks, Stuck{lane, row, harm})
			}
		}
	}
}

// marks adds the marks of an event. found is what it violates.
func (p *pen) marks(e *history.Event, row int, found []history.Violation) {
	client := slices.Index(p.clients, e.Client)
	if e.Kind == history.Resource && client >= 0 {
		p.touch(e, client, row, found)
	}
	if t, ok := troubleOf(e); ok {
		lane := p.laneOf(e.Node, 0)
		if e.Client != "" {
			lane = p.laneOf(e.Client, e.Strand)
		}
		if lane >= 0 {
			p.Signs = append(p.Signs, Sign{Lane: lane, Row: row, Trouble: t, Word: words[history.Verb(e.Op)]})
		}
	}
	if client < 0 {
		return
	}
	switch {
	case e.Op == history.OpAcquire && e.Kind == history.Return && e.Outcome == history.Acquired:
		p.depth[client]++
		if p.depth[client] > 1 {
			p.begin(Bar{Kind: Again, Lane: p.main[client], Client: client + 1, From: row, Depth: p.depth[client]})
		}
	case e.Op == history.OpRelease && e.Kind == history.Invoke && p.depth[client] > 0:
		p.shallower(client, row, p.depth[client]-1)
	case !p.monitor.Alive(e.Client):
		p.shallower(client, row, 0)
	}
}

// shallower ends the entries of a client beyond a depth.
func (p *pen) shallower(client, row, depth int) {
	for ; p.depth[client] > depth; p.depth[client]-- {
		if at := (place{Again, p.main[client], p.depth[client]}); p.depth[client] > 1 {
			p.end(at, row, Done, 0)
		}
	}
}

// touch marks what a client does to the resource.
func (p *pen) touch(e *history.Event, client, row int, found []history.Violation) {
	access := Reads
	switch e.Op {
	case history.WriteOp:
		if access = Writes; slices.ContainsFunc(found, func(v history.Violation) bool { return history.HarmOf(v.Invariant) == history.Damage }) {
			access = Damages
		}
	case history.Refuse:
		access = Declined
	case history.ReadOp:
	default:
		return
	}
	lane := p.laneOf(e.Client, e.Strand)
	touch := Touch{Lane: lane, Client: client + 1, Row: row, Access: access}
	if access != Reads {
		touch.Fence = e.Fence
	}
	p.Touches = append(p.Touches, touch)
}

// count counts the nodes of a client whose attempt ends, and of one that loses the
// majority.
func (p *pen) count(e *history.Event, row int) {
	of := p.Run.History.Nodes
	if of < 2 {
		return
	}
	for i, name := range p.clients {
		on := 0
		for _, l := range p.Run.Lanes {
			if l.Client == 0 && p.monitor.Owner(l.Name) == name {
				on++
			}
		}
		now := Count{Lane: p.main[i], Client: i + 1, Row: row, On: on, Of: of}
		ends := e.Client == name && e.Op == history.OpAcquire && e.Kind == history.Return
		loses := p.major[i] && !now.Majority() && p.monitor.Holds(name)
		if now.Loses = loses; ends || loses {
			p.Counts = append(p.Counts, now)
		}
		p.major[i] = now.Majority()
	}
}

// violates reports whether an invariant is violated at the cost of a client.
func violates(found []history.Violation, invariant, owner string) bool {
	return slices.ContainsFunc(found, func(v history.Violation) bool {
		return (v.Invariant == invariant || v.Invariant == history.EqualTokens) && v.Other == owner
	})
}
