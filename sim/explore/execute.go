package explore

import (
	"encoding/binary"
	"slices"
	"strings"

	"lockstep/sim"
	"lockstep/sim/history"
)

type execution struct {
	node sim.Ref
	done []sim.Executed
}

// execute lets a node execute what arrives over a connection. What comes of it
// depends on how long the keys have to live and not on the time, so that one
// execution serves at all times, unless somebody asks for the time.
func (p *parts) execute(node sim.Ref, name, conn string, units []sim.Unit, now history.Millis) (sim.Ref, []sim.Executed, error) {
	at := now
	if !p.asksTime(p.nodes.list[node].Scripts, units) {
		at = someTime
	}
	then := p.shift(node, at-now)
	p.key = binary.AppendVarint(p.key[:0], int64(then))
	p.key = binary.AppendVarint(p.key, int64(at))
	p.key = append(append(p.key, name...), ' ')
	p.key = appendUnits(append(append(p.key, conn...), ' '), units)
	done, ok := p.executed[string(p.key)]
	if !ok {
		key := string(p.key)
		p.execs++
		after, list, err := p.nodes.list[then].Execute(name, conn, units, at)
		if err != nil {
			return 0, nil, err
		}
		done = execution{p.node(after), list}
		p.executed[key] = done
	}
	if at == now {
		return done.node, done.done, nil
	}
	moved := make([]sim.Executed, len(done.done))
	for i, x := range done.done {
		moved[i] = x.Shift(now - at)
	}
	return p.shift(done.node, now-at), moved, nil
}

// A shifting is a node at another time.
type shifting struct {
	node sim.Ref
	by   history.Millis
}

// shift returns a node as it would be at another time.
func (p *parts) shift(node sim.Ref, by history.Millis) sim.Ref {
	if by == 0 {
		return node
	}
	to, ok := p.shifted[shifting{node, by}]
	if !ok {
		to = p.node(p.nodes.list[node].Shift(by))
		p.shifted[shifting{node, by}] = to
	}
	return to
}

// someTime is the moment at which commands are executed.
const someTime = history.Millis(1 << 40)

// asksTime says whether a command or a script asks for the time, or names a
// moment: TIME, EXPIREAT, PEXPIREAT, EXPIRETIME, and SET with EXAT or PXAT.
func (p *parts) asksTime(scripts []string, units []sim.Unit) bool {
	for _, u := range units {
		for _, cmd := range u.Cmds {
			if slices.ContainsFunc(cmd, p.isTimed) {
				return true
			}
		}
	}
	return slices.ContainsFunc(scripts, p.isTimed)
}

func (p *parts) isTimed(word string) bool {
	timed, known := p.timed[word]
	if !known {
		upper := strings.ToUpper(word)
		timed = strings.Contains(upper, "TIME") || strings.Contains(upper, "EXPIREAT") || strings.Contains(upper, "XAT")
		p.timed[word] = timed
	}
	return timed
}
