package model

import (
	"encoding/binary"
	"strings"

	"lockstep/sim"
	"lockstep/sim/history"
)

type execution struct {
	node sim.Ref
	done []sim.Executed
}

// execute lets a node execute the units that arrive over a connection. The
// result depends on the remaining lifetimes of keys, not on the time, unless a
// command reads the time. So one execution serves all times.
func (m *Model) execute(node sim.Ref, name, conn string, units []sim.Unit, now history.Millis) (sim.Ref, []sim.Executed, error) {
	at := now
	if !m.nodes.list[node].Timed(units, m.isTimed) {
		at = someTime
	}
	done, err := m.executeAt(m.shift(node, at-now), name, conn, units, at)
	if err != nil {
		return 0, nil, err
	}
	if at == now {
		return done.node, done.done, nil
	}
	moved := make([]sim.Executed, len(done.done))
	for i, x := range done.done {
		moved[i] = x.Shift(now - at)
	}
	return m.shift(done.node, now-at), moved, nil
}

// executeAt executes units at a time, unless that is known.
func (m *Model) executeAt(node sim.Ref, name, conn string, units []sim.Unit, at history.Millis) (execution, error) {
	m.key = binary.AppendVarint(m.key[:0], int64(node))
	m.key = binary.AppendVarint(m.key, int64(at))
	m.key = append(append(m.key, name...), ' ')
	m.key = appendUnits(append(append(m.key, conn...), ' '), units)
	if done, ok := m.executed[string(m.key)]; ok {
		return done, nil
	}
	key := string(m.key)
	m.execs++
	after, list, err := m.nodes.list[node].Execute(name, conn, units, at)
	if err != nil {
		return execution{}, err
	}
	done := execution{m.node(after), list}
	m.executed[key] = done
	return done, nil
}

// A shifting is a node moved in time.
type shifting struct {
	node sim.Ref
	by   history.Millis
}

// shift returns a node moved in time.
func (m *Model) shift(node sim.Ref, by history.Millis) sim.Ref {
	if by == 0 {
		return node
	}
	to, ok := m.shifted[shifting{node, by}]
	if !ok {
		to = m.node(m.nodes.list[node].Shift(by))
		m.shifted[shifting{node, by}] = to
	}
	return to
}

// someTime is when commands that do not read the time are executed.
const someTime = history.Millis(1 << 40)

// isTimed reports whether a word of a command or a script may mean the time or a
// moment.
func (m *Model) isTimed(word string) bool {
	timed, known := m.timed[word]
	if !known {
		upper := strings.ToUpper(word)
		timed = strings.Contains(upper, "TIME") || strings.Contains(upper, "EXPIREAT") || strings.Contains(upper, "XAT")
		m.timed[word] = timed
	}
	return timed
}
