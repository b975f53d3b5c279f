package strategies

import (
	"context"
	"slices"
	"testing"
	"time"
)

func TestWatchdogNaiveRenews(t *testing.T) {
	r := newRig(t, 1)
	a := &WatchdogNaive{WatchDel{r.env()}}
	mustLock(t, a)
	r.sent()
	ticks := 0
	r.clock.onSleep = func() {
		switch ticks++; ticks {
		case 2:
			r.nodes[0].Set(key, "another's")
			r.nodes[0].SetTTL(key, time.Hour)
		case 3:
			r.nodes[0].Del(key)
		}
	}
	r.tasks[0]()
	mustSend(t, "watchdog", r.sent(),
		"GET lock:stock", "EXPIRE lock:stock 9", // its own
		"GET lock:stock", // another's: it goes on looking
		"GET lock:stock") // gone: it ends
	if want := []time.Duration{ttl / 3, ttl / 3, ttl / 3}; !slices.Equal(r.clock.slept, want) {
		t.Errorf("slept %v, want %v", r.clock.slept, want)
	}
}

func TestWatchdogNaiveRenewsAStranger(t *testing.T) {
	r := newRig(t, 1)
	e := r.env()
	a := &WatchdogNaive{WatchDel{e}}
	mustLock(t, a)
	var left time.Duration
	between(e.Redis, func() {
		if r.value() == "" {
			return
		}
		r.nodes[0].Set(key, "another's")
		r.nodes[0].SetTTL(key, time.Second)
		r.clock.onSleep = func() { left = r.nodes[0].TTL(key); r.nodes[0].Del(key) }
	})
	r.tasks[0]()
	if want := ttl - ttl/3; left != want {
		t.Errorf("the stranger's lease lasts another %v, want %v", left, want)
	}
}

func TestWatchdogNaiveIgnoresTheWorker(t *testing.T) {
	r := newRig(t, 1)
	a := &WatchdogNaive{WatchDel{r.env()}}
	ctx, cancel := context.WithCancel(t.Context())
	g, err := a.Lock(ctx)
	if err != nil || g.Context != nil {
		t.Fatalf("Lock: %v, %v", g, err)
	}
	cancel()
	r.clock.onSleep = func() {
		if len(r.clock.slept) == 100 {
			r.nodes[0].Del(key)
		}
	}
	r.tasks[0]()
	if n := len(r.clock.slept); n != 100 {
		t.Errorf("%d ticks, want one every third of the TTL until the key is gone", n)
	}
}

func TestWatchdogLuaRenewsUpToItsBound(t *testing.T) {
	r := newRig(t, 1)
	a := &WatchdogLua{Env: r.env()}
	g := mustLock(t, a)
	start := r.clock.now
	r.sent()
	r.clock.onSleep = func() {
		if len(r.clock.slept) == 3 {
			mustSend(t, "two renewals", r.sent(),
				"EVALSHA script 1 lock:stock A-1 9000", "EVAL script 1 lock:stock A-1 9000",
				"GET lock:stock", "PEXPIRE lock:stock 9000",
				"EVALSHA script 1 lock:stock A-1 9000", "GET lock:stock", "PEXPIRE lock:stock 9000")
		}
		if err := g.Context.Err(); err != nil {
			t.Error("cancelled while it is held")
		}
	}
	r.tasks[0]()
	if held := r.clock.now.Sub(start); held != maxLeases*ttl {
		t.Errorf("renewed for %v, want %v", held, maxLeases*ttl)
	}
	mustFail(t, "context", g.Context.Err(), context.Canceled)
}

func TestWatchdogLuaCancelsWhenLost(t *testing.T) {
	r := newRig(t, 1)
	a := &WatchdogLua{Env: r.env()}
	g := mustLock(t, a)
	r.nodes[0].Set(key, "another's")
	r.tasks[0]()
	mustFail(t, "context", g.Context.Err(), context.Canceled)
	if n := len(r.clock.slept); n != 1 {
		t.Errorf("ended after %d ticks, want 1", n)
	}
	mustFail(t, "Unlock", a.Unlock(t.Context(), g), ErrLost)
}

func TestWatchdogLuaCancelsAtItsDeadline(t *testing.T) {
	r := newRig(t, 1)
	a := &WatchdogLua{Env: r.env()}
	a.TTL = 5 * time.Second // not divisible by three
	g := mustLock(t, a)
	r.nodes[0].SetError("LOADING")
	start := r.clock.now
	r.tasks[0]()
	mustFail(t, "context", g.Context.Err(), context.Canceled)
	if after := r.clock.now.Sub(start); after != a.TTL {
		t.Errorf("cancelled after %v, want %v", after, a.TTL)
	}
}

func TestWatchdogLuaSurvivesOneFailedRenewal(t *testing.T) {
	r := newRig(t, 1)
	a := &WatchdogLua{Env: r.env()}
	g := mustLock(t, a)
	r.clock.onSleep = func() {
		r.nodes[0].SetError("")
		if len(r.clock.slept) == 1 {
			r.nodes[0].SetError("LOADING")
		}
		if len(r.clock.slept) == 5 { // 15 s: past the first lease
			mustFail(t, "context", g.Context.Err(), nil)
			mustFail(t, "Unlock", a.Unlock(t.Context(), g), nil)
		}
	}
	r.tasks[0]()
	if n := len(r.clock.slept); n != 5 {
		t.Errorf("ended after %d ticks, want 5", n)
	}
}

func TestWatchdogLuaStopsAtUnlock(t *testing.T) {
	r := newRig(t, 1)
	a := &WatchdogLua{Env: r.env()}
	first := mustLock(t, a)
	mustFail(t, "Unlock", a.Unlock(t.Context(), first), nil)
	second := mustLock(t, a)
	mustFail(t, "second Unlock of the first", a.Unlock(t.Context(), first), ErrLost)
	mustFail(t, "second context", second.Context.Err(), nil)
	r.sent()
	r.tasks[0]()
	mustSend(t, "watchdog after Unlock", r.sent())
	if len(r.clock.slept) > 0 {
		t.Error("slept after Unlock")
	}
}
