package explore

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"lockstep/internal/lang"
	"lockstep/internal/parallel"
	"lockstep/sim/history"
	"lockstep/sim/model"
)

// A Row explores one lock under one hazard after the other. What it learns about the
// lock serves all hazards with the same configuration. Of a Report, only ClientRuns,
// NodeRuns, Bytes and Merging, with the assumption that states it, depend on the earlier
// hazards, unless the code remembers the order of its strands: then the states do too.
// Close the Row when done.
type Row struct {
	ctx   context.Context
	lock  Lock
	known map[string]*rowModel // by configuration
	kept  []Question           // whose reports are on a shelf
}

// A rowModel is what a row has learned in a configuration.
type rowModel struct {
	*model.Model
	explored []rowEntry // searches that nothing interrupted
}

// A rowEntry is what was explored with a model.
type rowEntry struct {
	hazard  Hazard
	options Options
	report  Report
}

// NewRow returns a row that has learned nothing. When ctx ends, the row stops
// waiting for stuck code.
func NewRow(ctx context.Context, lock Lock) *Row {
	return &Row{ctx: ctx, lock: lock, known: map[string]*rowModel{}}
}

// Close ends all waiting runs of code.
func (r *Row) Close() {
	for _, m := range r.known {
		m.Close()
	}
}

// SideBySide calls do with the number of each question about a lock, and a row for it.
// Questions about equal worlds get the same row, one after the other; as many others as jobs
// says are put side by side.
func SideBySide(ctx context.Context, lock Lock, asked []Question, jobs int, do func(r *Row, n int)) {
	var alike [][]int
	at := map[string]int{}
	for n := range asked {
		config := asked[n].Config.String()
		i, known := at[config]
		if !known {
			i = len(alike)
			at[config], alike = i, append(alike, nil)
		}
		alike[i] = append(alike[i], n)
	}
	parallel.Do(jobs, len(alike), func(i int) {
		r := NewRow(ctx, lock)
		defer r.Close()
		for _, n := range alike[i] {
			do(r, n)
		}
	})
}

// Explore explores the lock under a hazard in a configuration, which may differ
// from the hazard's own. When ctx ends, the search ends.
func (r *Row) Explore(ctx context.Context, h Hazard, config history.Config, o Options) (Report, error) {
	q := Question{Lock: r.lock, Hazard: h, Config: config}
	seen, promised := q.Promised()
	if !promised {
		return q.Unanswered(""), nil
	}
	r.makeRoom(h.Bounds.Memory)
	key := config.String()
	if h.Bounds.Exact {
		key += " exact"
	}
	if o.Contract != nil {
		key += " contract"
	}
	m, known := r.known[key]
	if !known {
		m = &rowModel{Model: model.New(r.ctx, config, r.lock.Subject, h.Bounds.Exact)}
		if o.Contract != nil {
			m.KeepLosses()
		}
		r.known[key] = m
	}
	relearned := m.Merging().Relearned
	report, err := explore(ctx, m.Model, h.Bounds, o)
	if err == nil && m.Merging().Relearned != relearned {
		err = m.again(ctx)
	}
	if err == nil && report.Limit == OutOfMemory && known { // what was learned for others takes some of it
		r.drop(key)
		return r.Explore(ctx, h, config, o)
	}
	if err == nil && report.Limit != Interrupt {
		m.explored = append(m.explored, rowEntry{h, o, report})
	}
	m.Close() // waiting runs would save the next hazard little time, and take much memory
	report.Hazard, report.Counts.Renewal = h.ID, seen
	if err != nil || !report.Trouble.None() || m.IgnoresSpins() { // the next hazard begins without what is stuck, and looks for spins
		delete(r.known, key)
	}
	return report, err
}

// again explores what was explored before the code turned out to remember the
// order of its strands. An error says that an earlier report was wrong.
func (m *rowModel) again(ctx context.Context) error {
	for i := range m.explored {
		x := &m.explored[i]
		quiet := x.options
		quiet.Progress = nil
		r, err := explore(ctx, m.Model, x.hazard.Bounds, quiet)
		if err != nil {
			return err
		}
		// A search that a limit ends, and that found nothing, contradicts nothing: with every order
		// apart there are more states.
		if cut := r.Limit != "" && len(r.Found) == 0; !cut && !x.report.sameFindings(&r) {
			return lang.Errorf("%s: the lock remembers the order of its threads, and the verdict was wrong; explore it with --exact --fresh", x.hazard.ID)
		}
	}
	return nil
}

// mostKept is how many bytes of models a row keeps for later hazards. What it drops is
// learned again if a hazard needs it.
const mostKept = 128 << 20

// makeRoom drops the largest models if all take more than mostKept or half of the memory, so
// that at least half is left for the next search.
func (r *Row) makeRoom(memory int) {
	most, bytes := mostKept, 0
	if memory > 0 {
		most = min(most, memory/2)
	}
	configs := slices.SortedFunc(maps.Keys(r.known), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.known[a].Bytes(), r.known[b].Bytes()), cmp.Compare(a, b))
	})
	for _, config := range configs {
		if bytes += r.known[config].Bytes(); bytes > most {
			r.drop(config)
		}
	}
}

// drop forgets a model.
func (r *Row) drop(key string) {
	r.known[key].Close()
	delete(r.known, key)
}
