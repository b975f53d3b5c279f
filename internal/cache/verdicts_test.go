package cache

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"lockstep/internal/lang"
	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// verdictsIn keeps the verdicts on code of that name.
func verdictsIn(s *Store, code string) *Verdicts {
	return &Verdicts{Store: s, Code: func(string) (string, bool) { return code, code != "" }}
}

// fresh has a new store.
func fresh(t *testing.T) *Verdicts { return verdictsIn(storeAt(t, aDay), "code") }

// asked is a question about a lock of the catalogue.
func asked(t *testing.T, lock, hazard string) explore.Question {
	t.Helper()
	subject := testkit.Must(scenarios.SubjectOf(lock))(t)
	h, ok := explore.FindHazard(hazard)
	if !ok {
		t.Fatal(hazard)
	}
	h = h.On(subject)
	h.Bounds.States, h.Bounds.Depth = 2000, 100
	l := explore.Lock{ID: lock, Subject: subject}
	return explore.Question{Lock: l, Hazard: h, Config: h.Config(l, "A", "B")}
}

// answered asks by a row with a shelf.
func answered(t *testing.T, v *Verdicts, q explore.Question, o explore.Options) explore.Report {
	t.Helper()
	row := explore.NewRow(t.Context(), q.Lock)
	defer row.Close()
	return testkit.Must(row.Answer(t.Context(), v, q, o))(t)
}

// TestSecondTime: what is found is what was computed, and since when.
func TestSecondTime(t *testing.T) {
	v := fresh(t)
	for _, tt := range []struct {
		lock, hazard string
		verdict      explore.Verdict
	}{
		{"setnx", "crash", explore.Violated}, {"setnx", "lost-reply", explore.Violated}, {"set-lua", "contention", explore.Holds},
		{"setnx", "script-flush", explore.Vacuous}, {"redlock-naive", "node-restart", explore.Violated}, {"pubsub-wakeup", "lost-push", explore.Violated},
		{"weak-token", "client-clock", explore.Violated}, {"watchdog-lua", "overrun", explore.Violated}, {"zk-blind", "overrun", explore.Violated},
	} {
		q := asked(t, tt.lock, tt.hazard)
		first, second := answered(t, v, q, explore.Options{}), answered(t, v, q, explore.Options{})
		if !first.Since.IsZero() || !second.Since.Equal(aDay) {
			t.Errorf("%s, %s: the first is since %v, the second since %v", tt.lock, tt.hazard, first.Since, second.Since)
		}
		if verdict, _ := second.Verdict(); verdict != tt.verdict {
			t.Errorf("%s, %s: %s", tt.lock, tt.hazard, verdict)
		}
		second.Since = time.Time{}
		if got, want := fmt.Sprintf("%+v", second), fmt.Sprintf("%+v", first); got != want {
			t.Errorf("%s, %s:\n%s\nwas\n%s", tt.lock, tt.hazard, got, want)
		}
	}
	q := asked(t, "setnx", "crash")
	v.Store.Fresh = true
	if r := answered(t, v, q, explore.Options{}); !r.Since.IsZero() {
		t.Error("a fresh report is from the cache")
	}
	v.Store.Fresh = false
	for _, other := range []*Verdicts{verdictsIn(v.Store, "other code"), verdictsIn(v.Store, ""), verdictsIn(nil, "code"), nil} {
		if _, ok := other.FindAnswer(t.Context(), q); ok {
			t.Errorf("%+v has it", other)
		}
		other.KeepAnswer(q, Answer{})
	}
}

// TestKeyFoundSince: an answer in the world of a key that was found since the question was
// asked is one to that question; an answer in another world is none.
func TestKeyFoundSince(t *testing.T) {
	for _, change := range []struct {
		by    func(*history.Config)
		found bool
	}{
		{func(c *history.Config) { c.LockKey = "locks:lock:stock" }, true},
		{func(c *history.Config) { c.Rounds = 2 }, false},
	} {
		v, q := fresh(t), asked(t, "set-lua", "contention")
		in := q.Config
		change.by(&in)
		row := explore.NewRow(t.Context(), q.Lock)
		defer row.Close()
		r := testkit.Must(row.Explore(t.Context(), q.Hazard, in, explore.Options{}))(t)
		v.KeepAnswer(q, Answer{Report: r})
		a, ok := v.FindAnswer(t.Context(), q)
		if ok != change.found || ok && a.Config.String() != in.String() {
			t.Errorf("%v: found %t, in %v", in, ok, a.Config)
		}
	}
}

// TestKeyHasEverything: every field of a configuration, of the bounds and of a subject
// makes another key. A new field of a type that this does not know fails it.
func TestKeyHasEverything(t *testing.T) {
	v := fresh(t)
	base := func() explore.Question {
		q := asked(t, "setnx", "crash")
		q.Lock.Subject = program.Subject{Nodes: 1}
		return q
	}
	known := map[Key]string{}
	note := func(what string, q explore.Question, more ...string) {
		t.Helper()
		k, ok := v.KeyOf(q, more...)
		if other, taken := known[k]; taken || !ok {
			t.Errorf("%s has the key of %s, %v", what, other, ok)
		}
		known[k] = what
	}
	note("the question", base())
	each := func(name string, of func(*explore.Question) any) {
		q := base()
		for i := range reflect.ValueOf(of(&q)).Elem().NumField() {
			q := base()
			at := reflect.ValueOf(of(&q)).Elem()
			field := at.Type().Field(i).Name
			switch altered := alter(at.Field(i)); {
			case !altered && field != "New": // code, which is known by its hash
				t.Errorf("%s.%s: what is it?", name, field)
			case field == "Memory": // what that ended is not kept
				if k, _ := v.KeyOf(q); known[k] != "the question" {
					t.Errorf("%s.%s is in the key", name, field)
				}
			case altered:
				note(name+"."+field, q)
			}
		}
	}
	each("Config", func(q *explore.Question) any { return &q.Config })
	each("Bounds", func(q *explore.Question) any { return &q.Hazard.Bounds })
	each("Fault", func(q *explore.Question) any { return &q.Hazard.Bounds.Faults[0] })
	each("Subject", func(q *explore.Question) any { return &q.Lock.Subject })
	q := base()
	q.Hazard.ID = "hang"
	note("another hazard", q)
	q = base()
	q.First = true
	note("enough", q)
	note("more", base(), "a plan")
	note("still more", base(), "a plan", "")
	v = verdictsIn(v.Store, "other code")
	note("other code", base())
	if n := reflect.TypeFor[explore.Question]().NumField(); n != 4 {
		t.Errorf("a question has %d fields; are all of them in the key?", n)
	}
}

// alter changes a value; false if it does not know how.
func alter(v reflect.Value) bool {
	switch v.Interface().(type) {
	case func(*history.Config):
		v.Set(reflect.ValueOf(func(*history.Config) {}))
		return true
	case func(history.Config, program.Subject, string) program.Code:
		v.Set(reflect.ValueOf(func(history.Config, program.Subject, string) program.Code { return nil }))
		return true
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		v.SetUint(v.Uint() + 1)
	case reflect.Slice:
		longer := reflect.New(v.Type().Elem()).Elem()
		v.Set(reflect.Append(v, longer))
	case reflect.Map:
		m := reflect.MakeMap(v.Type())
		m.SetMapIndex(reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem())
		v.Set(m)
	default:
		return false
	}
	return true
}

// TestOnlyWhatLasts: what another search might answer otherwise is not kept.
func TestOnlyWhatLasts(t *testing.T) {
	q := asked(t, "set-lua", "contention")
	whole := explore.Report{Hazard: q.Hazard.ID, Config: q.Config, Bounds: q.Hazard.Bounds, States: 1}
	for _, tt := range []struct {
		name  string
		but   func(*explore.Report)
		keeps bool
	}{
		{"complete", func(*explore.Report) {}, true},
		{"states", func(r *explore.Report) { r.Limit = "states" }, true},
		{"depth", func(r *explore.Report) { r.Limit = "depth" }, true},
		{"first", func(r *explore.Report) { r.Limit = explore.FirstViolation }, true},
		{"memory", func(r *explore.Report) { r.Limit = "memory" }, false},
		{"interrupt", func(r *explore.Report) { r.Limit = "interrupt" }, false},
		{"real time", func(r *explore.Report) { r.Limit = explore.RealTime }, false},
		{"recovery", func(r *explore.Report) { r.Limit = "recovery" }, false},
		{"runs", func(r *explore.Report) { r.Limit = "runs" }, false},
		{"panic", func(r *explore.Report) { r.Trouble = lang.New("%s", "it panicked") }, false},
		{"from the cache", func(r *explore.Report) { r.Since = aDay }, false},
		{"another configuration", func(r *explore.Report) { r.Config.Rounds++ }, false},
		{"other bounds", func(r *explore.Report) { r.Bounds.Ticks++ }, false},
		{"another hazard", func(r *explore.Report) { r.Hazard = "hang" }, false},
		{"another server", func(r *explore.Report) { r.Server = sim.ZooKeeper }, false},
	} {
		v := fresh(t)
		r := whole
		tt.but(&r)
		v.Keep(q, r)
		if _, ok := v.Find(t.Context(), q); ok != tt.keeps {
			t.Errorf("%s: found %v", tt.name, ok)
		}
	}
}

// TestInterruptedIsNotKept: a search that somebody ended has no verdict, and what it
// found by then is not all there is.
func TestInterruptedIsNotKept(t *testing.T) {
	keeps := &keeper{}
	q := asked(t, "set-lua", "overrun")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	row := explore.NewRow(t.Context(), q.Lock)
	defer row.Close()
	testkit.Must(row.Answer(ctx, keeps, q, explore.Options{}))(t)
	if len(keeps.kept) > 0 {
		t.Errorf("kept %+v", keeps.kept)
	}
}

// TestFirst: on demand only the first counterexample is played.
func TestFirst(t *testing.T) {
	q := asked(t, "setnx", "lost-reply")
	r := answered(t, (*Verdicts)(nil), q, explore.Options{})
	if len(r.Found) < 2 {
		t.Fatalf("found %+v", r.Found)
	}
	for n := range 2 {
		wrong := r
		wrong.Found = slices.Clone(r.Found)
		wrong.Found[n].Violation.Key = "other"
		for _, first := range []bool{false, true} {
			v := fresh(t)
			v.First = first
			v.Keep(q, wrong)
			if _, ok := v.Find(t.Context(), q); ok != (first && n == 1) {
				t.Errorf("the counterexample %d is wrong, only the first is played: %v; found %v", n, first, ok)
			}
		}
	}
}

// TestDropped: if a search fails, nothing is left of what the row has put on the shelf.
func TestDropped(t *testing.T) {
	v := fresh(t)
	q := asked(t, "set-lua", "contention")
	build := q.Lock.Subject.New
	fickle, runs := false, 0
	q.Lock.Subject.New = func(e strategies.Env) strategies.Lock {
		if runs++; fickle && runs%2 == 0 { // code that differs from one run to the next
			e.Key += "-other"
		}
		return build(e)
	}
	row := explore.NewRow(t.Context(), q.Lock)
	defer row.Close()
	for _, fickle = range []bool{false, true} {
		other := q
		if fickle {
			other.Config.Rounds++
		}
		_, err := row.Answer(t.Context(), v, other, explore.Options{})
		if _, ok := v.Find(t.Context(), q); ok == fickle || (err != nil) != fickle {
			t.Errorf("fickle: %v; found %v, %v", fickle, ok, err)
		}
	}
}

// TestRead: nothing is kept of a lock of which it is not known what it has looked at, and
// nothing is found once that has changed.
func TestRead(t *testing.T) {
	v := fresh(t)
	name := filepath.Join(t.TempDir(), "mode")
	v.Read = func(lock string) (Read, bool) {
		return ReadNow([]string{"getenv MODE", "open " + name}), lock == "set-lua"
	}
	for lock, may := range map[string]bool{"set-lua": true, "set-del": false} {
		q := asked(t, lock, "contention")
		answered(t, v, q, explore.Options{})
		if _, ok := v.Find(t.Context(), q); ok != may {
			t.Errorf("%s: found %v", lock, ok)
		}
	}
	testkit.OK(t, os.WriteFile(name, nil, 0o600))
	if _, ok := v.Find(t.Context(), asked(t, "set-lua", "contention")); ok {
		t.Error("found, though a file is there now")
	}
}

// A keeper has nothing, and keeps everything.
type keeper struct{ kept []explore.Report }

func (*keeper) Find(context.Context, explore.Question) (explore.Report, bool) {
	return explore.Report{}, false
}

func (k *keeper) Keep(_ explore.Question, r explore.Report) { k.kept = append(k.kept, r) }

// TestInterruptKeeps: what was decided by an interrupt is found the next time, and only
// that; in the end the matrix is what it is without a cache.
func TestInterruptKeeps(t *testing.T) {
	v := fresh(t)
	var locks []explore.Lock
	for _, id := range []string{"setnx", "set-del", "set-lua"} {
		locks = append(locks, asked(t, id, "crash").Lock)
	}
	var hazards []explore.Hazard
	for _, id := range []string{"contention", "crash", "overrun"} {
		h, _ := explore.FindHazard(id)
		hazards = append(hazards, h)
	}
	matrix := func(ctx context.Context, shelf explore.Shelf, progress func(done, total int, c explore.Report)) []explore.Report {
		t.Helper()
		return testkit.Must(explore.Matrix(ctx, locks, hazards, explore.Within(explore.Bounds{States: 5000, Depth: 100}, "A", "B"), 1, shelf, progress))(t)
	}
	const each = 2 // new cells, until the interrupt
	for n := 0; ; n++ {
		ctx, cancel := context.WithCancel(t.Context())
		fresh := 0
		cells := matrix(ctx, v, func(_, _ int, c explore.Report) {
			if c.Since.IsZero() && c.Limit != "interrupt" {
				if fresh++; fresh == each {
					cancel()
				}
			}
		})
		cancel()
		found := 0
		for _, c := range cells {
			if !c.Since.IsZero() {
				found++
			}
		}
		if want := min(each*n, len(cells)); found != want {
			t.Fatalf("after %d interrupts %d of %d cells are found, want %d", n, found, len(cells), want)
		}
		if found < len(cells) {
			continue
		}
		for i := range cells {
			cells[i].Since = time.Time{}
		}
		for i, want := range matrix(t.Context(), nil, nil) {
			got := cells[i]
			// What was learned for one hazard serves the next.
			got.ClientRuns, got.NodeRuns, got.Bytes = want.ClientRuns, want.NodeRuns, want.Bytes
			if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
				t.Errorf("%+v\nwant\n%+v", got, want)
			}
		}
		return
	}
}

// TestReplayed: a counterexample that does not violate what it did is no answer.
func TestReplayed(t *testing.T) {
	q := asked(t, "setnx", "crash")
	found := answered(t, (*Verdicts)(nil), q, explore.Options{})
	if len(found.Found) != 1 {
		t.Fatalf("found %+v", found.Found)
	}
	for _, tt := range []struct {
		name string
		but  func(*explore.Found)
		is   bool
	}{
		{"as it was", func(*explore.Found) {}, true},
		{"a part of the schedule", func(f *explore.Found) { f.Schedule = f.Schedule[:1] }, false},
		{"an impossible schedule", func(f *explore.Found) { f.Schedule = append(slices.Clone(f.Schedule), f.Schedule...) }, false},
		{"an invariant", func(f *explore.Found) { f.Violation.Invariant = history.LostUpdate }, false},
		{"a key", func(f *explore.Found) { f.Violation.Key = "other" }, false},
		{"a detail", func(f *explore.Found) { f.Violation.Detail = lang.New("%s", "other") }, false},
		{"a client", func(f *explore.Found) { f.Violation.Client = "B" }, false},
		{"another client", func(f *explore.Found) { f.Violation.Other = "B" }, false},
	} {
		v := fresh(t)
		r := found
		r.Found = slices.Clone(r.Found)
		tt.but(&r.Found[0])
		v.Keep(q, r)
		if n, _, _ := v.Store.Size(); n != 1 {
			t.Fatalf("%s: %d entries", tt.name, n)
		}
		if _, ok := v.Find(t.Context(), q); ok != tt.is {
			t.Errorf("%s: found %v", tt.name, ok)
		}
	}
}

// TestReplayedOfBoth: a counterexample counts too where its run violates the invariant by
// another client before.
func TestReplayedOfBoth(t *testing.T) {
	r := answered(t, (*Verdicts)(nil), asked(t, "set-del", "overrun"), explore.Options{})
	s := testkit.Must(history.ParseSchedule("A*4 B tick B*2 A*3"))(t)
	run := testkit.Must(scenarios.ReplayIf(t.Context(), r.Config, s, r.Refuses(s)))(t)
	who := ""
	for _, v := range run.Violations {
		r.Found = []explore.Found{{Violation: v, Schedule: s}}
		if !Replay(t.Context(), &r, false) {
			t.Errorf("%s of %s: not violated again", v.Invariant, v.Client)
		}
		if v.Invariant == history.PhantomHold {
			who += v.Client
		}
	}
	if who != "AB" {
		t.Errorf("phantom-hold of %q, in %v", who, run.Violations)
	}
}

// TestReplayedWithinBounds: a counterexample beyond the bounds of its search is none.
func TestReplayedWithinBounds(t *testing.T) {
	found := answered(t, (*Verdicts)(nil), asked(t, "getset-timestamp", "client-clock"), explore.Options{})
	if len(found.Found) == 0 {
		t.Fatal("nothing found")
	}
	longest, ticks := 0, 0
	for i := range found.Found {
		s := found.Found[i].Schedule
		longest, ticks = max(longest, len(s)), max(ticks, found.Bounds.Spending(s).Ticks)
	}
	for _, tt := range []struct {
		name string
		but  func(*explore.Bounds)
		is   bool
	}{
		{"as they were", func(*explore.Bounds) {}, true},
		{"as long", func(b *explore.Bounds) { b.Depth = longest }, true},
		{"shorter", func(b *explore.Bounds) { b.Depth = longest - 1 }, false},
		{"of any length", func(b *explore.Bounds) { b.Depth = 0 }, true},
		{"with as much time", func(b *explore.Bounds) { b.Ticks = ticks }, true},
		{"with less time", func(b *explore.Bounds) { b.Ticks = ticks - 1 }, false},
		{"without faults", func(b *explore.Bounds) { b.Budget = 0 }, false},
		{"with other faults", func(b *explore.Bounds) { b.Faults = []history.Action{{Verb: history.Crash}} }, false},
	} {
		r := found
		r.Found = slices.Clone(found.Found)
		tt.but(&r.Bounds)
		if Replay(t.Context(), &r, false) != tt.is {
			t.Errorf("%s: not %v", tt.name, tt.is)
		}
	}
}
