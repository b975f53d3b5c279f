package model

import (
	"encoding/binary"
	"slices"
	"strconv"

	"lockstep/sim/history"
)

// A Judgement is a monitor's result for a list of events.
type Judgement struct {
	Monitor  int32 // after the events
	Violates []history.Violation
}

// Events returns the list of events with a number, without fields that no
// invariant depends on, such as Seq.
func (m *Model) Events(n int32) []history.Event { return m.lists.list[n] }

// Visible returns the number of a list of events without those that a monitor
// ignores; 0 for an empty list.
func (m *Model) Visible(events int32) int32 { return m.visibleOf[events] }

// KeepLosses lets monitors tell apart how leases were lost. Call it before anything is judged.
func (m *Model) KeepLosses() {
	m.losses = true
	m.monitors.list[FreshMonitor].KeepLosses()
}

// Judge returns a monitor's judgement of visible events. It lets the monitor observe them
// the first time.
func (m *Model) Judge(monitor, visible int32) *Judgement {
	if known := m.judged.Get(monitor, visible); known != nil {
		return known
	}
	of := m.monitors.list[monitor].Clone()
	for _, e := range m.visibles.list[visible] {
		of.Observe(e)
	}
	return m.judged.Put(monitor, visible, Judgement{m.monitor(of), of.Violations()})
}

// Waits reports whether a client waits, as a monitor has it.
func (m *Model) Waits(monitor int32) bool { return m.monitors.list[monitor].Waits() }

func (m *Model) monitor(of *history.Monitor) int32 {
	return m.monitors.id(of.Canonical(), func() *history.Monitor { return of })
}

// emit records an event, unless nothing depends on it.
func (m *Model) emit(e history.Event) {
	switch e.Kind {
	case history.Request, history.Reply, history.Wait, history.Receive:
	case history.TimeOut, history.Broken:
		if m.losses {
			m.emitted = append(m.emitted, e)
		}
	default:
		m.emitted = append(m.emitted, e)
	}
}

// events numbers a list of events, without their positions in a history, on
// which no invariant depends.
func (m *Model) events(list []history.Event) int32 {
	m.key = appendEvents(m.key[:0], list)
	return m.lists.id(m.key, func() []history.Event {
		list = slices.Clone(list)
		for i := range list {
			list[i].Seq, list[i].Pick, list[i].At, list[i].Call, list[i].During = 0, 0, 0, 0, 0
		}
		visible := slices.DeleteFunc(slices.Clone(list), m.monitors.list[FreshMonitor].Ignores)
		m.visibleOf = append(m.visibleOf, m.visibles.id(appendEvents(nil, visible), func() []history.Event { return visible }))
		return list
	})
}

// appendEvents appends what an invariant or a count depends on.
func appendEvents(b []byte, list []history.Event) []byte {
	text := func(s string) { b = append(append(b, s...), 0) } // none of these contains a NUL
	number := func(n int64) { b = binary.AppendVarint(b, n) }
	key := func(k *history.KeyState) {
		if k == nil {
			b = append(b, '-')
			return
		}
		b = strconv.AppendQuote(append(b, '+'), k.Value)
		text(k.Type)
		number(int64(k.Deadline))
	}
	for i := range list {
		e := &list[i]
		text(string(e.Kind))
		text(e.Client)
		number(int64(e.Strand))
		text(e.Node)
		text(e.Op)
		text(e.Outcome)
		text(e.Token)
		b = strconv.AppendBool(b, e.Busy)
		if e.Kind == history.Apply && len(e.Cmds) > 0 { // scripts are counted
			text(e.Cmds[0][0])
		}
		for _, n := range [...]int64{e.Value, e.Version, e.Based, e.Fence, int64(e.By), int64(len(e.Changes))} {
			number(n)
		}
		for _, ch := range e.Changes {
			b = strconv.AppendQuote(b, ch.Key)
			key(ch.Before)
			key(ch.After)
		}
	}
	return b
}
