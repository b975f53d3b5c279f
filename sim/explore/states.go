package explore

import (
	"slices"
	"strconv"

	"lockstep/sim"
	"lockstep/sim/history"
)

// A clientState is one client in a state of the world.
type clientState struct{ sim.ClientState }

// canonical returns the same without what makes no difference any more.
func canonical(c sim.ClientState) clientState {
	if c.Dead || c.Done {
		return clientState{sim.ClientState{Dead: c.Dead, Done: c.Done && !c.Dead}}
	}
	return clientState{c}
}

// clone returns a state that shares nothing that a step changes.
func (c *clientState) clone() sim.ClientState {
	own := c.ClientState
	own.Strands = slices.Clone(own.Strands)
	return own
}

func (c *clientState) key() string {
	switch {
	case c.Dead:
		return "dead"
	case c.Done:
		return "done"
	}
	b := strconv.AppendInt(make([]byte, 0, 64), int64(c.Code), 10)
	b = strconv.AppendBool(append(b, ' '), c.Hung)
	b = strconv.AppendInt(append(b, ' '), int64(c.Clock.Ahead), 10)
	b = strconv.AppendInt(append(b, ' '), int64(c.Clock.Drift), 10)
	b = strconv.AppendInt(append(b, ' '), int64(c.Cut), 10)
	for i := range c.Strands {
		t := &c.Strands[i]
		b = append(b, ' ', byte('0'+t.Phase))
		b = strconv.AppendInt(append(b, ' '), int64(t.Until), 10)
		b = strconv.AppendInt(append(b, ' '), int64(t.Life), 10)
		if t.Phase == sim.Answered { // what else was answered will never be read
			b = strconv.AppendQuote(append(b, ' '), t.Reply)
		}
	}
	return string(b)
}

// An envState is what all clients share: a state without its clients.
type envState struct {
	now       history.Millis
	nodes     []sim.Ref
	resource  sim.ResourceState
	abandoned []sim.Abandoned
}

func (e *envState) key() string {
	b := strconv.AppendInt(make([]byte, 0, 64), int64(e.now), 10)
	for _, id := range e.nodes {
		b = strconv.AppendInt(append(b, ' '), int64(id), 10)
	}
	for _, n := range []int64{e.resource.Value, e.resource.Version, e.resource.Fence} {
		b = strconv.AppendInt(append(b, ','), n, 10)
	}
	for i := range e.abandoned { // which strand sent it makes no difference
		a := &e.abandoned[i]
		b = strconv.AppendInt(append(b, ' '), int64(a.Client), 10)
		b = strconv.AppendInt(append(b, ' '), int64(a.Want.Node), 10)
		b = strconv.AppendInt(append(b, ' '), int64(a.Want.Conn), 10)
		b = appendUnits(b, a.Want.Units)
	}
	return string(b)
}

// appendUnits writes what is sent.
func appendUnits(b []byte, units []sim.Unit) []byte {
	for _, u := range units {
		b = append(b, ';')
		for _, cmd := range u.Cmds {
			b = append(b, ',')
			for _, word := range cmd {
				b = strconv.AppendQuote(b, word)
			}
		}
	}
	return b
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
