package history

import (
	"slices"
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

// TestTakenOver: who takes a key over when its owner wrote it a TTL ago, which is 5 s, ends a
// lease that was over; so may who does after the clock of the node was turned.
func TestTakenOver(t *testing.T) {
	const takes, works = "B asks, B r1 A>B, B is acquired", "A acquires r1, A enters, "
	for _, test := range []struct {
		name, history string
		wants         Loss
	}{
		{"at once", works + takes, Loss{By: ByAnother}},
		{"a lease later", works + "2000 later, 3000 later, " + takes, Loss{By: string(Expire)}},
		{"sooner", works + "4999 later, " + takes, Loss{By: ByAnother}},
		{"renewed", works + "3000 later, A r1 A>A, 3000 later, " + takes, Loss{By: ByAnother}},
		{"another's", "C acquires r1, 5000 later, A asks, A r1 C>A, A is acquired, A enters, " + takes, Loss{By: ByAnother}},
		{"the node's clock", works + "r1 jumps, " + takes, Loss{By: string(Expire), Under: string(Jump)}},
		{"removed behind it", works + "5000 later, " + takes + ", B enters, C r1 B>, C acquires r1, C enters", Loss{By: ByAnother}},
	} {
		var got Violation
		for _, v := range observed(t, "", 1, test.history).Violations() {
			if v.Invariant == PhantomHold {
				got = v // the last one
			}
		}
		if want := []Loss{test.wants}; !slices.Equal(got.Lost, want) {
			t.Errorf("%s: %+v", test.name, got)
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
