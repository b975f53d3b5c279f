package bubble

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/redis/go-redis/v9/helper"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/resp"
)

// This file handles random values that cannot be repeated, like those of
// hash/maphash. If two runs after the same observations are about to send the
// same commands except for a value, they have drawn it. The value gets a name
// by the order in which the client first sends it; the name looks like the
// value (see like). All other code sees the names, and in replies each run
// reads its own values; so it is with their digests. A lock that uses such a value as
// more than a name draws what it does: both runs begin again until they do the same.

// names are the names of a run's values.
type names struct {
	values, names []string // in order of appearance
	shown, own    *strings.Replacer
}

// named counts the names that this process has created.
var named atomic.Int64

// Named returns how many names draws in this process have needed so far; see program.Subject.
func Named() int64 { return named.Load() }

// minName is the minimum length of a random value with a name.
const minName = 10

// numberLength is the number of digits in the name of a number, which fits into
// 64 bits.
const numberLength = 18

func (n *names) add(value, name string) {
	n.values, n.names = append(n.values, value), append(n.names, name)
	var shown, own []string
	for i := range n.values {
		value, name := n.values[i], n.names[i]
		shown = append(shown, value, name, digest(value), digest(name))
		own = append(own, name, value, digest(name), digest(value))
	}
	n.shown, n.own = strings.NewReplacer(shown...), strings.NewReplacer(own...)
}

// digest is what DIGEST answers, and IFDEQ compares.
func digest(value string) string { return fmt.Sprintf("%016x", helper.DigestString(value)) }

// show replaces the run's values in a text by their names.
func (n *names) show(text string) string {
	if n.shown == nil {
		return text
	}
	return n.shown.Replace(text)
}

// read replaces the names in a reply by the run's values.
func (n *names) read(reply []byte) []byte {
	if n.own == nil || len(reply) == 0 {
		return reply
	}
	var own []byte
	for rest := reply; len(rest) > 0; {
		v, size, err := resp.Parse(rest)
		if err != nil || size == 0 {
			return reply // not a reply, so it contains no name
		}
		own, rest = n.readValue(v).Append(own), rest[size:]
	}
	return own
}

func (n *names) readValue(v resp.Value) resp.Value {
	v.Text = n.own.Replace(v.Text)
	v.Items = slices.Clone(v.Items)
	for i := range v.Items {
		v.Items[i] = n.readValue(v.Items[i])
	}
	return v
}

func (n *names) showUnits(units []sim.Unit) []sim.Unit {
	if n.shown == nil {
		return units
	}
	show := func(cmds [][]string) [][]string {
		out := make([][]string, len(cmds))
		for i, cmd := range cmds {
			for _, word := range cmd {
				out[i] = append(out[i], n.show(word))
			}
		}
		return out
	}
	units = slices.Clone(units)
	for i := range units {
		units[i].Cmds, units[i].Shown = show(units[i].Cmds), show(units[i].Shown)
	}
	return units
}

// reconcile names the values that two runs have drawn since their last
// observation. The error wraps program.ErrNondeterministic: the runs differ in more than
// names.
func reconcile(a, b *run) error {
	differ := func() error {
		once, again := sim.Apart(a.happened(), b.happened(), a.wants(), b.wants())
		return a.differs(once, again)
	}
	if len(a.slots) != len(b.slots) {
		return differ()
	}
	for i, x := range a.slots {
		y := b.slots[i]
		if (x == nil) != (y == nil) || x != nil && !nameWords(a, b, x.words(), y.words()) {
			return differ()
		}
	}
	if !slices.EqualFunc(a.before, b.before, func(x, y history.Event) bool {
		return x.Kind == y.Kind && x.Op == y.Op && x.Outcome == y.Outcome && x.Fence == y.Fence && x.By == y.By &&
			a.names.show(x.Text) == b.names.show(y.Text) && a.names.show(x.Token) == b.names.show(y.Token)
	}) {
		return differ()
	}
	return nil
}

// differs is the error of a run that did one thing where another one, told the same,
// did another.
func (r *run) differs(once, again any) error {
	text := fmt.Sprintf("client %s was told the same in two runs, and did two things:\nonce   %v\nagain  %v", r.b.name, once, again)
	if place := r.programSource(); place != "" {
		text += "\nat     " + place
	}
	return elsewhere("%s", text)
}

// nameWords reports whether two runs are about to send the same words, except
// for names.
func nameWords(a, b *run, x, y []string) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		v, w := a.names.show(x[i]), b.names.show(y[i])
		if v == w {
			continue
		}
		v, w = apart(v, w)
		name, ok := like(fmt.Sprintf("%s %d", a.b.name, len(a.names.names)), v, w)
		if !ok {
			return false
		}
		a.names.add(v, name)
		b.names.add(w, name)
		named.Add(1)
		if a.names.show(x[i]) != b.names.show(y[i]) {
			return false
		}
	}
	return true
}

// words returns what identifies an operation.
func (op *operation) words() []string {
	if op.conn == nil {
		return []string{op.access.Op}
	}
	words := []string{fmt.Sprint("r", op.conn.Node+1)}
	for _, u := range op.units {
		for _, cmd := range u.Cmds {
			words = append(words, cmd...)
		}
	}
	return words
}

// apart returns the parts in which two texts differ, extended to whole words of
// letters and digits.
func apart(x, y string) (string, string) {
	begin, end := 0, 0
	for begin < min(len(x), len(y)) && x[begin] == y[begin] {
		begin++
	}
	for end < min(len(x), len(y))-begin && x[len(x)-1-end] == y[len(y)-1-end] {
		end++
	}
	for begin > 0 && alphanumeric(x[begin-1]) {
		begin--
	}
	for end > 0 && alphanumeric(x[len(x)-end]) {
		end--
	}
	return x[begin : len(x)-end], y[begin : len(y)-end]
}

func alphanumeric(c byte) bool { return strings.IndexByte(alphabets[len(alphabets)-1], c) >= 0 }

// alphabets are the alphabets of random values, the smallest first.
var alphabets = []string{
	"0123456789", "0123456789abcdef", "0123456789ABCDEF", "234567ABCDEFGHIJKLMNOPQRSTUVWXYZ",
	"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
}

// like returns a name for two values: in the same alphabet, of the same length,
// with the same punctuation. A number gets numberLength digits, because other
// draws may have more or fewer. The name is a function of seed and shape. ok is
// false if the values are too different.
func like(seed, x, y string) (string, bool) {
	if min(len(x), len(y)) < minName {
		return "", false
	}
	alphabet := ""
	for _, a := range slices.Backward(alphabets) {
		if !strings.ContainsFunc(x+y, func(c rune) bool { return c < 128 && alphanumeric(byte(c)) && !strings.ContainsRune(a, c) }) {
			alphabet = a
		}
	}
	length := len(x)
	switch {
	case !strings.ContainsFunc(x+y, func(c rune) bool { return c < '0' || c > '9' }):
		x, length = strings.Repeat("0", numberLength), numberLength
	case len(x) != len(y):
		return "", false
	}
	name := make([]byte, 0, length)
	for block := 0; len(name) < length; block++ {
		for _, c := range sha256.Sum256(fmt.Appendf(nil, "%s %d", seed, block)) {
			if at := len(name); at < length {
				if alphanumeric(x[at]) {
					name = append(name, alphabet[int(c)%len(alphabet)])
				} else {
					name = append(name, x[at])
				}
			}
		}
	}
	if name[0] == '0' {
		name[0] = alphabet[1]
	}
	return string(name), true
}
