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

// become replaces the keys by those of the server, and returns the changes. The
// server has its own clock; end returns the deadline of a key in the world.
func (l *Real) become(keys []live.Entry, end func(live.Entry) history.Millis) []history.Change {
	ends := map[string]history.Millis{}
	was := l.state.views()
	l.state.Keys = make([]StoredKey, len(keys))
	for i, k := range keys {
		s := history.KeyState{Type: k.Type, Value: resp.Printable(k.Value)}
		if k.Type != "string" {
			s.Value = partsText(k.Type, k.Fields)
		}
		if k.Deadline >= 0 {
			s.Deadline = end(k)
			ends[k.Name] = s.Deadline
		}
		l.state.Keys[i] = StoredKey{Key: k.Name, State: s}
	}
	l.ends = ends
	return compareKeys(was, l.state.views())
}

// mostLikely returns the TTL that a command contains, in milliseconds or seconds. It
// lies between least, the remaining time after the command, and most, that before it;
// otherwise mostLikely returns most.
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
