package explore

import (
	"reflect"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/model"
)

// remembers returns a model that learns much: each renewal may fail.
func remembers(t *testing.T, memory int) (*model.Model, Bounds) {
	t.Helper()
	h, _ := FindHazard("overrun")
	l := lockOf(t, "watchdog-lua")
	config := h.Config(l, "A", "B")
	config.Rounds = 2
	p := model.New(t.Context(), config, l.Subject, false)
	t.Cleanup(p.Close)
	b := h.Bounds
	b.Memory, b.States, b.Depth = memory, 50_000, 100
	return p, b
}

// TestMemoryEndsASearch: the memory ends a search at the same place each time. It keeps
// its counterexamples, and their questions respect the limit too.
func TestMemoryEndsASearch(t *testing.T) {
	const memory = 1 << 20
	var want Report
	for i := range 2 {
		p, b := remembers(t, memory)
		got := testkit.Must(explore(t.Context(), p, b, Options{}))(t)
		if i == 0 {
			want = got
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("one search reports\n%+v\nthe other\n%+v", want, got)
		}
		if got.Limit != "memory" || !found(&got, "phantom-hold") || !got.Found[0].Shortest {
			t.Errorf("limit %q:%s", got.Limit, lengths(got))
		}
		if n := p.Bytes() + got.Bytes; n < memory || n > memory*7/4 {
			t.Errorf("it took %d bytes", n)
		}
	}
}

// TestMemoryEndsTheSearchForAnOrphan: an orphan search without memory does not
// pass.
func TestMemoryEndsTheSearchForAnOrphan(t *testing.T) {
	e := searchedFor(t, "set-lua", "crash")
	e.bounds.Memory = e.bytes() / 2
	if err := e.findOrphan(); err != nil || e.report.Limit != "memory" {
		t.Errorf("limit %q, %v", e.report.Limit, err)
	}
}

// TestMatrixSharesMemory: the workers share the memory.
func TestMatrixSharesMemory(t *testing.T) {
	locks := []Lock{lockOf(t, "setnx"), lockOf(t, "set-lua")}
	hazards := matrixHazards(t, "contention", "crash", "hang")
	for _, tt := range []struct {
		memory, jobs int
		limit        string
	}{{0, 2, ""}, {2 << 20, 2, ""}, {2 << 20, 1, ""}, {1_000_000, 1, ""}, {200_000, 2, "memory"}, {1, 2, "memory"}} {
		cells := testkit.Must(Matrix(t.Context(), locks, hazards, Within(Bounds{Memory: tt.memory}, "A", "B"), tt.jobs, nil, nil))(t)
		for _, c := range cells {
			if c.Limit != tt.limit {
				t.Errorf("%+v: %s, %s: limit %q", tt, c.Config.Strategy, c.Hazard, c.Limit)
			}
		}
	}
}

// TestARowMakesRoom: what an earlier hazard learned does not end the next
// search.
func TestARowMakesRoom(t *testing.T) {
	l := lockOf(t, "setnx")
	h, _ := FindHazard("contention")
	config := h.Config(l, "A", "B")
	for memory, want := range map[int]int{0: 1, 1: 0, 1 << 30: 1} {
		r := NewRow(t.Context(), l)
		r.known[config.String()] = &rowModel{Model: model.New(t.Context(), config, l.Subject, false)}
		if r.makeRoom(memory); len(r.known) != want {
			t.Errorf("of %d bytes, %d are known", memory, len(r.known))
		}
		r.Close()
	}
}
