package world_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/judge"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/world"
	"lockstep/strategies"
)

// A mutant is a lock made of functions, for locks that do not belong in the
// catalogue.
type mutant struct {
	strategies.Env
	lock   func(context.Context, strategies.Env) (strategies.Grant, error)
	unlock func(context.Context, strategies.Env) error
}

func (m mutant) Lock(ctx context.Context) (strategies.Grant, error)   { return m.lock(ctx, m.Env) }
func (m mutant) Unlock(ctx context.Context, _ strategies.Grant) error { return m.unlock(ctx, m.Env) }

func mutantOf(lock func(context.Context, strategies.Env) (strategies.Grant, error), unlock func(context.Context, strategies.Env) error) program.Subject {
	return program.Subject{Nodes: 1, New: func(e strategies.Env) strategies.Lock { return mutant{e, lock, unlock} }}
}

// setNX is a correct acquisition.
func setNX(ctx context.Context, e strategies.Env) (strategies.Grant, error) {
	ok, err := e.Redis.Do(ctx, "SET", e.Key, e.Token(), "NX", "PX", e.TTL.Milliseconds()).Result()
	if ok == nil {
		return strategies.Grant{}, strategies.ErrNotAcquired
	}
	return strategies.Grant{}, err
}

// hasty writes a value based on one read, with the version of a later read.
var hasty = program.Subject{New: func(e strategies.Env) strategies.Lock { return updater{} }}

type updater struct{ mutant }

func (updater) Update(ctx context.Context, r strategies.Resource, change func(int64) int64) error {
	value, _, _ := r.Read(ctx)
	_, version, _ := r.Read(ctx)
	return r.WriteIf(ctx, change(value), version)
}

func del(ctx context.Context, e strategies.Env) error { return e.Redis.Del(ctx, e.Key).Err() }

func nothing(context.Context, strategies.Env) error { return nil }

// verdict runs a schedule and returns the ids of the violated invariants.
func verdict(t *testing.T, c history.Config, s program.Subject, schedule string) []string {
	t.Helper()
	actions := testkit.Must(history.ParseSchedule(schedule))(t)
	w := testkit.Must(world.New(c, s))(t)
	defer w.Close()
	if err := w.Run(actions); err != nil {
		t.Fatalf("%v\n%s", err, transcript(w))
	}
	judge.Agree(t, w.History())
	var ids []string
	for _, v := range history.Check(w.History()) {
		ids = append(ids, fmt.Sprintf("%s@%s", v.Invariant, eventName(w.History().Events[v.Seq])))
	}
	orphan := testkit.Must(world.FindOrphan(t.Context(), w.History(), s))(t)
	if orphan != nil {
		ids = append(ids, fmt.Sprintf("%s@%s", orphan.Invariant, eventName(w.History().Events[orphan.Seq])))
	}
	if t.Failed() || testing.Verbose() {
		t.Log("\n" + transcript(w))
	}
	return ids
}

func eventName(e history.Event) string {
	name := string(e.Kind)
	if len(e.Cmds) > 0 {
		name += " " + e.Cmds[0][0]
	}
	if e.Op != "" {
		name += " " + e.Op
	}
	return name + " " + e.Client
}

func transcript(w *world.World) string {
	text := ""
	for _, l := range history.Lines(w.History().Events, 1) {
		text += fmt.Sprintf("%4d %-3s %s\n", l.Seq, l.Who, l.Text)
	}
	return text
}

// TestInvariants shows, for each invariant, a violation, its event, and a
// similar case without one.
func TestInvariants(t *testing.T) {
	setNXOrNot := func(ctx context.Context, e strategies.Env) (strategies.Grant, error) {
		_, _ = setNX(ctx, e)
		return strategies.Grant{}, nil
	}
	alwaysGranted := func(context.Context, strategies.Env) (strategies.Grant, error) {
		return strategies.Grant{}, nil
	}
	renewing := func(ctx context.Context, e strategies.Env) (strategies.Grant, error) {
		g, err := setNX(ctx, e)
		e.Redis.PExpire(ctx, e.Key, 2*e.TTL)
		return g, err
	}
	renewLater := func(ctx context.Context, e strategies.Env) (strategies.Grant, error) {
		g, err := setNX(ctx, e)
		e.Go("watchdog", func() {
			_ = e.Clock.Sleep(ctx, e.TTL/2)
			e.Redis.PExpire(ctx, e.Key, 3*e.TTL)
		})
		return g, err
	}
	patient := func(ctx context.Context, e strategies.Env) (strategies.Grant, error) {
		for {
			if g, err := setNX(ctx, e); err == nil {
				return g, nil
			}
			_ = e.Clock.Sleep(ctx, e.TTL/10)
		}
	}
	noTTL := func(ctx context.Context, e strategies.Env) (strategies.Grant, error) {
		ok, err := e.Redis.Do(ctx, "SETNX", e.Key, "1").Bool()
		if err == nil && !ok {
			err = strategies.ErrNotAcquired
		}
		return strategies.Grant{}, err
	}
	seizing := func(ctx context.Context, e strategies.Env) (strategies.Grant, error) {
		_ = e.Redis.Do(ctx, "GETSET", e.Key, e.Token()).Err()
		return strategies.Grant{}, e.Redis.Ping(ctx).Err()
	}
	constant := func(ctx context.Context, e strategies.Env) (strategies.Grant, error) {
		e.Token = func() string { return "locked" }
		return setNX(ctx, e)
	}
	compared := func(ctx context.Context, e strategies.Env) error {
		return e.Redis.Do(ctx, "DELEX", e.Key, "IFEQ", "locked").Err()
	}
	watched := func(ctx context.Context, e strategies.Env) (strategies.Grant, error) {
		g, err := constant(ctx, e)
		e.Go("watchdog", func() {
			_ = e.Clock.Sleep(ctx, e.TTL/2)
			if e.Redis.Get(ctx, e.Key).Val() == "locked" {
				e.Redis.PExpire(ctx, e.Key, 3*e.TTL)
			}
		})
		return g, err
	}
	right := subject(t, "set-lua")
	// A sets two nodes, B two, C one; then B gives up and deletes all that it
	// finds.
	naive := subject(t, "redlock-naive")
	const minority = "A*4 B*6 C*7 B*6"
	type test struct {
		name     string
		subject  program.Subject
		config   string
		schedule string
		want     []string
	}
	tests := []test{
		{"mutual exclusion: both enter", mutantOf(alwaysGranted, nothing), "", "A*2 B*2", []string{
			"phantom-hold@return acquire A", "phantom-hold@return acquire B", "mutual-exclusion@resource enter B"}},
		{"mutual exclusion: the second is refused", right, "", "A*3 B*2", nil},
		{"mutual exclusion: the first died inside", right, "", "A*3 A.crash +6000 B*3", nil},

		{"foreign release: DEL of the next holder's", mutantOf(setNX, del), "", "A*6 +6000 B*2 A", []string{
			"foreign-release@apply DEL A", "phantom-hold@apply DEL A"}},
		{"foreign release: before the reply is read", mutantOf(setNX, del), "", "A*6 +6000 B B.apply A", []string{"foreign-release@apply DEL A"}},
		{"foreign release: a vote of another's that is no majority", naive, "clients=A,B,C", minority, nil},
		{"foreign release: one's own", mutantOf(setNX, del), "", "A*7 B*2", nil},
		{"foreign release: a dead client's", mutantOf(setNX, del), "", "A*6 +6000 B*2 B.crash A", nil},

		{"foreign renewal: the watchdog of a lock long gone", mutantOf(renewLater, del), "", "A*2 A/1 A*5 B*2 +2500 A/1*2", []string{
			"foreign-renewal@apply PEXPIRE A"}},
		{"foreign renewal: one's own", mutantOf(renewLater, del), "", "A*2 A/1 +2500 A/1*2", nil},

		{"equal tokens: the release compares", mutantOf(constant, compared), "", "A*6 +6000 B*2 A", []string{
			"equal-tokens@apply DELEX A", "phantom-hold@apply DELEX A"}},
		{"equal tokens: it does not", mutantOf(constant, del), "", "A*6 +6000 B*2 A", []string{
			"foreign-release@apply DEL A", "phantom-hold@apply DEL A"}},
		{"equal tokens: a dead client's", mutantOf(constant, compared), "", "A*6 +6000 B*2 B.crash A", nil},
		{"equal tokens: one's own", mutantOf(constant, compared), "", "A*7 B*2", nil},
		{"equal tokens: the watchdog has read", mutantOf(watched, compared), "", "A*2 A/1 A*2 +5001 B*2 A/1*3", []string{
			"phantom-hold@expire ", "equal-tokens@apply PEXPIRE A"}},

		{"overwritten lease: the refused client renews", mutantOf(renewing, del), "", "A*3 +1000 B*3", []string{
			"foreign-renewal@apply PEXPIRE B", "overwritten-lease@return acquire B"}},
		{"overwritten lease: it only asks", right, "", "A*3 B*2", nil},

		{"phantom hold: the lease ends under its holder", right, "", "A*2 +5001", []string{"phantom-hold@expire "}},
		{"phantom hold: what it had overwritten is gone, and made anew", mutantOf(seizing, del), "clients=A,B,C", "B*2 A*2 B*6 C*2 A", []string{
			"phantom-hold@return acquire A"}},
		{"phantom hold: what it had overwritten is still there", mutantOf(seizing, del), "", "B*2 A*3 B", []string{
			"phantom-hold@return acquire B"}},
		{"phantom hold: not yet at the deadline", right, "", "A*2 +5000", nil},
		{"phantom hold: released in time", right, "", "A*8 +5001", nil},

		{"lock recovers: no TTL and a crash", mutantOf(noTTL, del), "", "A*2 B A.crash +1000", []string{"lock-recovers@fault crash A"}},
		{"lock recovers: no TTL and no crash", mutantOf(noTTL, del), "", "A*2 +1000", nil},
		{"lock recovers: a TTL and a crash", right, "", "A*2 A.crash +1000", nil},

		{"self-deadlock: a lost reply and another attempt", right, "wait=2s", "A A.lose-reply +1000 A +100 A*2", []string{
			"self-deadlock@return acquire A"}},
		{"self-deadlock: once for each key of its own", right, "wait=20s", "A A.lose-reply +1000 A +100 A*2 +100 A*2 +4000 A A.lose-reply +1000 A +100 A*2", []string{
			"self-deadlock@return acquire A", "self-deadlock@return acquire A"}},
		{"self-deadlock: it waits inside Lock", mutantOf(patient, del), "", "A A.lose-reply +1000 A", []string{
			"self-deadlock@sleep A"}},
		{"self-deadlock: another's lock is no self-deadlock", mutantOf(patient, del), "", "A*2 B*2 +500 B*2", nil},

		{"stale write: after the next holder has read", right, "stock=9", "A*4 +5001 B*4 A", []string{
			"phantom-hold@expire ", "mutual-exclusion@resource enter B", "stale-write@resource write A"}},
		{"stale write: the writer still owns the lock", mutantOf(setNXOrNot, nothing), "stock=9", "A*4 B*4 A", []string{
			"phantom-hold@return acquire B", "mutual-exclusion@resource enter B"}},
		{"stale write: a nested acquisition is no newer lease", subject(t, "reentrant-counter"), "stock=9 nest=2", "A*4 +5001 B*4 A", []string{
			"phantom-hold@expire ", "mutual-exclusion@resource enter B", "stale-write@resource write A"}},
		{"stale write: nobody else came", right, "stock=9", "A*4 +5001 A", []string{"phantom-hold@expire "}},

		{"lost update: two wrote what one had read", mutantOf(alwaysGranted, nothing), "stock=9", "A*3 B*3 A B", []string{
			"phantom-hold@return acquire A", "phantom-hold@return acquire B", "mutual-exclusion@resource enter B",
			"stale-write@resource write A", "lost-update@resource write B"}},
		{"lost update: the old value on the newer version", hasty, "stock=2", "B*2 A*4 B*2", []string{"lost-update@resource write B"}},
		{"lost update: the newer value", hasty, "stock=2", "A*4 B*4", nil},
		{"lost update: nothing is left", hasty, "stock=1", "A*4 B*4", nil},
		{"lost update: one after the other", right, "stock=9", "A*8 B*7", nil},

		{"leak: release that does nothing", mutantOf(setNX, nothing), "", "A*6", []string{"leak@return release A"}},
		{"leak: the request of the release was lost", mutantOf(setNX, func(ctx context.Context, e strategies.Env) error {
			if err := del(ctx, e); err != nil {
				return strategies.ErrUnknown
			}
			return nil
		}), "", "A*6 A.lose-request +1000 A", nil},

		{"panic: at the release", mutantOf(setNX, func(context.Context, strategies.Env) error { panic("boom") }), "", "A*6", []string{"panic@panic A"}},
		{"panic: a crash is none", right, "", "A*5 A.crash", nil},
	}
	for _, id := range history.Invariants() {
		if id == history.LostWakeup || id == history.BlockedForever { // see TestLostWakeup, and TestBlockedForever of locktest
			continue
		}
		if !slices.ContainsFunc(tests, func(tt test) bool {
			return slices.ContainsFunc(tt.want, func(w string) bool { return strings.HasPrefix(w, id+"@") })
		}) {
			t.Errorf("nothing violates %s", id)
		}
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := testkit.Must(history.ParseConfig("strategy=set-lua clients=A,B " + tt.config))(t)
			if got := verdict(t, c, tt.subject, tt.schedule); !slices.Equal(got, tt.want) {
				t.Errorf("violated\n %q\nwant\n %q", got, tt.want)
			}
		})
	}
}
