package scenarios

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
)

func configFor(t *testing.T, text string) history.Config {
	t.Helper()
	c := testkit.Must(history.ParseConfig(text))(t)
	return c
}

func scheduleFor(t *testing.T, text string) history.Schedule {
	t.Helper()
	s := testkit.Must(history.ParseSchedule(text))(t)
	return s
}

// look lists what may happen next, one move per line, after the config's schedule.
func look(t *testing.T, config, schedule string, l *Level) string {
	t.Helper()
	p := testkit.Must(Look(t.Context(), configFor(t, config), scheduleFor(t, schedule), l))(t)
	var b strings.Builder
	for _, m := range p.Moves {
		fmt.Fprintf(&b, "%v", m.Action)
		for _, word := range []string{m.Text.String(), m.Why.String()} {
			if word != "" {
				fmt.Fprintf(&b, " (%s)", word)
			}
		}
		if m.Sent {
			b.WriteString(" sent")
		}
		if m.Due {
			b.WriteString(" due")
		}
		for _, d := range m.Ends {
			fmt.Fprintf(&b, " at %v %s%s sleeps=%v", m.At, d.Key, d.Client, d.Sleeps)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestLook(t *testing.T) {
	level := &Level{Rules: Rules{Moves: []history.Verb{history.Crash}, Faults: 1, Times: 1}}
	for _, c := range []struct {
		name, config, schedule string
		level                  *Level
		want                   string
	}{
		{"at the start", "strategy=set-del", "", level, `
A (its first step)
B (its first step)
+5001
A.crash
B.crash
`},
		{"everything", "strategy=set-del clients=A", "A", nil, `
A (SET lock:stock A-1 EX 5 NX)
+5001
A.send (SET lock:stock A-1 EX 5 NX)
A.lose-request (SET lock:stock A-1 EX 5 NX)
A.lose-reply (SET lock:stock A-1 EX 5 NX)
A.crash
A.hang
A.cancel
A.jump+10000
A.jump-10000
A.rate+250
A.rate+4000
flush
r1.restart
r1.wipe
r1.down
r1.slow
r1.jump+10000
r1.jump-10000
r1.rate+250
r1.rate+4000
A.cut:r1
`},
		{"sent", "strategy=set-del clients=A", "A A.send", level, `
A (SET lock:stock A-1 EX 5 NX) sent
tick at 1s A sleeps=false
A.crash
`},
		{"lost, and due", "strategy=set-del clients=A", "A A.lose-reply tick", nil, `
A (SET lock:stock A-1 EX 5 NX) sent due
tick at 5.001s lock:stock sleeps=false
A.crash
A.hang
A.cancel
A.jump+10000
A.jump-10000
A.rate+250
A.rate+4000
flush
r1.restart
r1.wipe
r1.down
r1.slow
r1.evict
r1.jump+10000
r1.jump-10000
r1.rate+250
r1.rate+4000
A.cut:r1
`},
		{"a sleeper and a dead client", "strategy=set-del work=2s", "A*4 B.crash", level, `
A (sleep 2s) (A sleeps until 2s)
B (its first step) (client B is dead)
tick at 2s A sleeps=true
`},
		{"a late request", "strategy=set-del clients=A", "A A.send tick A", &Level{Rules: Rules{Moves: []history.Verb{history.Late}, Faults: 1}}, `
A (SET lock:stock A-1 EX 5 NX) (A is done)
A.late
`},
	} {
		if got := look(t, c.config, c.schedule, c.level); got != c.want[1:] {
			t.Errorf("%s:\n%swant:%s", c.name, got, c.want)
		}
	}
}

// TestEveryMoveIsPossible: the moves that Look offers are possible after any
// schedule, and those that it refuses are not.
func TestEveryMoveIsPossible(t *testing.T) {
	config := configFor(t, "strategy=watchdog-naive work=4s")
	schedule := history.Schedule{}
	for n := range 40 {
		p := testkit.Must(Look(t.Context(), config, schedule, nil))(t)
		possible := slices.DeleteFunc(slices.Clone(p.Moves), func(m Move) bool { return !m.Why.None() })
		for _, m := range p.Moves {
			_, err := Replay(t.Context(), config, append(slices.Clone(schedule), m.Action))
			if (err == nil) != m.Why.None() {
				t.Fatalf("after %v, %v (%q) gives %v", schedule, m.Action, m.Why, err)
			}
		}
		schedule = append(schedule, possible[n*7%len(possible)].Action)
	}
}

func TestLookAtViolations(t *testing.T) {
	p, err := Look(t.Context(), configFor(t, "strategy=setnx"), scheduleFor(t, "A A.lose-reply"), nil)
	if err != nil || len(p.Violations) != 1 || p.Violations[0].Invariant != history.LockRecovers {
		t.Errorf("found %+v, %v", p, err)
	}
	if _, err := Look(t.Context(), configFor(t, "strategy=setnx"), scheduleFor(t, "A.crash A"), nil); err == nil {
		t.Error("a schedule that is not possible is no error")
	}
}

func TestSuperfluous(t *testing.T) {
	for _, c := range []struct{ config, schedule, goal, want string }{
		{"strategy=set-del", "A*4 B tick B*4 A", history.LostUpdate, "[]"},
		{"strategy=set-del", "A*4 B flush tick B*2 A.jump+10000 B*2 A", history.LostUpdate, "[5 9]"},
		{"strategy=set-del", "A*4 B tick +5001 B*4 A", history.LostUpdate, "[6]"}, // either of them, but not both
		{"strategy=setnx clients=A,B", "B.crash A A.lose-reply tick", history.LockRecovers, "[0 3]"},
	} {
		got, err := Superfluous(t.Context(), configFor(t, c.config), scheduleFor(t, c.schedule), Target{Goal: c.goal}, nil)
		if err != nil || fmt.Sprint(got) != c.want {
			t.Errorf("%s: %v, %v; want %s", c.schedule, got, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Superfluous(ctx, configFor(t, "strategy=setnx"), scheduleFor(t, "A"), Target{Goal: history.Leak}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}
