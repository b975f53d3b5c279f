// Package guest has what the code of a module under test is compiled with where it
// cannot run in bubbles as it is. Nobody changes code to use it.
//
// Each run has package variables of its own (vars.go), as clients are processes of
// their own.
//
// A Mutex stands for that of sync. testing/synctest lets no time pass while a goroutine
// waits for one of sync; for these it does. Who waits longest gets it next.
package guest

import (
	"runtime"
	"sync"
)

// A Mutex is used like a sync.Mutex.
type Mutex struct{ rw RWMutex }

// Lock is sync.Mutex's.
func (m *Mutex) Lock() { m.rw.Lock() }

// TryLock is sync.Mutex's.
func (m *Mutex) TryLock() bool { return m.rw.TryLock() }

// Unlock is sync.Mutex's.
func (m *Mutex) Unlock() { m.rw.release("sync: unlock of unlocked mutex", true) }

// An RWMutex is used like a sync.RWMutex.
type RWMutex struct {
	state   sync.Mutex // never held by one that waits
	writes  bool       // a writer has it
	readers int        // that have it
	queue   []waiter
}

// A waiter is a goroutine that waits; its channel is made in its own bubble.
type waiter struct {
	writes bool
	admit  chan struct{}
}

// Lock is sync.RWMutex's.
func (m *RWMutex) Lock() { m.acquire(true) }

// RLock is sync.RWMutex's.
func (m *RWMutex) RLock() { m.acquire(false) }

// TryLock is sync.RWMutex's.
func (m *RWMutex) TryLock() bool { return m.try(true) }

// TryRLock is sync.RWMutex's.
func (m *RWMutex) TryRLock() bool { return m.try(false) }

// Unlock is sync.RWMutex's.
func (m *RWMutex) Unlock() { m.release("sync: Unlock of unlocked RWMutex", true) }

// RUnlock is sync.RWMutex's.
func (m *RWMutex) RUnlock() { m.release("sync: RUnlock of unlocked RWMutex", false) }

// RLocker is sync.RWMutex's.
func (m *RWMutex) RLocker() sync.Locker { return reader{m} }

type reader struct{ *RWMutex }

func (r reader) Lock()   { r.RLock() }
func (r reader) Unlock() { r.RUnlock() }

func (m *RWMutex) try(writes bool) bool {
	m.state.Lock()
	defer m.state.Unlock()
	return m.take(writes)
}

func (m *RWMutex) acquire(writes bool) {
	m.state.Lock()
	if m.take(writes) {
		m.state.Unlock()
		return
	}
	w := waiter{writes, make(chan struct{})}
	m.queue = append(m.queue, w)
	m.state.Unlock()
	select {
	case <-w.admit:
		AtRest()
	case <-Ended():
		runtime.Goexit()
	}
}

// Ended returns a channel that is closed when the caller's run has ended; nil outside of
// runs. Who waits then, perhaps for one whose goroutine has ended, waits no longer: it
// would keep all that the run has in memory.
var Ended = func() <-chan struct{} { return nil }

// AtRest returns when all other goroutines of the caller's run are at rest. Whoever gets
// a mutex late goes on then: otherwise chance would decide whether it or the one before
// it does so first.
var AtRest = func() {}

// take takes the mutex if nobody has it who excludes that, or waits for it.
func (m *RWMutex) take(writes bool) bool {
	if len(m.queue) > 0 || !m.free(writes) {
		return false
	}
	m.give(writes)
	return true
}

func (m *RWMutex) free(writes bool) bool { return !m.writes && (!writes || m.readers == 0) }

func (m *RWMutex) give(writes bool) {
	if writes {
		m.writes = true
	} else {
		m.readers++
	}
}

func (m *RWMutex) release(wrong string, writes bool) {
	m.state.Lock()
	defer m.state.Unlock()
	switch {
	case writes && m.writes:
		m.writes = false
	case !writes && m.readers > 0:
		m.readers--
	default:
		panic(wrong)
	}
	for len(m.queue) > 0 && m.free(m.queue[0].writes) {
		m.give(m.queue[0].writes)
		close(m.queue[0].admit)
		m.queue = m.queue[1:]
	}
}
