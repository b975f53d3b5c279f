package judge

import (
	"slices"
	"strings"

	"lockstep/sim/history"
)

// over reports whether a client has nothing of the lock after one of its events: it has died,
// or an operation has ended and it holds nothing.
func (p past) over(c string, i int) bool {
	e := p.Events[i]
	ends := e.Kind == history.Return || e.Kind == history.Fail || e.Kind == history.Unknown
	return e.Client == c && (!p.alive(c, i) || ends && p.depth(c, i) == 0)
}

// drawn is the token in a key of a client's, on any node; if it has none, that of its last
// acquisition, unless that is over.
func (p past) drawn(c string, i int) string {
	for now := true; i >= 0; i-- {
		if now || p.Events[i].Client == c && p.Events[i].Outcome == history.Acquired {
			for n := range p.Nodes {
				if node := history.NodeName(n); p.owner(node, i) == c {
					return p.present(node, i)
				}
			}
		}
		if now = false; p.over(c, i) {
			break
		}
	}
	return ""
}

// present is the token in the lock's key on a node.
func (p past) present(node string, i int) string {
	for ; i >= 0; i-- {
		if ch, ok := p.change(i); ok && p.Events[i].Node == node {
			return named(ch.After)
		}
	}
	return ""
}

// named is how a key names its owner: a string by its value, a hash by its only field, or
// what is in it if that is longer, a sorted set by its first member.
func named(k *history.KeyState) string {
	if k == nil {
		return ""
	}
	switch entries := strings.Split(strings.Trim(k.Value, "{}"), " "); {
	case k.Type == "string":
		return k.Value
	case k.Type == "hash" && strings.Count(k.Value, "=") == 1:
		sides := strings.Split(strings.Trim(k.Value, "{}"), "=")
		return slices.MaxFunc(sides, func(a, b string) int { return len(a) - len(b) })
	case k.Type == "zset":
		return entries[0][:max(0, strings.LastIndex(entries[0], "="))]
	}
	return ""
}

// given reports whether a command has a token as an argument, behind its key. What SET has
// there is what it writes.
func (p past) given(e history.Event, token string) bool {
	for _, cmd := range e.Cmds {
		_, rest, found := strings.Cut("\n"+strings.Join(cmd, "\n")+"\n", "\n"+p.Config.Key()+"\n")
		if words := strings.Split(rest, "\n"); found {
			for at, word := range words {
				if word == token && (at > 0 || cmd[0] != "SET") {
					return true
				}
			}
		}
	}
	return false
}

// readElsewhere is what a client has last read in the key since it began to release, or since
// it had nothing of the lock, if the key was not its own then.
func (p past) readElsewhere(c string, i int) string {
	for ; i >= 0 && !p.over(c, i); i-- {
		e := p.Events[i]
		if e.Client == c && e.Op == history.OpRelease && e.Kind == history.Invoke {
			return ""
		}
		if e.Client == c && e.Kind == history.Apply && len(e.Cmds) == 1 && len(e.Cmds[0]) == 2 && e.Cmds[0][0] == "GET" && e.Cmds[0][1] == p.Config.Key() && e.Reply != "nil" {
			if p.owner(e.Node, i) == c {
				return ""
			}
			return e.Reply
		}
	}
	return ""
}
