package bubble

import (
	"fmt"
	"slices"
	"sync"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
)

// Remembering returns the lock with a memory that all its clients in bubbles share:
// what one of them has done after some observations, the next does without running
// its code. A run stands only where something is observed for the first time. So
// worlds that begin alike, as those of one explanation do, run their beginning once.
// The memory lives as long as the returned subject.
func Remembering(s program.Subject) program.Subject {
	if s.Start == nil || s.Draws { // names of random values belong to a run
		return s
	}
	m, start := &memory{roots: map[string]*moment{}}, s.Start
	s.Start = func(config history.Config, subject program.Subject, name string) program.Code {
		code := start(config, subject, name)
		if b, is := code.(*Bubble); is {
			b.memory, b.as = m, fmt.Sprint(name, " ", subject.TTL[name], " ", subject.Nodes, " ", config)
		}
		return code
	}
	return s
}

// A memory holds what the code of a lock's clients has done.
type memory struct {
	mu    sync.Mutex
	roots map[string]*moment
	size  int // moments
}

// A moment is a client after some observations, as its run described it.
type moment struct {
	next   map[string]*moment // by the next observation
	events []history.Event    // on the way here
	wants  []sim.Want         // nil if they are not known
}

// maxMoments bounds a memory.
const maxMoments = 20_000

func (m *memory) root(of string) *moment {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.roots[of] == nil {
		m.roots[of] = &moment{}
	}
	return m.roots[of]
}

func keyOf(t *program.Observed) string { return string(t.Append([]byte{byte('0' + t.Strand)})) }

// recall reports whether it is known what the client does after an observation. Then
// it does that.
func (b *Bubble) recall(t program.Observed) (events []history.Event, known bool) {
	if b.memory != nil && len(b.observed) == 0 {
		b.at = b.memory.root(fmt.Sprint(b.as, " ", b.sources))
	}
	if b.at == nil || b.stuck != nil {
		return nil, false
	}
	b.memory.mu.Lock()
	next := b.at.next[keyOf(&t)]
	b.memory.mu.Unlock()
	if next == nil {
		return nil, false
	}
	b.drop()
	b.note(t.Strand, t.Observation)
	b.at, b.known = next, true
	events, b.wants = slices.Clone(next.events), slices.Clone(next.wants)
	return events, true
}

// remember adds what the client did after its last observation.
func (b *Bubble) remember(events []history.Event, wants []sim.Want) {
	if b.at == nil {
		return
	}
	b.memory.mu.Lock()
	defer b.memory.mu.Unlock()
	if b.stuck != nil || b.memory.size == maxMoments {
		b.at = nil
		return
	}
	b.memory.size++
	next := &moment{events: slices.Clone(events), wants: slices.Clone(wants)}
	if b.at.next == nil {
		b.at.next = map[string]*moment{}
	}
	last := keyOf(&b.observed[len(b.observed)-1])
	b.at.next[last], b.at = next, next
}
