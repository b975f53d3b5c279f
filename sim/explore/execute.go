package explore

import (
	"fmt"
	"slices"
	"strings"

	"lockstep/sim"
	"lockstep/sim/history"
)

type execution struct {
	node int32
	done []sim.Executed
}

// execute lets a node execute what a thread is about to send. What comes of it
// depends on how long the keys have to live and not on the time, so that one
// execution serves at all times, unless somebody asks for the time.
func (p *parts) execute(node int32, who int, what *sim.Pending, now history.Millis) (execution, error) {
	state, at := p.nodes.list[node], now
	if !asksTime(state.Scripts, what.Units) {
		at = someTime
	}
	conn := connName(p.names[who], what.Conn)
	then := p.node(state.Shift(at - now))
	key := string(appendRequest(fmt.Appendf(nil, "%d %d %s", then, at, p.names[who]), what))
	done, ok := p.executed[key]
	if !ok {
		p.execs++
		after, list, err := p.nodes.list[then].Execute(sim.NodeName(what.Node), conn, what.Units, at)
		if err != nil {
			return execution{}, err
		}
		done = execution{p.node(after), list}
		p.executed[key] = done
	}
	if at == now {
		return done, nil
	}
	moved := execution{node: p.node(p.nodes.list[done.node].Shift(now - at))}
	for _, x := range done.done {
		moved.done = append(moved.done, x.Shift(now-at))
	}
	return moved, nil
}

// someTime is the moment at which commands are executed.
const someTime = history.Millis(1 << 40)

// asksTime says whether a command or a script asks for the time, or names a
// moment: TIME, EXPIREAT, PEXPIREAT, EXPIRETIME, and SET with EXAT or PXAT.
func asksTime(scripts []string, units [][][]string) bool {
	has := func(s string) bool {
		upper := strings.ToUpper(s)
		return strings.Contains(upper, "TIME") || strings.Contains(upper, "EXPIREAT") || strings.Contains(upper, "XAT")
	}
	for _, cmds := range units {
		for _, cmd := range cmds {
			if slices.ContainsFunc(cmd, has) {
				return true
			}
		}
	}
	return slices.ContainsFunc(scripts, has)
}
