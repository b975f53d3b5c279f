package server

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lockstep/sim/history"
	"lockstep/sim/live"
	"lockstep/sim/resp"
)

// views returns the keys of an answer, as the world shows them.
func (l *Real) views(a live.Answer, cmds [][]string, now history.Millis) []KeyView {
	views := make([]KeyView, len(a.Keys))
	for i, k := range a.Keys {
		views[i] = KeyView{Node: l.name, Key: resp.Printable(k.Name), State: l.state(k, a, cmds, now)}
	}
	return views
}

// state returns a key as the world shows it. The server reports the key's
// deadline on its own clock. The deadline in the world follows from the TTL of
// the command, which lies between the remaining time after the command and
// before it.
func (l *Real) state(k live.Key, a live.Answer, cmds [][]string, now history.Millis) history.KeyState {
	s := history.KeyState{Type: k.Type, Value: resp.Printable(k.Value)}
	if k.Type != "string" {
		s.Value = partsText(k.Type, k.Fields)
	}
	if k.Deadline < 0 {
		return s
	}
	for _, e := range slices.Backward(l.ends[k.Name]) {
		if e.server == k.Deadline {
			s.Deadline = e.world
			return s
		}
	}
	s.Deadline = now + mostLikely(history.Millis(k.Deadline-a.After), history.Millis(k.Deadline-a.Before), cmds)
	l.ends[k.Name] = append(l.ends[k.Name], end{k.Deadline, s.Deadline})
	return s
}

// mostLikely returns the TTL between least and most that a command contains, in
// milliseconds or seconds; otherwise most.
func mostLikely(least, most history.Millis, cmds [][]string) history.Millis {
	for ttl := most; ttl >= least; ttl-- {
		text, seconds := fmt.Sprint(int64(ttl)), fmt.Sprint(int64(ttl/history.Second))
		for _, cmd := range cmds {
			if slices.Contains(cmd, text) || ttl%history.Second == 0 && slices.Contains(cmd, seconds) {
				return ttl
			}
		}
	}
	return most
}

// partsText returns the text of a key that is not a string: a hash of field,
// value, field, value ..., sorted by field; a list; a set, sorted; a sorted set,
// with no blank in a member.
func partsText(kind string, parts []string) string {
	switch kind {
	case "hash":
		pairs := slices.Collect(slices.Chunk(parts, 2))
		slices.SortFunc(pairs, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
		words := make([]string, len(pairs))
		for i, p := range pairs {
			words[i] = resp.Printable(p[0]) + "=" + resp.Printable(p[1])
		}
		return "{" + strings.Join(words, " ") + "}"
	case "list":
		return "[" + strings.Join(printable(parts), " ") + "]"
	case "set":
		return "{" + strings.Join(printable(slices.Sorted(slices.Values(parts))), " ") + "}"
	case "zset":
		words := make([]string, 0, len(parts)/2)
		for pair := range slices.Chunk(parts, 2) {
			score, _ := strconv.ParseFloat(pair[1], 64) // a server wrote it
			words = append(words, strings.ReplaceAll(resp.Printable(pair[0]), " ", `\x20`)+"="+scoreText(score))
		}
		return "{" + strings.Join(words, " ") + "}"
	}
	return "(" + kind + ")"
}

func printable(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = resp.Printable(w)
	}
	return out
}
