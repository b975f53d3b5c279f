package scenarios

import (
	"reflect"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
	"lockstep/sim/table"
	"lockstep/sim/world"
)

func init() { world.OpenTable = table.Open }

// TestStoriesAgreeOnBothStores plays every story with the resource in memory and in
// an SQL table: same events, output, verdicts and replays.
func TestStoriesAgreeOnBothStores(t *testing.T) {
	t.Parallel()
	stories := allStories(t)
	accesses := 0
	stories = testkit.Some(t, stories, 30, 15)
	for _, s := range stories {
		inMemory, inSQL := runWith(t, s, "store=memory"), runWith(t, s, "store=sql")
		if got := inSQL.History.Config.Store; got != history.InSQL {
			t.Fatalf("%s was played with store=%s", s.Name, got)
		}
		if len(inSQL.History.Events) != len(inMemory.History.Events) {
			t.Fatalf("%s: %d events in SQL, %d in memory", s.Name, len(inSQL.History.Events), len(inMemory.History.Events))
		}
		for i, want := range inMemory.History.Events {
			if got := inSQL.History.Events[i]; !reflect.DeepEqual(got, want) {
				t.Fatalf("%s, event %d:\nsql    %+v\nmemory %+v", s.Name, i, got, want)
			}
			if want.Kind == history.Resource {
				accesses++
			}
		}
		if !reflect.DeepEqual(inSQL.Outputs(), inMemory.Outputs()) || !reflect.DeepEqual(inSQL.Violations, inMemory.Violations) {
			t.Errorf("%s: the verdicts differ", s.Name)
		}
		if mismatch := inSQL.Mismatch(s); mismatch != nil {
			t.Error(mismatch)
		}
	}
	if accesses < len(stories) {
		t.Errorf("%d accesses to a resource in %d stories", accesses, len(stories))
	}
}

func runWith(t *testing.T, s *Story, settings ...string) *Result {
	t.Helper()
	s = testkit.Must(s.With(settings...))(t)
	result := testkit.Must(Run(t.Context(), s))(t)
	return result
}

// TestWith changes only the world line.
func TestWith(t *testing.T) {
	s := testkit.Must(Parse("x.txt", "x", "# Two.\n  world   strategy=fenced clients=A,B\n----\nfenced: A, B\n\nrun B\n----\n"))(t)
	with := testkit.Must(s.With("store=sql", "ttl=7s", "ttl=8s"))(t)
	want := "# Two.\nworld strategy=fenced clients=A,B ttl=8s store=sql\n----\nfenced: A, B\n\nrun B\n----\n"
	if got := with.Source(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, c := range []struct{ setting, want string }{
		{"store", `"store" is not of the form name=value, such as ttl=5s`},
		{"store=disk", `store: "disk" is no store; use memory, sql`},
		{"stoer=sql", `a world has no "stoer"; did you mean stock, store?`},
		{"clients=A,C", `x.txt:6:5: "B" is not a client of this world; use A, C`},
		{"strategy=redlok", `x.txt:2:7: "redlok" is not a lock; did you mean redlock?`},
	} {
		if _, err := s.With(c.setting); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.setting, err, c.want)
		}
	}
}
