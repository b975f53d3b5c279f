package world

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/table"
	"lockstep/strategies"
)

func init() { OpenTable = table.Open }

// A kindOfAccess classifies a random access and its result.
type kindOfAccess struct {
	op                           string
	fenced, conditional, refused bool
}

// randomAccess returns any access of a client, after n others. Tokens and
// versions are near the current ones, so that older, equal and newer ones all
// occur; sometimes a token is extreme.
func randomAccess(rng *rand.Rand, n int64) sim.Access {
	ops := []string{history.Enter, history.ReadOp, history.ReadOp, history.WriteOp, history.WriteOp, history.WriteOp, history.Leave, history.Abandon}
	a := sim.Access{
		Op: ops[rng.IntN(len(ops))], Value: rng.Int64N(5) - 1,
		Based: rng.Int64N(n/4 + 2), Conditional: rng.IntN(2) == 0,
	}
	switch rng.IntN(100) {
	case 0:
		a.Fence = []int64{-1, math.MinInt64, math.MaxInt64 - 1, math.MaxInt64}[rng.IntN(4)]
	default:
		a.Fence = max(0, n/5+rng.Int64N(6)-3)
	}
	return a
}

// TestStoresAgree compares the two stores access by access: the result and the
// state.
func TestStoresAgree(t *testing.T) {
	occurred := map[kindOfAccess]bool{}
	for seed := range uint64(testkit.Size(t, 60, 10)) {
		rng := rand.New(rand.NewPCG(seed, 1))
		first := sim.ResourceState{Value: int64(seed % 3)}
		kept := first
		row, end, err := table.Open("stock", first)
		testkit.OK(t, err)
		defer end()
		for n := range int64(80) {
			a := randomAccess(rng, n)
			inMemory, inSQL := a, a
			want, _ := sim.InMemory{}.Do(kept, &inMemory)
			kept = want
			got := testkit.Must(row.Do(kept, &inSQL))(t)
			if got != want || inSQL != inMemory {
				t.Fatalf("seed %d, access %d, %+v:\nsql    %+v, then %+v\nmemory %+v, then %+v", seed, n, a, inSQL, got, inMemory, want)
			}
			occurred[kindOfAccess{a.Op, a.Fence != 0, a.Conditional, inSQL.Op == history.Refuse}] = true
		}
	}
	for _, refused := range []bool{false, true} {
		for _, k := range []kindOfAccess{
			{history.ReadOp, true, false, refused},
			{history.WriteOp, true, false, refused},
			{history.WriteOp, false, true, refused},
			{history.WriteOp, true, true, refused},
		} {
			if !occurred[k] {
				t.Errorf("never came: %+v", k)
			}
		}
	}
}

// TestBothStoresAlike: state and events are the same on both stores, after
// every step of two clients that are refused in turn.
func TestBothStoresAlike(t *testing.T) {
	for _, id := range []string{"fenced", "optimistic-version"} {
		info, _ := strategies.Find(id)
		var worlds []*World
		for _, store := range []string{history.InMemory, history.InSQL} {
			config := history.Default()
			config.Strategy, config.Stock, config.Rounds, config.Store = id, 3, 2, store
			w := testkit.Must(New(config, program.Subject{New: info.New, Nodes: info.Nodes}))(t)
			defer w.Close()
			worlds = append(worlds, w)
		}
		for range 40 {
			for _, a := range worlds[0].Enabled(history.Action{Verb: history.Step}) {
				if !worlds[0].Refusal(a).No() {
					continue // an earlier step of this round disabled it
				}
				for _, w := range worlds {
					testkit.OK(t, w.Perform(a))
				}
				if got, want := worlds[1], worlds[0]; !reflect.DeepEqual(got.state, want.state) || !reflect.DeepEqual(got.events, want.events) {
					t.Fatalf("%s, %s:\nsql\n%+v\n%+v\nmemory\n%+v\n%+v", id, a, got.state, got.events, want.state, want.events)
				}
			}
		}
		if worlds[1].state.Resource.Version == 0 {
			t.Errorf("%s: nobody wrote", id)
		}
	}
}

// TestADatabaseThatFailsEndsTheRun: Perform returns the error, without a panic,
// and the world can be closed.
func TestADatabaseThatFailsEndsTheRun(t *testing.T) {
	info, _ := strategies.Find("optimistic-version")
	config := history.Default()
	config.Strategy, config.Store = info.ID, history.InSQL
	w, err := New(config, program.Subject{New: info.New})
	testkit.OK(t, err)
	defer w.Close()
	begin := history.Schedule{{Verb: history.Step, Client: "A"}}
	testkit.OK(t, w.Run(begin))
	w.close()
	err = w.Perform(begin[0])
	if want := "A: read stock: sql: database is closed"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, _, err := w.Recovers(); err == nil {
		t.Error("a world whose database is gone was found to recover")
	}
}
