package model

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/simtest"
	"lockstep/sim/bubble"
	"lockstep/sim/history"
	"lockstep/sim/world"
)

// A walk is one way through a model, and the same in a real world.
type walk struct {
	t       *testing.T
	m       *Model
	w       *world.World
	clients []int32
	env     int32
	monitor int32
	real    *history.Monitor
	played  history.Schedule
	kinds   []history.Action
}

// An option is an action that the model offers.
type option struct {
	who int // AnEnv for time and node faults
	to  Effect
	by  history.Action
}

// options lists what the model offers.
func (x *walk) options() (list []option) {
	add := func(who int, effects []Effect, err error) {
		if err != nil {
			x.t.Fatalf("%s: %v", x.played, err)
		}
		for _, e := range effects {
			list = append(list, option{who, e, x.m.Action(e.Action)})
		}
	}
	due := x.m.NextExpiry(x.env)
	for who, client := range x.clients {
		steps, err := x.m.Steps(who, client, x.env, false)
		add(who, steps, err)
		faults, err := x.m.Faults(who, client, x.env, x.kinds)
		add(who, faults, err)
		due = Sooner(due, x.m.Due(who, client, x.env))
	}
	if at, timed := x.w.NextDeadline(); due != at || timed != (due > 0) {
		x.t.Fatalf("%s: time next matters at %d, in the world at %d, %t", x.played, due, at, timed)
	}
	happens := func(a EnvAction, as history.Action) {
		e, err := x.m.Happen(x.env, a)
		if err != nil {
			x.t.Fatalf("%s: %v", x.played, err)
		}
		if e.Possible() {
			list = append(list, option{AnEnv, e, as})
		}
	}
	if due > 0 {
		happens(EnvAction{To: due}, history.Action{Verb: history.Advance, By: due - x.m.Now(x.env)})
	}
	for _, f := range x.kinds {
		switch ofClient, ofNode := f.Concerns(); {
		case ofClient:
		case !ofNode:
			happens(EnvAction{Fault: x.m.Number(f)}, f)
		default:
			for n := range x.m.Subject.Nodes {
				f.Node = history.NodeName(n)
				happens(EnvAction{Fault: x.m.Number(f)}, f)
			}
		}
	}
	return list
}

// offers fails unless the model and the world allow the same.
func (x *walk) offers(list []option) {
	x.t.Helper()
	var got, want []string
	for _, o := range list {
		if o.by.Verb != history.Advance {
			got = append(got, o.by.String())
		}
	}
	kinds := append([]history.Action{{Verb: history.Step}}, x.kinds...)
	for _, a := range x.w.Enabled(kinds...) {
		want = append(want, a.String())
	}
	slices.Sort(got)
	if slices.Sort(want); !slices.Equal(got, want) {
		x.t.Fatalf("%s: the model allows %q, the world %q", x.played, got, want)
	}
}

// seen is what invariants and counts depend on of events.
func seen(events []history.Event) string {
	state := func(k *history.KeyState) string {
		if k == nil {
			return "none"
		}
		return fmt.Sprintf("%+v", *k)
	}
	var lines []string
	for _, e := range events {
		switch e.Kind {
		case history.Request, history.Reply, history.TimeOut, history.Broken, history.Wait, history.Receive:
			continue
		}
		text := fmt.Sprint(e.Kind, " ", e.Client, "/", e.Strand, " ", e.Node, " ", e.Op, " ", e.Outcome, " ", e.Value, " ", e.Version, " ", e.Based, " ", e.Fence, " ", e.By)
		for _, c := range e.Changes {
			text += fmt.Sprintf("; %s: %s -> %s", c.Key, state(c.Before), state(c.After))
		}
		lines = append(lines, text)
	}
	return strings.Join(lines, "\n")
}

// goes takes an option.
func (x *walk) goes(o option) {
	x.t.Helper()
	before := len(x.w.History().Events)
	x.played = append(x.played, o.by)
	if err := x.w.Perform(o.by); err != nil {
		x.t.Fatalf("%s: %v", x.played, err)
	}
	events := x.w.History().Events[before:]
	if got, want := seen(x.m.Events(o.to.Events)), seen(events); got != want {
		x.t.Fatalf("%s: the model has\n%s\nthe world\n%s", x.played, got, want)
	}
	var violates []string
	for _, e := range events {
		violates = append(violates, broken(x.real.Observe(e))...)
	}
	visible := x.m.Visible(o.to.Events)
	j := x.m.Judge(x.monitor, visible)
	if !slices.Equal(broken(j.Violates), violates) || string(x.m.monitors.list[j.Monitor].Canonical()) != string(x.real.Canonical()) {
		x.t.Fatalf("%s: judged %q, in the world %q", x.played, broken(j.Violates), violates)
	}
	if x.env, x.monitor = o.to.Env, j.Monitor; o.who != AnEnv {
		x.clients[o.who] = o.to.Client
	}
	if x.m.Now(x.env) != x.w.Now() {
		x.t.Fatalf("%s: it is %d, in the world %d", x.played, x.m.Now(x.env), x.w.Now())
	}
}

// ends compares what is tried at the end, and reports whether somebody is asleep.
func (x *walk) ends() (asleep bool) {
	x.t.Helper()
	clients, env := x.m.healed(x.t, append(slices.Clone(x.clients), x.env))
	got, undecided := x.m.Recovers(x.t.Context(), clients, env)
	want, _, err := world.Recovers(x.t.Context(), x.m.Config, x.m.Subject, x.played)
	if got != want || (undecided == nil) != (err == nil) {
		x.t.Fatalf("%s: it recovers: %t, %v; in the world %t, %v", x.played, got, undecided, want, err)
	}
	if who := x.m.Stranded(clients, env); who >= 0 && x.m.NextExpiry(env) > 0 {
		x.t.Fatalf("%s: %s is stranded, although a key expires", x.played, x.m.Names[who])
	}
	lost, err := world.LostWakeup(x.t.Context(), x.m.Config, x.m.Subject, x.played)
	asleep = x.m.Listens(x.clients, x.env) && x.m.Stranded(clients, env) >= 0 && got
	if err == nil && asleep != (lost != nil) {
		x.t.Fatalf("%s: somebody is asleep: %t; in the world %v", x.played, asleep, lost)
	}
	return asleep
}

// TestAsPlayed: random walks through a model do what the same schedules do in real worlds,
// which share nothing with it but the rules.
func TestAsPlayed(t *testing.T) {
	parse := func(words string) (kinds []history.Action) {
		for word := range strings.FieldsSeq(words) {
			a := testkit.Must(history.ParseAction(word))(t)
			if a.Client = ""; a.Verb == history.Cut || a.Verb == history.Heal {
				a.Node = ""
			}
			kinds = append(kinds, a)
		}
		return kinds
	}
	for _, tt := range []struct{ lock, kinds string }{
		{"set-lua", "A.send A.late A.lose-reply A.lose-request A.crash flush"},
		{"watch-del", "A.crash A.apply r1.wipe r1.restart"},
		{"fenced", "A.jump+10 A.rate+500 r1.jump+7 A.hang"},
		{"redlock", "A.cut:r1 A.heal:r1 r1.promote+1"},
		{"watchdog-lua", "A.hang A.lose-reply r1.down r1.up"},
		{"watchdog-lua in a bubble", "A.crash A.lose-reply"},
		{"pubsub-wakeup", "A.lose-push A.crash r1.slow r1.fast"},
		{"list-semaphore", "A.crash A.send r1.evict"},
		{"reentrant-hash", "A.crash A.lose-reply"},
		{"getset-timestamp", "A.jump+10 A.crash"},
		{"zk-ephemeral", "A.hang A.lose-reply"},
	} {
		t.Run(tt.lock, func(t *testing.T) {
			lock, inBubble := strings.CutSuffix(tt.lock, " in a bubble")
			subject := simtest.Subject(t, lock)
			if inBubble {
				subject.Start = bubble.Start
			}
			c := history.Default()
			c.Strategy, c.Clients, c.TTL, c.Work, c.Lag = lock, []string{"A", "B"}, 5*history.Second, 2*history.Second, 1
			if subject.Nodes > 1 {
				c.Nodes = 3
			}
			m := New(t.Context(), c, subject, false)
			defer m.Close()
			for seed := range uint64(testkit.Size(t, 20, 5)) {
				walkOf(t, m, parse(tt.kinds), rand.New(rand.NewPCG(seed, 1)))
			}
		})
	}
}

// newWalk begins at the beginning.
func newWalk(t *testing.T, m *Model, kinds []history.Action) *walk {
	t.Helper()
	w := testkit.Must(world.New(m.Config, m.Subject))(t)
	t.Cleanup(w.Close)
	x := &walk{t: t, m: m, w: w, env: m.FreshEnv(), monitor: FreshMonitor, real: history.NewMonitor(m.Config, m.Subject.Nodes), kinds: kinds}
	m.KeepLosses()
	x.real.KeepLosses()
	for who := range m.Config.Processes() {
		x.clients = append(x.clients, m.Fresh(who))
	}
	return x
}

// walkOf goes one random way through a model.
func walkOf(t *testing.T, m *Model, kinds []history.Action, random *rand.Rand) {
	t.Helper()
	x := newWalk(t, m, kinds)
	for range 20 + random.IntN(40) {
		list := x.options()
		if x.offers(list); len(list) == 0 {
			break
		}
		steps := slices.DeleteFunc(slices.Clone(list), func(o option) bool { return o.by.Verb != history.Step })
		if len(steps) > 0 && random.IntN(4) > 0 { // most walks would have nothing but faults
			list = steps
		}
		x.goes(list[random.IntN(len(list))])
	}
	x.ends()
}

// TestAsleep: who waits for a message that nobody will send, in the model as in the world.
func TestAsleep(t *testing.T) {
	for _, tt := range []struct {
		name, lock, schedule string
		want                 bool
	}{
		{"nobody has begun", "pubsub-wakeup", "", false},
		{"the holder still holds", "pubsub-wakeup", "A*2 B*3", false},
		{"the message came before the subscription", "pubsub-wakeup", "A*2 B*2 A*6 B +5001", true},
		{"the same, and the key has not expired", "pubsub-wakeup", "A*2 B*2 A*6 B", true},
		{"the message is there and not read", "pubsub-wakeup", "A*2 B*3 A*6 +5001", false},
		{"the message is lost, and its connection with it", "pubsub-wakeup", "A*2 B*3 A*6 B.lose-push +5001", false},
		{"the holder is dead", "pubsub-wakeup", "A*2 B*3 A.crash +5001", true},
		{"the holder is dead, and its lease is not over", "pubsub-wakeup", "A*2 B*3 A.crash", false},
		{"the holder is dead, and its last request is on its way", "pubsub-wakeup", "A*2 B*3 A*4 A.send A.crash +5001", false},
		{"that has arrived", "pubsub-wakeup", "A*2 B*3 A*4 A.send A.crash +5001 A.late", true},
		{"all are dead", "pubsub-wakeup", "A*2 B*3 A.crash B.crash +5001", false},
		{"the second waits, the first is dead", "pubsub-wakeup", "B*2 A*3 B.crash +5001", true},
		{"the holder works, after its lease", "pubsub-wakeup work=20s", "A*2 B*3 A*2 +5001", false},
		{"the other one sleeps", "pubsub-timed", "A*2 B*5 A.crash +5001", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := testkit.Must(history.ParseConfig("strategy=" + tt.lock + " clients=A,B"))(t)
			s := testkit.Must(history.ParseSchedule(tt.schedule))(t)
			m := New(t.Context(), c, simtest.Subject(t, c.Strategy), false)
			defer m.Close()
			x := newWalk(t, m, []history.Action{{Verb: history.Crash}, {Verb: history.LosePush}, {Verb: history.Send}, {Verb: history.Late}})
			for _, a := range s {
				list := x.options()
				i := slices.IndexFunc(list, func(o option) bool { return o.by == a })
				if a.Verb == history.Advance {
					e := testkit.Must(m.Happen(x.env, EnvAction{To: m.Now(x.env) + a.By}))(t)
					i, list = len(list), append(list, option{AnEnv, e, a})
				}
				if i < 0 {
					t.Fatalf("%s is not offered after %s", a, x.played)
				}
				x.goes(list[i])
			}
			if got := x.ends(); got != tt.want {
				t.Errorf("somebody is asleep: %t", got)
			}
		})
	}
}

// broken lists what violations violate, and how leases were lost.
func broken(violations []history.Violation) (list []string) {
	for _, v := range violations {
		list = append(list, fmt.Sprint(v.Invariant, v.Client, v.Other, v.Lost))
	}
	return list
}
