package cache

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"lockstep/internal/testkit"
	"lockstep/scenarios"
	"lockstep/sim"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/model"
	"lockstep/strategies"
)

// learnedIn keeps what is learned however little it is.
func learnedIn(v *Verdicts) *learned { return &learned{v, nil, 0} }

// explored explores with a keeper, which may be nil.
func explored(t *testing.T, k explore.Keeper, q explore.Question) explore.Report {
	t.Helper()
	return exploredWith(t, k, q, explore.Options{Jobs: 2})
}

func exploredWith(t *testing.T, k explore.Keeper, q explore.Question, o explore.Options) explore.Report {
	t.Helper()
	row := explore.NewRow(t.Context(), q.Lock)
	defer row.Close()
	row.Keeper = k
	r, err := row.Explore(t.Context(), q.Hazard, q.Config, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// but returns what a report says, but for the runs of code.
func but(r explore.Report) string {
	r.ClientRuns, r.Learned, r.Merging.Runs = 0, time.Time{}, 0
	return fmt.Sprintf("%+v", r)
}

// TestLearnedAlike: a second question about a lock has the report that it has without
// what was learned for the first, and runs almost no code.
func TestLearnedAlike(t *testing.T) {
	for _, tt := range []struct {
		lock, hazard string
		kept         bool
	}{
		{"setnx", "lost-reply", true}, {"watchdog-naive", "overrun", true}, {"redlock", "overrun", true}, {"pubsub-wakeup", "lost-push", true},
		{"optimistic-version", "crash", true}, {"zk-lock", "overrun", true}, {"weak-token", "client-clock", false}, // it spins
	} {
		if kept := alike(t, tt.lock, tt.hazard); kept != tt.kept {
			t.Errorf("%s, %s: kept %v", tt.lock, tt.hazard, kept)
		}
	}
}

// TestAllLearnedAlike is TestLearnedAlike for every lock.
func TestAllLearnedAlike(t *testing.T) {
	testkit.Long(t, "it explores each lock eight times")
	for _, info := range strategies.Catalogue() {
		alike(t, info.ID, "overrun")
		alike(t, info.ID, "lost-reply")
	}
}

// alike compares the reports on some questions with and without what was learned, and
// reports whether anything was kept.
func alike(t *testing.T, lock, hazard string) bool {
	t.Helper()
	q := asked(t, lock, hazard)
	q.Hazard.Bounds.States = 300
	k := learnedIn(verdictsIn(storeAt(t, aDay), "code"))
	first := explored(t, k, q)
	_, _, kept := k.Recall(q)
	for _, change := range []func(*explore.Question){
		func(q *explore.Question) { q.Hazard.Bounds.Depth = 99 },
		func(q *explore.Question) { q.Hazard.Bounds.States = 400 },
		func(q *explore.Question) {
			other := asked(t, lock, "crash")
			other.Hazard.Bounds.States = 200
			other.Config, *q = q.Config, other
		},
	} {
		other := q
		change(&other)
		want, got := explored(t, nil, other), explored(t, k, other)
		if but(got) != but(want) {
			t.Errorf("%s, %s:\n%s\nwant\n%s", lock, other.Hazard.ID, but(got), but(want))
		}
		// It takes a run to begin, and a few that compare.
		if again := other.Hazard.Bounds.Depth == 99; again && kept && (got.Learned.IsZero() || 2*got.ClientRuns > first.ClientRuns+64) {
			t.Errorf("%s, %s: code ran %d times, before %d times", lock, other.Hazard.ID, got.ClientRuns, first.ClientRuns)
		}
	}
	return kept
}

// TestLearnedKey: what is learned holds for a lock, its code and a configuration, whatever
// the hazard and its bounds, but for Exact. TestKeyHasEverything has the parts.
func TestLearnedKey(t *testing.T) {
	v := verdictsIn(storeAt(t, aDay), "code")
	q := asked(t, "setnx", "crash")
	key := func(v *Verdicts, q explore.Question, more ...string) Key {
		t.Helper()
		k, ok := learned{v, more, 0}.key(q)
		if !ok {
			t.Fatal("no key")
		}
		return k
	}
	for i := range reflect.TypeFor[explore.Bounds]().NumField() {
		other := q
		other.Hazard.Bounds.Faults = slices.Clone(q.Hazard.Bounds.Faults)
		field := reflect.TypeFor[explore.Bounds]().Field(i).Name
		alter(reflect.ValueOf(&other.Hazard.Bounds).Elem().Field(i))
		if same := key(v, other) == key(v, q); same == (field == "Exact") {
			t.Errorf("with another %s, the key is the same: %v", field, same)
		}
	}
	other := q
	other.Hazard.ID, other.Enough = "hang", true
	if key(v, other) != key(v, q) {
		t.Error("another hazard has another key")
	}
	if verdict, _ := v.KeyOf(q); verdict == key(v, q) {
		t.Error("a verdict has the same key")
	}
	keys := map[Key]bool{key(v, q): true, key(v, q, "a plan"): true, key(verdictsIn(v.Store, "other code"), q): true}
	for _, of := range []any{&other.Config, &other.Lock.Subject} {
		for i := range reflect.ValueOf(of).Elem().NumField() {
			other = q
			other.Lock.Subject.New = nil
			if alter(reflect.ValueOf(of).Elem().Field(i)) {
				keys[key(v, other)] = true
			}
		}
	}
	if want := 3 + reflect.ValueOf(q.Config).NumField() + reflect.ValueOf(q.Lock.Subject).NumField() - 1; len(keys) != want {
		t.Errorf("%d keys, want %d", len(keys), want)
	}
}

// TestLearnedIsBounded: little is not worth an entry, what is fresh is not recalled, and
// without a store nothing is kept.
func TestLearnedIsBounded(t *testing.T) {
	v := verdictsIn(storeAt(t, aDay), "code")
	q := asked(t, "setnx", "crash")
	explored(t, v.Learned(), q)
	if n, _, _ := v.Store.Size(); n != 0 {
		t.Errorf("%d entries", n)
	}
	k := learnedIn(v)
	explored(t, k, q)
	v.Read = func(string) (Read, bool) { return Read{}, false }
	v.Store.Fresh = true
	if r := explored(t, k, q); !r.Learned.IsZero() {
		t.Error("a fresh search believes")
	}
	for _, none := range []*Verdicts{nil, {}} {
		if none.Learned() != nil {
			t.Errorf("%+v keeps", none)
		}
	}
	k = learnedIn(verdictsIn(storeAt(t, aDay), ""))
	explored(t, k, q)
	if n, _, _ := k.Store.Size(); n != 0 {
		t.Error("what unknown code does is kept")
	}
}

// poisons are changes of what was kept that leave its form as it is.
var poisons = map[string]func(w *model.KeptWay){
	"no event":       func(w *model.KeptWay) { w.Events = nil },
	"an event twice": func(w *model.KeptWay) { w.Events = append(slices.Clone(w.Events), w.Events...) },
	"another event": func(w *model.KeptWay) {
		w.Events = slices.Clone(w.Events)
		for i := range w.Events {
			w.Events[i].Kind = history.Enter
		}
	},
	"acquired": func(w *model.KeptWay) {
		w.Events = slices.Clone(w.Events)
		for i := range w.Events {
			w.Events[i].Outcome = history.Acquired
		}
	},
	"another command": func(w *model.KeptWay) {
		w.Wants = slices.Clone(w.Wants)
		for i := range w.Wants {
			if w.Wants[i].Units = slices.Clone(w.Wants[i].Units); len(w.Wants[i].Units) > 0 {
				w.Wants[i].Units[0].Cmds = [][]string{{"DEL", "lock:stock"}}
				w.Wants[i].Units[0].Shown = w.Wants[i].Units[0].Cmds
			}
		}
	},
	"no command": func(w *model.KeptWay) {
		w.Wants = slices.Clone(w.Wants)
		for i := range w.Wants {
			if w.Wants[i].Units = slices.Clone(w.Wants[i].Units); len(w.Wants[i].Units) > 0 {
				w.Wants[i].Units[0].Cmds = [][]string{{"HELLO?"}}
			}
		}
	},
	"another client": func(w *model.KeptWay) {
		w.Events = slices.Clone(w.Events)
		for i := range w.Events {
			w.Events[i].Client = "Z"
		}
	},
	"no such event": func(w *model.KeptWay) {
		w.Events = append(slices.Clone(w.Events), history.Event{Kind: "x", Client: "A", Node: "r9", Call: -1, During: 1 << 40, Changes: []history.Change{{}}})
	},
	"an unknown access": func(w *model.KeptWay) {
		w.Wants = slices.Clone(w.Wants)
		for i := range w.Wants {
			w.Wants[i].Saw, w.Wants[i].Access = sim.SawAccess, sim.Access{Op: "x", Based: -1}
		}
	},
	"a message": func(w *model.KeptWay) {
		w.Wants = slices.Clone(w.Wants)
		for i := range w.Wants {
			w.Wants[i].Saw, w.Wants[i].Conn, w.Wants[i].Blocks, w.Wants[i].Of = sim.SawPush, 1<<19, -1, -5
		}
	},
	"over": func(w *model.KeptWay) {
		w.Wants = slices.Clone(w.Wants)
		for i := range w.Wants {
			w.Wants[i].Ended = true
		}
	},
	"another wait": func(w *model.KeptWay) {
		w.Wants = slices.Clone(w.Wants)
		for i := range w.Wants {
			w.Wants[i].Sleeps, w.Wants[i].For = true, 1
		}
	},
}

// TestPoisoned: whatever is changed in what was kept, nothing is found that code does not
// do, and nothing breaks. Much of it is noticed, and then the report is as without it.
func TestPoisoned(t *testing.T) {
	noticed, tried := 0, 0
	for _, lock := range []string{"set-lua", "setnx", "watchdog-lua"} {
		q := asked(t, lock, "contention")
		q.Hazard.Bounds.States = 300
		v := verdictsIn(storeAt(t, aDay), "code")
		k := learnedIn(v)
		want := explored(t, k, q)
		kept, _, ok := k.Recall(q)
		if !ok {
			t.Fatalf("%s: nothing is kept", lock)
		}
		doubts := 0
		v.Doubted = func(string) { doubts++ }
		q.Hazard.Bounds.Depth = 99
		want.Bounds.Depth = 99
		verdict, _ := want.Verdict()
		for name, poison := range poisons {
			for i := 0; i < len(kept[0].Ways); i += 1 + len(kept[0].Ways)/12 {
				poisoned := slices.Clone(kept)
				poisoned[0].Ways = slices.Clone(kept[0].Ways)
				poison(&poisoned[0].Ways[i])
				if reflect.DeepEqual(poisoned, kept) {
					continue
				}
				k.Retain(q, poisoned)
				was := doubts
				got := explored(t, k, q)
				tried++
				if doubts > was {
					noticed++
					got.NodeRuns = want.NodeRuns // the search that was given up had its own
					if but(got) != but(want) {
						t.Errorf("%s, %s in way %d:\n%s\nwant\n%s", lock, name, i, but(got), but(want))
					}
				}
				if is, _ := got.Verdict(); is == explore.Violated && verdict != is {
					t.Errorf("%s, %s in way %d: %+v", lock, name, i, got.Found)
				}
			}
		}
	}
	t.Logf("%d of %d are noticed", noticed, tried)
	if tried < 90 || noticed*2 < tried {
		t.Errorf("%d of %d are noticed", noticed, tried)
	}
}

// TestLearnedAnew: what was learned is not believed if what it led to cannot be played, or
// if the search breaks.
func TestLearnedAnew(t *testing.T) {
	q := asked(t, "setnx", "crash")
	alone := explored(t, nil, q)
	for _, unplayable := range []bool{true, false} {
		v := verdictsIn(storeAt(t, aDay), "code")
		doubts := 0
		v.Doubted = func(string) { doubts++ }
		k := learnedIn(v)
		explored(t, k, q)
		o, uses := explore.Options{Jobs: 2}, explore.Keeper(k)
		if unplayable {
			uses = unsure{k}
		} else {
			breaks := true
			o.Progress = func(explore.Progress) {
				if was := breaks; was {
					breaks = false
					panic("of this test")
				}
			}
		}
		r := exploredWith(t, uses, q, o)
		r.NodeRuns = alone.NodeRuns // the search that was given up had its own
		if doubts != 1 || !r.Learned.IsZero() || but(r) != but(alone) {
			t.Errorf("doubted %d times:\n%s\nwant\n%s", doubts, but(r), but(alone))
		}
		if r := explored(t, k, q); r.Learned.IsZero() || doubts != 1 {
			t.Error("what was learned anew is not kept")
		}
	}
}

// TestVerdictSaysWhatItBelieved: a verdict that was found with what was kept says so, also
// when it is from the cache itself.
func TestVerdictSaysWhatItBelieved(t *testing.T) {
	v := verdictsIn(storeAt(t, aDay), "code")
	q := asked(t, "watchdog-naive", "overrun")
	answered(t, v, q, explore.Options{})
	q.Hazard.Bounds.Depth = 99
	v.Store.now = func() time.Time { return aDay.Add(time.Hour) }
	found, again := answered(t, v, q, explore.Options{}), answered(t, v, q, explore.Options{})
	if !found.Since.IsZero() || again.Since.IsZero() || !found.Learned.Equal(aDay) || !again.Learned.Equal(aDay) {
		t.Errorf("since %v, by what is of %v; then since %v, by what is of %v", found.Since, found.Learned, again.Since, again.Learned)
	}
}

// unsure is a keeper for which nothing can be played.
type unsure struct{ *learned }

func (unsure) Confirms(context.Context, *explore.Report) bool { return false }

// FuzzLearned: a text is what was learned only within bounds, and is the same when it is
// written and read again; and no model breaks by it.
func FuzzLearned(f *testing.F) {
	subject, err := scenarios.SubjectOf("setnx")
	if err != nil {
		f.Fatal(err)
	}
	h, _ := explore.FindHazard("contention")
	lock := explore.Lock{ID: "setnx", Subject: subject}
	config := h.Config(lock, "A", "B")
	row := explore.NewRow(f.Context(), lock)
	seeds := &seeds{}
	row.Keeper = seeds
	if _, err := row.Explore(f.Context(), h, config, explore.Options{}); err != nil {
		f.Fatal(err)
	}
	row.Close()
	for _, kept := range seeds.kept {
		text, err := pack(kept)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		f.Add(text[:len(text)/2])
		f.Add(append(text, text...))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		kept, err := unpack(text)
		if err != nil {
			return
		}
		again, err := pack(kept)
		if err != nil {
			t.Fatal(err)
		}
		if same, err := unpack(again); err != nil || fmt.Sprintf("%+v", kept) != fmt.Sprintf("%+v", same) {
			t.Errorf("%+v\n%+v, %v", kept, same, err)
		}
		m := model.New(t.Context(), config, subject, false)
		defer m.Close()
		m.Recall(kept)
	})
}

// seeds is a keeper that recalls nothing.
type seeds struct{ kept []model.Kept }

func (*seeds) Recall(explore.Question) (k model.Kept, since time.Time, ok bool) {
	return nil, since, false
}
func (s *seeds) Retain(_ explore.Question, k model.Kept)      { s.kept = append(s.kept, k) }
func (*seeds) Forget(explore.Question, bool)                  {}
func (*seeds) Confirms(context.Context, *explore.Report) bool { return true }
