package bubble

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// TestApart: the difference is whole words of letters and digits.
func TestApart(t *testing.T) {
	for _, test := range [][4]string{
		{"abc", "abd", "abc", "abd"},
		{"node:1234:end", "node:5678:end", "1234", "5678"},
		{"node:1290:end", "node:1890:end", "1290", "1890"},
		{"1234", "5678", "1234", "5678"},
		{"x-12-y", "x-3-y", "12", "3"},
		{"x-1-y", "x-11-y", "1", "11"},
		{"a:1", "a:2", "1", "2"},
		{"1:a", "2:a", "1", "2"},
		{"1-2", "3-4", "1-2", "3-4"},
		{"x--y", "x-1-y", "", "1"},
		{"aa", "a", "aa", "a"},
		{"a--b", "a-b", "-b", "b"},
	} {
		if x, y := apart(test[0], test[1]); x != test[2] || y != test[3] {
			t.Errorf("%q and %q are apart in %q and %q, want %q and %q", test[0], test[1], x, y, test[2], test[3])
		}
		if y, x := apart(test[1], test[0]); x != test[2] || y != test[3] {
			t.Errorf("%q and %q the other way round are apart in %q and %q", test[1], test[0], y, x)
		}
	}
}

// TestLike: a name has the alphabet, the length and the punctuation of its
// values.
func TestLike(t *testing.T) {
	for _, test := range []struct {
		x, y     string
		alphabet string // "" for no name
		length   int
	}{
		{"123456789", "987654321", "", 0},
		{"1234567890", "987654321", "", 0},
		{"1234567890", "9876543210", "0123456789", 18},
		{"12345678901234567890", "9876543210", "0123456789", 18},
		{"123456789a", "9876543210", "0123456789abcdef", 10},
		{"123456789A", "9876543210", "0123456789ABCDEF", 10},
		{"123456789A", "987654321a", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", 10},
		{"ABCDEFGZ22", "QRSTUVWX77", "234567ABCDEFGHIJKLMNOPQRSTUVWXYZ", 10},
		{"ABCDEFGZ22", "QRSTUVWX78", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", 10},
		{"123456789a", "98765432100", "", 0},
		{"ab12-34cd-ef56", "cd34-56ab-0123", "0123456789abcdef-", 14},
		{strings.Repeat("a", 100), strings.Repeat("b", 100), "0123456789abcdef", 100},
	} {
		name, ok := like("A 0", test.x, test.y)
		if ok != (test.alphabet != "") || len(name) != test.length || strings.Trim(name, test.alphabet) != "" {
			t.Errorf("%q and %q are called %q, %t", test.x, test.y, name, ok)
		}
		if !ok {
			continue
		}
		if name[0] == '0' {
			t.Errorf("%q begins with a zero", name)
		}
		for i := range name {
			if len(name) == len(test.x) && (name[i] == '-') != (test.x[i] == '-') {
				t.Errorf("%q has not the signs of %q", name, test.x)
			}
		}
		if again, _ := like("A 0", test.x, test.y); again != name {
			t.Errorf("%q, and again %q", name, again)
		}
		if other, _ := like("A 1", test.x, test.y); other == name {
			t.Errorf("%q is the name of another seed as well", name)
		}
	}
	// The name uses the whole alphabet, and its blocks differ.
	long := strings.Repeat("z1", 200)
	name, _ := like("A 0", long, long)
	if letters := len(distinct(name)); letters < 55 || name[:32] == name[32:64] {
		t.Errorf("%d letters, %q", letters, name)
	}
	for n := range 100 { // many would begin with a zero
		if name, _ := like(fmt.Sprint(n), "1234567890", "9876543210"); name[0] == '0' || len(name) != numberLength {
			t.Errorf("a number is called %q", name)
		}
	}
}

func distinct(s string) []byte {
	b := []byte(s)
	slices.Sort(b)
	return slices.Compact(b)
}

// TestNamesOfARun: commands show names, and replies contain the run's own
// values.
func TestNamesOfARun(t *testing.T) {
	var n names
	units := sim.Units([][]string{{"SET", "k", "mine-1"}})
	units[0].Shown = units[0].Cmds
	if got := n.showUnits(units); fmt.Sprint(got) != fmt.Sprint(units) || n.show("mine-1") != "mine-1" || string(n.read([]byte("$6\r\nmine-1\r\n"))) != "$6\r\nmine-1\r\n" {
		t.Errorf("without names: %v", got)
	}
	n.add("mine-1", "name-one")
	n.add("mine-2", "name-two")
	if got := n.show("mine-1 and mine-2"); got != "name-one and name-two" {
		t.Error(got)
	}
	got := n.showUnits(units)
	if got[0].Cmds[0][2] != "name-one" || got[0].Shown[0][2] != "name-one" || units[0].Cmds[0][2] != "mine-1" {
		t.Errorf("%v, of %v", got, units)
	}
	for reply, want := range map[string]string{
		"":                         "",
		"$8\r\nname-one\r\n":       "$6\r\nmine-1\r\n",
		"+name-two\r\n":            "+mine-2\r\n",
		":1\r\n$8\r\nname-two\r\n": ":1\r\n$6\r\nmine-2\r\n",
		"*2\r\n$8\r\nname-one\r\n*1\r\n$8\r\nname-two\r\n": "*2\r\n$6\r\nmine-1\r\n*1\r\n$6\r\nmine-2\r\n",
		"$9\r\nname-one\r\n": "$9\r\nname-one\r\n", // an incomplete reply
		"name-one":           "name-one",           // no reply
		":1\r\nname-one":     ":1\r\nname-one",
		"$-1\r\n":            "$-1\r\n",
	} {
		if got := string(n.read([]byte(reply))); got != want {
			t.Errorf("%q is read as %q, want %q", reply, got, want)
		}
	}
}

// aRun returns a run that is about to send commands, with earlier events.
func aRun(before []history.Event, ops ...*operation) *run {
	return &run{b: &Bubble{name: "A"}, slots: ops, before: before}
}

func sending(node int, cmd ...string) *operation {
	return &operation{conn: &conn{Conn: &program.Conn{Node: node}}, units: sim.Units([][]string{cmd})}
}

// TestReconcile: if two runs differ only in a random value, it gets a name; any
// other difference is an error.
func TestReconcile(t *testing.T) {
	const one, two = "1234567890123456", "6543210987654321"
	event := func(change func(*history.Event)) []history.Event {
		e := history.Event{Kind: history.Return, Op: "acquire", Outcome: "acquired", Fence: 1, By: 2, Text: "text", Token: "token"}
		change(&e)
		return []history.Event{e}
	}
	same := func(*history.Event) {}
	for _, test := range []struct {
		name string
		a, b *run
		ok   bool
	}{
		{"nothing", aRun(nil), aRun(nil), true},
		{"the same", aRun(event(same), sending(0, "SET", "k", "v")), aRun(event(same), sending(0, "SET", "k", "v")), true},
		{"a random value", aRun(nil, sending(0, "SET", "k", one)), aRun(nil, sending(0, "SET", "k", two)), true},
		{"one within a word", aRun(nil, sending(0, "SET", "k", "node:"+one)), aRun(nil, sending(0, "SET", "k", "node:"+two)), true},
		{"one that comes twice", aRun(nil, nil, sending(0, "SET", one, one)), aRun(nil, nil, sending(0, "SET", two, two)), true},
		{"one that does not come twice", aRun(nil, sending(0, "SET", one, one)), aRun(nil, sending(0, "SET", two, one)), false},
		{"one in what happened", aRun(event(func(e *history.Event) { e.Token = one; e.Text = one }), sending(0, "SET", "k", one)), aRun(event(func(e *history.Event) { e.Token = two; e.Text = two }), sending(0, "SET", "k", two)), true},
		{"one in what happened only", aRun(event(func(e *history.Event) { e.Token = one })), aRun(event(func(e *history.Event) { e.Token = two })), false},
		{"a short value", aRun(nil, sending(0, "SET", "k", "12345")), aRun(nil, sending(0, "SET", "k", "54321")), false},
		{"another node", aRun(nil, sending(0, "GET", "k")), aRun(nil, sending(1, "GET", "k")), false},
		{"one word more", aRun(nil, sending(0, "GET", "k")), aRun(nil, sending(0, "GET", "k", "k")), false},
		{"another access", aRun(nil, &operation{access: sim.Access{Op: "read"}}), aRun(nil, &operation{access: sim.Access{Op: "write"}}), false},
		{"the same access", aRun(nil, &operation{access: sim.Access{Op: "read"}}), aRun(nil, &operation{access: sim.Access{Op: "read"}}), true},
		{"one strand more", aRun(nil, nil, sending(0, "GET", "k")), aRun(nil, nil), false},
		{"nobody there", aRun(nil, sending(0, "GET", "k")), aRun(nil, nil), false},
		{"somebody there", aRun(nil, nil), aRun(nil, sending(0, "GET", "k")), false},
		{"one event more", aRun(event(same)), aRun(nil), false},
		{"another kind", aRun(event(same)), aRun(event(func(e *history.Event) { e.Kind = history.Fail })), false},
		{"another operation", aRun(event(same)), aRun(event(func(e *history.Event) { e.Op = "release" })), false},
		{"another outcome", aRun(event(same)), aRun(event(func(e *history.Event) { e.Outcome = "refused" })), false},
		{"another fence", aRun(event(same)), aRun(event(func(e *history.Event) { e.Fence = 2 })), false},
		{"another length", aRun(event(same)), aRun(event(func(e *history.Event) { e.By = 3 })), false},
		{"another text", aRun(event(same)), aRun(event(func(e *history.Event) { e.Text = "other" })), false},
		{"another token", aRun(event(same)), aRun(event(func(e *history.Event) { e.Token = "other" })), false},
	} {
		err := reconcile(test.a, test.b)
		if test.ok != (err == nil) || err != nil && !errors.Is(err, program.ErrNondeterministic) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	before := named.Load()
	if reconcile(aRun(nil, sending(0, "SET", "k", one)), aRun(nil, sending(0, "SET", "k", two))) != nil || named.Load() != before+1 || Named() != before+1 {
		t.Errorf("%d names after %d", named.Load(), before)
	}
	if before := named.Swap(0); Named() != 0 {
		t.Error("a name was given before any was")
	} else {
		named.Store(before)
	}
}

// TestStream: a client draws the same numbers in each run, and another client others.
func TestStream(t *testing.T) {
	drawn := func(client string) string {
		b := make([]byte, 8)
		if read, err := newStream(client, "").Read(b); read != len(b) || err != nil {
			t.Errorf("%d bytes, %v", read, err)
		}
		return fmt.Sprintf("%x", b)
	}
	if a, b := drawn("A"), drawn("B"); a == b || a != drawn("A") {
		t.Errorf("%s and %s", a, b)
	}
}
