package history

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/lang"
)

// This file is about the tokens that clients draw, and about those that are equal.

// token is what tells who has a lock: the value of a string, the member of a sorted set, of the
// only field of a hash its name or its value, the longer, since the other is a word or a count.
// It is "" for any other key, and for none.
func (k *KeyState) token() string {
	switch {
	case k == nil:
	case k.Type == "string", k.Type == "zset":
		return k.Value
	case k.Type == "hash" && strings.Count(k.Value, "=") == 1:
		field, value, _ := strings.Cut(k.Value[1:len(k.Value)-1], "=")
		if len(value) > len(field) {
			return value
		}
		return field
	}
	return ""
}

// Compares returns the token of the lock with a key that a command was given and that it has
// changed or removed, or that it has read; "" for none.
func (e *Event) Compares(key string) string {
	for _, cmd := range e.Cmds {
		at := slices.Index(cmd, key)
		switch {
		case cmd[0] == "GET" && at > 0 && e.Reply != "nil":
			return e.Reply
		case cmd[0] == "SET":
			at++ // what follows the key is no more than written
		}
		for _, ch := range e.Changes {
			if lock, is := OfLock(key, ch); is && slices.Contains(cmd[min(at+1, len(cmd)):], lock.Before.token()) {
				return lock.Before.token()
			}
		}
	}
	return ""
}

// drawnBy returns the key with the token that a client has acquired with, or is about to.
func (m *Monitor) drawnBy(c *clientState) nodeKey {
	for _, k := range m.keys {
		if k.owner == c.name {
			return k
		}
	}
	return c.drew
}

// noteTokens notes the token of the key, and whether its reader takes it for its own.
func (m *Monitor) noteTokens(e Event, by *clientState) {
	for _, ch := range e.Changes {
		if lock, is := OfLock(m.config.Key(), ch); is {
			m.key(e.Node).token = lock.After.token()
		}
	}
	if by != nil && len(e.Changes) == 0 && e.Kind == Apply && e.Token != "" {
		by.mistakes = e.Token == m.drawnBy(by).token && m.Owner(e.Node) != by.name
	}
}

// foreign flags a command on the lock of another client that claims it, for what it is.
func (m *Monitor) foreign(e Event, invariant string, by *clientState, k *nodeKey, detail lang.Message) {
	drew := m.drawnBy(by)
	switch {
	case !m.claims(k.owner):
	case drew.token == "", drew.token != k.token, drew.token != e.Token && !by.mistakes:
		m.violate(e, invariant, by.name, k.owner, detail, k.since)
	default:
		m.violate(e, EqualTokens, by.name, k.owner, lang.New("both have acquired with %s, %s", k.token, source(k.token)), drew.since, k.since)
	}
}

// readings are how a clock is read, the finest first: what has nanoseconds has seconds too.
// The last is of what is no reading.
var readings = []lang.Word{
	"which has the time in it, in nanoseconds", "which has the time in it, in microseconds",
	"which has the time in it, in milliseconds", "which has the time in it, in seconds",
	"which is not a time but a constant, a counter, or of a generator with a fixed seed or too few bits",
}

// source says where a token came from that two clients have drawn: it has a time in it, in
// decimal or hexadecimal digits, that is within a day of Epoch. If not, which of the rest it is
// cannot be seen.
func source(token string) lang.Word {
	began, day := Epoch.UnixNano(), int64(24*time.Hour)
	for _, reading := range readings[:4] {
		for _, base := range []int{10, 16} {
			n := len(strconv.FormatInt(began, base))
			for i := range len(token) - n + 1 {
				if at, err := strconv.ParseInt(token[i:i+n], base, 64); err == nil && max(at-began, began-at) < day {
					return reading
				}
			}
		}
		began, day = began/1000, day/1000
	}
	return readings[4]
}
