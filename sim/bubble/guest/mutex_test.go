package guest

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var (
	_ sync.Locker = &Mutex{}
	_ sync.Locker = &RWMutex{}
)

// TestTimePasses: time passes while a goroutine waits for a mutex, and who waits
// longest gets it next; readers have it together.
func TestTimePasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m RWMutex
		var said []string
		var saying sync.Mutex
		start := time.Now()
		say := func(what string) {
			saying.Lock()
			defer saying.Unlock()
			said = append(said, fmt.Sprint(what, " ", time.Since(start)))
		}
		m.Lock()
		for i, locker := range []sync.Locker{m.RLocker(), m.RLocker(), &m, m.RLocker()} {
			go func() {
				time.Sleep(time.Duration(i) * time.Second)
				locker.Lock()
				say(fmt.Sprint(i))
				time.Sleep(time.Minute)
				locker.Unlock()
			}()
		}
		time.Sleep(time.Hour)
		say("free")
		m.Unlock()
		time.Sleep(time.Hour)
		saying.Lock()
		defer saying.Unlock()
		if got, want := fmt.Sprint(said), "[free 1h0m0s 0 1h0m0s 1 1h0m0s 2 1h1m0s 3 1h2m0s]"; got != want && got != "[free 1h0m0s 1 1h0m0s 0 1h0m0s 2 1h1m0s 3 1h2m0s]" {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// TestExcludes: what sync's mutexes exclude is excluded, in whatever order goroutines
// try.
func TestExcludes(t *testing.T) {
	var m Mutex
	var rw RWMutex
	n, all := 0, sync.WaitGroup{}
	for range 20 {
		all.Go(func() {
			for range 200 {
				m.Lock()
				rw.Lock()
				n++
				rw.Unlock()
				m.Unlock()
				rw.RLock()
				_ = n
				rw.RUnlock()
			}
		})
	}
	all.Wait()
	if n != 4000 {
		t.Errorf("%d", n)
	}
}

func TestTries(t *testing.T) {
	var m Mutex
	var rw RWMutex
	if !m.TryLock() || m.TryLock() || !rw.TryRLock() || !rw.TryRLock() || rw.TryLock() {
		t.Error("a free mutex is not taken, or a taken one is")
	}
	m.Unlock()
	rw.RUnlock()
	rw.RUnlock()
	if !rw.TryLock() || rw.TryRLock() {
		t.Error("a writer does not exclude a reader")
	}
	rw.Unlock()
	for name, wrong := range map[string]func(){"Unlock": m.Unlock, "RW": rw.Unlock, "RUnlock": rw.RUnlock} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s of what is not locked is no error", name)
				}
			}()
			wrong()
		}()
	}
}
