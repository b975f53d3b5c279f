package pieces

import (
	"bytes"
	"context"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"lockstep/internal/cache"
	"lockstep/internal/testkit"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

const version = "v"

func huntJob(runs int) Job {
	return Job{
		What: Hunt, Locks: []string{"setnx"}, Hazards: []string{"crash", "contention"}, Clients: []string{"A", "B"}, Ticks: -1, Faults: -1, Depth: 100,
		Hunt: &Hunting{BugDepth: 3, Seed: 1, Runs: runs},
	}
}

func matrixJob() Job {
	return Job{
		What: Matrix, Locks: []string{"setnx", "set-del"}, Hazards: []string{"contention", "crash", "overrun"}, Clients: []string{"A", "B"},
		Ticks: -1, Faults: -1, States: 50_000, Depth: 100,
	}
}

func run(t testing.TB, j Job, part, of int) Result {
	t.Helper()
	r := testkit.Must(Run(t.Context(), Piece{Schema, version, j, part, of}, Machine{Jobs: 2}))(t)
	text := testkit.Must(r.Encode())(t)
	read, err := Decode(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	read.From = string(j.What)
	return read
}

func all(t testing.TB, j Job, of int) (list []Result) {
	for part := range of {
		list = append(list, run(t, j, part+1, of))
	}
	return list
}

// TestPartsOfAnyNumber: however a job is cut, and in whatever order its parts come,
// the whole is that of one part.
func TestPartsOfAnyNumber(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 2))
	for _, j := range []Job{huntJob(40), matrixJob()} {
		whole := reports(t, j, all(t, j, 1))
		for range testkit.Size(t, 8, 2) {
			of := 2 + rng.IntN(7)
			parts := all(t, j, of)
			parts = append(parts, parts[rng.IntN(of)])
			rng.Shuffle(len(parts), func(a, b int) { parts[a], parts[b] = parts[b], parts[a] })
			if got := reports(t, j, parts); !reflect.DeepEqual(got, whole) {
				t.Errorf("%s in %d parts:\n%+v\nnot\n%+v", j.What, of, got, whole)
			}
		}
	}
}

// reports are what the parts say of every cell.
func reports(t *testing.T, j Job, parts []Result) (list []any) {
	t.Helper()
	w := testkit.Must(Merge(version, parts))(t)
	if j.What == Matrix {
		cells := testkit.Must(w.Cells(t.Context()))(t)
		return []any{cells}
	}
	for _, q := range testkit.Must(j.Questions(0))(t) {
		r := testkit.Must(w.Hunted(t.Context(), q, Machine{}))(t)
		list = append(list, r)
	}
	return list
}

// TestRefused: what does not belong together is not merged, and the error names it.
func TestRefused(t *testing.T) {
	t.Parallel()
	parts := all(t, huntJob(9), 3)
	other := huntJob(9)
	other.Hunt.Seed = 2
	of := func(change func([]Result) []Result) []Result { return change(slices.Clone(parts)) }
	for _, tt := range []struct {
		name  string
		parts []Result
		want  string
	}{
		{"none", nil, "no parts to merge"},
		{"missing", of(func(s []Result) []Result { return s[:1] }), "2 parts are missing: --part 2/3, 3/3"},
		{"overlapping", of(func(s []Result) []Result { s[1] = run(t, huntJob(9), 1, 2); return s }), "part 1 of 2 overlaps with parts of 3"},
		{"version", of(func(s []Result) []Result { s[2].Version = "w"; return s }), "part 3 of 3 is of another version"},
		{"configuration", of(func(s []Result) []Result { s[1] = run(t, other, 2, 3); return s }), "part 2 of 3 is of another configuration than hunt: Hunt.Seed is 2, not 1"},
		{"bounds", of(func(s []Result) []Result { s[1].Job.Depth = 5; return s }), "Depth is 5, not 100"},
		{"differing", of(func(s []Result) []Result { return append(s, changed(t, s[1], longer)) }), "part 2 of 3 differs from that of hunt"},
	} {
		if _, err := Merge(version, tt.parts); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, not %q", tt.name, err, tt.want)
		}
	}
	if _, err := Run(t.Context(), Piece{Schema, version, huntJob(9), 4, 3}, Machine{}); err == nil {
		t.Error("part 4 of 3 was run")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, Piece{Schema, version, huntJob(9), 1, 3}, Machine{}); err == nil {
		t.Error("an interrupted part has a result")
	}
}

// changed is a result of the same piece with another outcome of its first cell.
func changed(t *testing.T, s Result, but func(*cache.Answer)) Result {
	t.Helper()
	k, _ := verdicts(s.Version, nil).KeyOf(testkit.Must(s.asked(0))(t)[0])
	a, known := s.Answers[k]
	if !known {
		t.Fatal("the cell has no answer")
	}
	s.Answers = maps.Clone(s.Answers)
	but(&a)
	s.Answers[k] = a
	s.Sum = s.sum()
	return s
}

func longer(a *cache.Answer) { a.Transitions++ }

// TestVerify: a result is believed only if each cell has its answer, and each counterexample,
// played again, violates what it is said to.
func TestVerify(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		but  func(*cache.Answer)
		is   bool
	}{
		{"as it was", func(*cache.Answer) {}, true},
		{"another length", longer, true},
		{"a part of the schedule", func(a *cache.Answer) { a.Found = []explore.Found{{Violation: a.Found[0].Violation}} }, false},
		{"another invariant", func(a *cache.Answer) {
			a.Found = []explore.Found{{Violation: history.Violation{Invariant: history.Leak}, Schedule: a.Found[0].Schedule}}
		}, false},
		{"no clients", func(a *cache.Answer) { a.Config.Clients = nil }, false},
		{"another configuration", func(a *cache.Answer) { a.Config.Rounds++ }, false},
		{"other bounds", func(a *cache.Answer) { a.Bounds.Ticks++ }, false},
		{"another kind of work", func(a *cache.Answer) {
			if a.Hunt = nil; a.Limit != "runs" {
				a.Hunt = &explore.Hunted{}
			}
		}, false},
	} {
		for _, j := range []Job{huntJob(40), matrixJob()} {
			j.Hazards = []string{"crash"}
			r := changed(t, run(t, j, 1, 1), tt.but)
			if err := r.Verify(t.Context()); (err == nil) != tt.is {
				t.Errorf("%s, %s: %v", j.What, tt.name, err)
			}
		}
	}
}

// TestTried: a check has what Machine.Try answers.
func TestTried(t *testing.T) {
	t.Parallel()
	j := matrixJob()
	asked := testkit.Must(j.Questions(0))(t)
	try := func(ctx context.Context, v *cache.Verdicts, lock, hazard string) error {
		q := asked[slices.IndexFunc(asked, func(q explore.Question) bool { return q.Lock.ID == lock && q.Hazard.ID == hazard })]
		if hazard != "overrun" { // which is not among the lock's
			v.KeepAnswer(q, cache.Answer{Report: explore.Report{Hazard: hazard, Config: q.Config, Bounds: q.Hazard.Bounds, Limit: explore.RealTime}})
		}
		return nil
	}
	check := j
	check.What = Check
	var parts []Result
	for part := range 3 {
		r := testkit.Must(Run(t.Context(), Piece{Schema, version, check, part + 1, 3}, Machine{Try: try}))(t)
		if err := r.Verify(t.Context()); err != nil {
			t.Error(err)
		}
		parts = append(parts, r)
	}
	w := testkit.Must(Merge(version, parts))(t)
	for _, q := range asked {
		if r, ok := w.Verdicts().Find(t.Context(), q); ok == (q.Hazard.ID == "overrun") || ok && r.Limit != explore.RealTime {
			t.Errorf("%s, %s: %+v", q.Lock.ID, q.Hazard.ID, r)
		}
	}
	if _, err := Run(t.Context(), Piece{Schema, version, check, 1, 1}, Machine{}); err == nil {
		t.Error("a check was run without tests")
	}
}

// TestSome: parts that are missing are named, and their cells have no verdict.
func TestSome(t *testing.T) {
	t.Parallel()
	parts := all(t, matrixJob(), 4)
	w, err := Some(parts[0].Piece, []Result{parts[2], parts[0]})
	if err != nil || len(w.Missing) != 2 || w.Missing[0].Part != 2 || w.Missing[1].Part != 4 {
		t.Fatalf("%+v, %v", w, err)
	}
	whole := testkit.Must(Merge(version, parts))(t)
	cells := testkit.Must(w.Cells(t.Context()))(t)
	want := testkit.Must(whole.Cells(t.Context()))(t)
	if w.Lacks("setnx", "contention") || !w.Lacks("setnx", "crash") || (*Whole)(nil).Lacks("setnx", "crash") {
		t.Error("it says that it lacks another cell")
	}
	for i := range cells {
		c := &cells[i]
		verdict, _ := c.Verdict()
		switch {
		case c.Config.Strategy != want[i].Config.Strategy || c.Hazard != want[i].Hazard:
			t.Errorf("cell %d is %s, %s", i, c.Config.Strategy, c.Hazard)
		case i%2 == 0 && !reflect.DeepEqual(*c, want[i]):
			t.Errorf("cell %d is not what it was", i)
		case i%2 == 1 && (verdict != explore.Inconclusive || c.Limit != explore.FirstViolation):
			t.Errorf("cell %d, which nobody has, is %v, %q", i, verdict, c.Limit)
		}
	}
	none := testkit.Must(Some(parts[0].Piece, nil))(t)
	for _, c := range testkit.Must(none.Cells(t.Context()))(t) {
		if c.Limit != explore.FirstViolation {
			t.Errorf("%s, %s, of no part at all: %q", c.Config.Strategy, c.Hazard, c.Limit)
		}
	}
	hunt := all(t, huntJob(9), 5)
	if w, err = Some(hunt[0].Piece, []Result{hunt[1], hunt[4]}); err != nil || !slices.Equal(w.Unsearched(), []string{"0-0", "3-6"}) {
		t.Errorf("%v, %v", w.Unsearched(), err)
	}
	r, err := w.Hunted(t.Context(), testkit.Must(w.Job.Questions(0))(t)[0], Machine{})
	if err != nil || r.Limit != explore.FirstViolation || r.Hunt.Runs != 4 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestLimitedGivesWay: a part that the memory of its machine cut short is replaced by
// the same part from a machine with more.
func TestLimitedGivesWay(t *testing.T) {
	t.Parallel()
	parts := all(t, matrixJob(), 2)
	short := changed(t, parts[0], func(a *cache.Answer) { a.Limit = "memory" })
	for _, order := range [][]Result{{short, parts[1], parts[0]}, {parts[0], short, parts[1]}} {
		w, err := Merge(version, order)
		if err != nil || limited(&w.Parts[0]) {
			t.Errorf("the limit stays: %v", err)
		}
	}
}

// TestDamaged: a file that is not what was written is refused.
func TestDamaged(t *testing.T) {
	t.Parallel()
	s := run(t, huntJob(3), 1, 2)
	text := testkit.Must(s.Encode())(t)
	for _, tt := range []struct{ name, text, want string }{
		{"empty", " \n", "it is empty"},
		{"truncated", string(text[:len(text)/2]), "it ends too early"},
		{"twice", string(text) + string(text), "it goes on"},
		{"no JSON", "lockstep", "it is not the result of a part"},
		{"unknown", `{"schema":2,"more":2}`, "it is not the result of a part"},
		{"deep", strings.Repeat("[", 20_000), "it is not the result of a part"},
		{"changed", strings.Replace(string(text), `"cut":0`, `"cut":7`, 1), "part 1 of 2: it has been changed"},
		{"another form with other fields", `{"schema":1,"cells":[]}`, "its form is 1"},
		{"another form", strings.Replace(string(text), `"schema":2`, `"schema":1`, 1), "its form is 1"},
		{"another part", strings.Replace(string(text), `"part":1`, `"part":3`, 1), "there is no part 3 of 2"},
		{"no clients", strings.Replace(string(text), `"clients":["A","B"]`, `"clients":["A","A"]`, 1), "clients"},
		{"no runs", strings.Replace(string(text), `"runs":3`, `"runs":-3`, 1), "it is a hunt without runs"},
	} {
		if tt.text == string(text) {
			t.Fatalf("%s: nothing is changed", tt.name)
		}
		if _, err := Decode([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, not %q", tt.name, err, tt.want)
		}
	}
	name := filepath.Join(t.TempDir(), "part.json")
	testkit.OK(t, os.WriteFile(name, text, 0o600))
	if r, err := Read(name); err != nil || r.Sum != s.Sum {
		t.Errorf("%v", err)
	}
	if _, err := Read(filepath.Dir(name)); err == nil {
		t.Error("a folder is read")
	}
}

// FuzzDecode: what is accepted is the same when it is written and read again.
func FuzzDecode(f *testing.F) {
	for _, j := range []Job{huntJob(3), matrixJob()} {
		s := run(f, j, 1, 2)
		text := testkit.Must(s.Encode())(f)
		f.Add(text)
		f.Add(text[:len(text)-9])
	}
	f.Add([]byte(`{"schema":2,"version":"","job":{"what":"hunt"},"part":1,"of":1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Decode(text)
		if err != nil {
			return
		}
		again := testkit.Must(r.Encode())(t)
		if s, err := Decode(again); err != nil || s.Sum != r.Sum {
			t.Errorf("%s\n%v", text, err)
		}
		if !bytes.HasSuffix(again, []byte("}\n")) {
			t.Errorf("%q", again)
		}
	})
}
