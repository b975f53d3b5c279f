package explore

import (
	"fmt"
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
	state, at := p.nodes.list[node], now
	if !asksTime(state.Scripts, units) {
		at = someTime
	}
	then := p.node(state.Shift(at - now))
	key := string(appendUnits(fmt.Appendf(nil, "%d %d %s %s", then, at, name, conn), units))
	done, ok := p.executed[key]
	if !ok {
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
	return p.node(p.nodes.list[done.node].Shift(now - at)), moved, nil
}

// someTime is the moment at which commands are executed.
const someTime = history.Millis(1 << 40)

// asksTime says whether a command or a script asks for the time, or names a
// moment: TIME, EXPIREAT, PEXPIREAT, EXPIRETIME, and SET with EXAT or PXAT.
func asksTime(scripts []string, units []sim.Unit) bool {
	has := func(s string) bool {
		upper := strings.ToUpper(s)
		return strings.Contains(upper, "TIME") || strings.Contains(upper, "EXPIREAT") || strings.Contains(upper, "XAT")
	}
	for _, u := range units {
		for _, cmd := range u.Cmds {
			if slices.ContainsFunc(cmd, has) {
				return true
			}
		}
	}
	return slices.ContainsFunc(scripts, has)
}
