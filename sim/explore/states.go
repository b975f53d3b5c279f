package explore

import (
	"slices"
	"strconv"

	"lockstep/sim"
	"lockstep/sim/history"
)

// A clientState is one client in a state of the world: where it is in its
// trie, and what the world owes its threads.
type clientState struct {
	node    int32
	dead    bool
	done    bool // all its code has come to its end; nothing else matters
	hung    bool
	offset  history.Millis // of its clock
	cut     uint16         // from which nodes it is cut off, one bit each
	threads []threadState
}

type phase byte

const (
	idle     phase = iota // no command of the thread has left
	onTheWay              // its command has not reached the node
	answered              // the reply is there to be read
	lost                  // nothing will come
	refused               // the node accepts no connection
	cutShort              // the connection has ended
)

type threadState struct {
	phase phase
	reply string         // answered: its bytes
	until history.Millis // a sleeper wakes; a sender gives up
	life  int            // onTheWay, answered: that of the node when the command left
}

func (c *clientState) key() string {
	switch {
	case c.dead:
		return "dead"
	case c.done:
		return "done"
	}
	b := strconv.AppendInt(nil, int64(c.node), 10)
	b = strconv.AppendBool(append(b, ' '), c.hung)
	b = strconv.AppendInt(append(b, ' '), int64(c.offset), 10)
	b = strconv.AppendInt(append(b, ' '), int64(c.cut), 10)
	for _, t := range c.threads {
		b = append(b, ' ', byte('0'+t.phase))
		b = strconv.AppendInt(append(b, ' '), int64(t.until), 10)
		b = strconv.AppendInt(append(b, ' '), int64(t.life), 10)
		b = strconv.AppendQuote(append(b, ' '), t.reply)
	}
	return string(b)
}

// An envState is what all clients share.
type envState struct {
	now      history.Millis
	nodes    []int32 // ids of node states
	resource sim.ResourceState
	late     []lateRequest
}

// A lateRequest is on its way without anybody who waits for it.
type lateRequest struct {
	client int
	what   sim.Pending
}

func (e *envState) key() string {
	b := strconv.AppendInt(nil, int64(e.now), 10)
	for _, id := range e.nodes {
		b = strconv.AppendInt(append(b, ' '), int64(id), 10)
	}
	for _, n := range []int64{e.resource.Value, e.resource.Version, e.resource.Fence} {
		b = strconv.AppendInt(append(b, ','), n, 10)
	}
	for i := range e.late {
		l := &e.late[i]
		b = strconv.AppendInt(append(b, ' '), int64(l.client), 10)
		b = appendRequest(b, &l.what)
	}
	return string(b)
}

// appendRequest writes what is sent to which node over which connection.
func appendRequest(b []byte, p *sim.Pending) []byte {
	b = strconv.AppendInt(append(b, ' '), int64(p.Node), 10)
	b = strconv.AppendInt(append(b, ' '), int64(p.Conn), 10)
	for _, cmds := range p.Units {
		b = append(b, ';')
		for _, cmd := range cmds {
			b = append(b, ',')
			for _, word := range cmd {
				b = strconv.AppendQuote(b, word)
			}
		}
	}
	return b
}

func (e envState) clone() envState {
	e.nodes = slices.Clone(e.nodes)
	e.late = slices.Clone(e.late)
	return e
}

// An interner gives equal things the same small number.
type interner[K comparable, T any] struct {
	ids  map[K]int32
	list []T
}

func (in *interner[K, T]) id(key K, make func() T) int32 {
	if id, ok := in.ids[key]; ok {
		return id
	}
	if in.ids == nil {
		in.ids = map[K]int32{}
	}
	id := int32(len(in.list))
	in.ids[key] = id
	in.list = append(in.list, make())
	return id
}
