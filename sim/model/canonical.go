package model

import (
	"encoding/binary"
	"strconv"

	"lockstep/sim"
	"lockstep/sim/history"
)

// A clientState is one client in a state of the world.
type clientState struct{ sim.ClientState }

// canonical returns the state without what makes no difference any more.
func canonical(c sim.ClientState) clientState {
	if c.Dead || c.Done {
		return clientState{sim.ClientState{Dead: c.Dead, Done: c.Done && !c.Dead}}
	}
	return clientState{c}
}

// append appends the state. Equal bytes mean the same future.
func (c *clientState) append(b []byte) []byte {
	switch {
	case c.Dead:
		return append(b, 'd')
	case c.Done:
		return append(b, 'e')
	}
	b = binary.AppendVarint(b, int64(c.Code))
	b = strconv.AppendBool(strconv.AppendBool(b, c.Hung), c.Paused)
	b = binary.AppendVarint(b, int64(c.Clock.Ahead))
	b = binary.AppendVarint(b, int64(c.Clock.Drift))
	b = binary.AppendVarint(b, int64(c.Cut))
	b = binary.AppendUvarint(b, c.Cancelled)
	b = binary.AppendVarint(b, c.Stamp)
	for i := range c.Strands {
		t := &c.Strands[i]
		b = binary.AppendVarint(append(b, byte(t.Phase)), int64(t.Until))
		b = binary.AppendVarint(b, int64(t.Life))
		if t.Phase == sim.Answered || t.Phase == sim.Held { // the code never reads a reply in another phase
			b = append(binary.AppendVarint(b, int64(len(t.Reply))), t.Reply...)
			b = binary.AppendVarint(b, t.Stamp)
		}
	}
	return b
}

// An envState is the environment: a state without its clients.
type envState struct {
	now       history.Millis
	nodes     []sim.Ref
	resource  sim.ResourceState
	abandoned []sim.Abandoned
}

// append appends the time, the abandoned requests and the parts in a footprint.
// Equal bytes mean that these are equal.
func (e *envState) append(b []byte, of footprint) []byte {
	b = binary.AppendVarint(b, int64(e.now))
	for i, id := range e.nodes {
		if of>>i&1 == 1 {
			b = binary.AppendVarint(b, int64(id))
		}
	}
	if of>>len(e.nodes)&1 == 1 {
		b = binary.AppendVarint(b, e.resource.Value)
		b = binary.AppendVarint(b, e.resource.Version)
		b = binary.AppendVarint(b, e.resource.Fence)
	}
	for i := range e.abandoned { // the sending strand makes no difference, except for which goroutine it is
		a := &e.abandoned[i]
		b = binary.AppendVarint(b, int64(a.Client))
		b = binary.AppendVarint(b, int64(a.Want.Node))
		b = binary.AppendVarint(b, int64(a.Want.Conn))
		b = appendUnits(b, a.Want.Units)
		b = append(b, 0)
		if a.Want.Of > 0 {
			b = binary.AppendVarint(binary.AppendVarint(b, int64(a.Want.Of)), int64(a.Strand))
		}
	}
	return b
}

// appendUnits appends the commands of units.
func appendUnits(b []byte, units []sim.Unit) []byte {
	for _, u := range units {
		b = append(b, ';')
		if u.Seen != 0 {
			b = binary.AppendVarint(b, u.Seen)
		}
		for _, cmd := range u.Cmds {
			b = append(b, ',')
			for _, word := range cmd {
				b = strconv.AppendQuote(b, word)
			}
		}
	}
	return b
}

// An interner numbers values. Values with equal keys have the same number.
type interner[T any] struct {
	ids  map[string]int32
	list []T
}

func (in *interner[T]) id(key []byte, make func() T) int32 {
	if id, ok := in.ids[string(key)]; ok {
		return id
	}
	if in.ids == nil {
		in.ids = map[string]int32{}
	}
	id := int32(len(in.list))
	in.ids[string(key)] = id
	in.list = append(in.list, make())
	return id
}
