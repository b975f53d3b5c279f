package history

import (
	"strings"
	"testing"
)

// TestMembers: the first member of a sorted set has the lock, whoever put it there.
func TestMembers(t *testing.T) {
	for _, test := range []struct{ name, history, wants string }{
		{"the second waits", "A r1 >{a=1}, A is acquired, B r1 {a=1}>{a=1_b=2}", ""},
		{"an earlier score", "A r1 >{a=1}, A is acquired, B r1 {a=1}>{b=0.5_a=1}", PhantomHold},
		{"the second believes", "A r1 >{a=1}, A is acquired, B r1 {a=1}>{a=1_b=2}, B is acquired", PhantomHold},
		{"another removes it", "A r1 >{a=1}, A is acquired, B r1 {a=1}>", ForeignRelease},
		{"it moves up", "A r1 >{a=1}, B r1 {a=1}>{a=1_b=2}, A r1 {a=1_b=2}>{b=2}, B is acquired", ""},
	} {
		got := ""
		if found := observed(t, "", 1, test.history).Violations(); len(found) > 0 {
			got = found[0].Invariant
		}
		if got != test.wants {
			t.Errorf("%s: %q", test.name, got)
		}
	}
}

// TestTimeOutOf: which word of which command says for how long it waits.
func TestTimeOutOf(t *testing.T) {
	for _, test := range []struct {
		cmd  string
		word string
	}{
		{"BLPOP k l 5", "5"}, {"BLMOVE k l LEFT RIGHT 0", "0"}, {"BZPOPMIN z 0.5", "0.5"}, {"LPOP k 5", ""}, {"BLPOP k", ""},
	} {
		if word := TimeOutOf(strings.Fields(test.cmd)); word != test.word {
			t.Errorf("%s: %q", test.cmd, word)
		}
	}
}
