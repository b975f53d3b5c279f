package cli

import (
	"sync"

	"lockstep/internal/trial"
	"lockstep/scenarios"
)

// turns keep apart locks of several packages with the same id, of which a process knows
// one at a time: as long as one package's is at work, another one's waits.
type turns struct {
	once sync.Once
	mu   sync.Mutex
	over *sync.Cond
	held map[string]*turn // by id
}

// A turn is whose lock an id is, and in how many places it is at work.
type turn struct {
	suite *trial.Suite
	at    int
}

// take waits until the locks of a package with these ids are those that stories and tokens
// know by them, and keeps it so until the function returned is called. Ids that are not of
// the package, and a nil suite, are nothing to wait for. The order of the ids is the same in
// all calls.
func (t *turns) take(suite *trial.Suite, ids []string) (end func()) {
	t.once.Do(func() { t.over, t.held = sync.NewCond(&t.mu), map[string]*turn{} })
	t.mu.Lock()
	defer t.mu.Unlock()
	var mine []*turn
	for _, id := range ids {
		if suite.Find(id) == nil {
			continue
		}
		h := t.held[id]
		if h == nil {
			h = &turn{}
			t.held[id] = h
		}
		for h.at > 0 && h.suite != suite {
			t.over.Wait()
		}
		if h.suite != suite {
			h.suite = suite
			scenarios.Register(id, suite.Find(id).Subject())
		}
		h.at++
		mine = append(mine, h)
	}
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		for _, h := range mine {
			h.at--
		}
		t.over.Broadcast()
	}
}
