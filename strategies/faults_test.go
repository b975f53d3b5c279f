package strategies

import (
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// The published faults are part of the catalogue: a lock that lost its fault
// would teach nothing.

func TestSetNXHasNoTTL(t *testing.T) {
	r := newRig(t, 1)
	mustLock(t, &SetNX{r.env()})
	if left := r.nodes[0].TTL(key); left != 0 {
		t.Errorf("TTL %v, want none", left)
	}
}

func TestMultiRefusedClientRenews(t *testing.T) {
	r := newRig(t, 1)
	a, b := &MultiSetNXExpire{r.env()}, &MultiSetNXExpire{r.env()}
	mustLock(t, a)
	r.nodes[0].FastForward(ttl - time.Second)
	_, err := b.Lock(t.Context())
	mustFail(t, "B", err, ErrNotAcquired)
	if left := r.nodes[0].TTL(key); left != ttl {
		t.Errorf("TTL %v after a refused acquire, want %v", left, ttl)
	}
}

func TestGetSetFastClockSteals(t *testing.T) {
	r := newRig(t, 1)
	a, b := &GetSetTimestamp{r.env()}, &GetSetTimestamp{r.env()}
	mustLock(t, a)
	r.clock.now = r.clock.now.Add(ttl)
	_, err := b.Lock(t.Context())
	mustFail(t, "B at the deadline", err, ErrNotAcquired)
	r.clock.now = r.clock.now.Add(time.Millisecond)
	r.sent()
	mustLock(t, b)
	mustSend(t, "B", r.sent(), "SETNX lock:stock 1767268882001", "GET lock:stock", "GETSET lock:stock 1767268882001")
}

// between runs do after l's client has had its answer to a GET.
func between(c *redis.Client, do func()) { c.AddHook(&afterHook{"get", do}) }

func TestGetSetLoserOverwrites(t *testing.T) {
	for name, between2 := range map[string]string{"taken over": "1767268873001", "released": ""} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, 1)
			e := r.env()
			r.nodes[0].Set(key, "1")
			between(e.Redis, func() {
				r.nodes[0].Del(key)
				if between2 != "" {
					r.nodes[0].Set(key, between2)
				}
			})
			_, err := (&GetSetTimestamp{e}).Lock(t.Context())
			mustFail(t, "loser", err, ErrNotAcquired)
			if v := r.value(); v != "1767268873000" {
				t.Errorf("value %q, want the loser's deadline", v)
			}
		})
	}
}

func TestGetSetRefusesAVanishedKey(t *testing.T) {
	r := newRig(t, 1)
	e := r.env()
	r.nodes[0].Set(key, "1")
	e.Redis.AddHook(&afterHook{"setnx", func() { r.nodes[0].Del(key) }})
	_, err := (&GetSetTimestamp{e}).Lock(t.Context())
	mustFail(t, "Lock", err, ErrNotAcquired)
	mustSend(t, "Lock", r.sent(), "SETNX lock:stock 1767268873000", "GET lock:stock")
}

func TestPlainDelRemovesAnothersLock(t *testing.T) {
	for _, id := range []string{"setnx", "setnx-expire", "multi-setnx-expire", "getset-timestamp", "set-del", "reentrant-counter"} {
		info, _ := Find(id)
		r := newRig(t, 1)
		a := info.New(r.env())
		g := mustLock(t, a)
		r.nodes[0].Set(key, "another's")
		mustFail(t, id, a.Unlock(t.Context(), g), nil)
		if v := r.value(); v != "" {
			t.Errorf("%s left %q", id, v)
		}
	}
}

func TestGetThenDelGap(t *testing.T) {
	for _, id := range []string{"get-then-del", "weak-token", "redlock-naive"} {
		info, _ := Find(id)
		r := newRig(t, info.Nodes)
		e := r.env()
		a := info.New(e)
		g := mustLock(t, a)
		between(e.Redis, func() { r.nodes[0].Set(key, "another's") })
		mustFail(t, id, a.Unlock(t.Context(), g), nil)
		if v := r.value(); v != "" {
			t.Errorf("%s left %q", id, v)
		}
	}
}

func TestOwnLockOnly(t *testing.T) {
	for _, id := range []string{
		"get-then-del", "set-lua", "watch-del", "weak-token", "watchdog-naive", "redlock-naive",
		"delex-ifeq", "set-get-idempotent", "watchdog-lua", "redlock", "fenced",
	} {
		info, _ := Find(id)
		r := newRig(t, info.Nodes)
		a := info.New(r.env())
		g := mustLock(t, a)
		for _, node := range r.nodes {
			node.Set(key, "another's")
		}
		mustFail(t, id, a.Unlock(t.Context(), g), ErrLost)
		if v := r.value(); v != "another's" {
			t.Errorf("%s left %q", id, v)
		}
	}
}

func TestWatchDelPolls(t *testing.T) {
	r := newRig(t, 1)
	e := r.env()
	e.Wait = 30 * time.Millisecond
	r.nodes[0].Set(key, "another's")
	_, err := (&WatchDel{e}).Lock(t.Context())
	mustFail(t, "Lock", err, ErrNotAcquired)
	if n := len(r.sent()); n != 4 {
		t.Errorf("%d attempts in 30 ms, want 4", n)
	}
	r.clock.onSleep = func() { r.nodes[0].Del(key) }
	mustLock(t, &WatchDel{e})
}

func TestWatchDelUnwatchesAStrangersKey(t *testing.T) {
	r := newRig(t, 1)
	a := &WatchDel{r.env()}
	g := mustLock(t, a)
	r.nodes[0].Set(key, "another's")
	r.sent()
	mustFail(t, "Unlock", a.Unlock(t.Context(), g), ErrLost)
	mustSend(t, "Unlock", r.sent(), "WATCH lock:stock", "GET lock:stock", "UNWATCH")
}

func TestWatchDelRetriesAfterAbort(t *testing.T) {
	r := newRig(t, 1)
	e := r.env()
	a := &WatchDel{e}
	g := mustLock(t, a)
	r.sent()
	changes := 1
	between(e.Redis, func() {
		if changes--; changes == 0 {
			r.nodes[0].Set(key, g.Token) // a change, though back to the same value
		}
	})
	mustFail(t, "Unlock", a.Unlock(t.Context(), g), nil)
	round := []string{"WATCH lock:stock", "GET lock:stock", "MULTI", "DEL lock:stock", "EXEC"}
	mustSend(t, "Unlock", r.sent(), append(round, round...)...)
}

func TestWatchDelLeavesItsWatch(t *testing.T) {
	r := newRig(t, 1)
	e := r.env() // with one pooled connection
	a := &WatchDel{e}
	g := mustLock(t, a)
	r.nodes[0].Del(key)
	r.sent()
	if err := a.Unlock(t.Context(), g); !errors.Is(err, redis.Nil) {
		t.Errorf("Unlock: %v, want the bare nil reply as an error", err)
	}
	mustSend(t, "Unlock", r.sent(), "WATCH lock:stock", "GET lock:stock")

	mustLock(t, a) // changes the key that is still watched
	_, err := e.Redis.TxPipelined(t.Context(), func(tx redis.Pipeliner) error {
		return tx.Get(t.Context(), "unrelated").Err()
	})
	mustFail(t, "the next transaction on this connection", err, redis.TxFailedErr)
}

func TestWeakTokensCollide(t *testing.T) {
	r := newRig(t, 1)
	a, b := &WeakToken{r.env()}, &WeakToken{r.env()}
	first := mustLock(t, a)
	r.nodes[0].Del(key) // A's lease ends
	second := mustLock(t, b)
	if first.Token != second.Token {
		t.Errorf("tokens %q and %q at the same microsecond", first.Token, second.Token)
	}
	mustFail(t, "A releases B's lock", a.Unlock(t.Context(), first), nil)
	r.clock.now = r.clock.now.Add(time.Microsecond)
	if third := mustLock(t, a); third.Token == first.Token {
		t.Errorf("token %q drawn again a microsecond later", third.Token)
	}
}

func TestWeakTokenBusyLoop(t *testing.T) {
	r := newRig(t, 1)
	e := r.env()
	e.Wait = 1900 * time.Millisecond // read as one second
	r.nodes[0].Set(key, "another's")
	start := r.clock.now
	r.clock.onSleep = func() { r.clock.now = r.clock.now.Add(100 * time.Millisecond) }
	_, err := (&WeakToken{e}).Lock(t.Context())
	mustFail(t, "Lock", err, ErrNotAcquired)
	if waited := r.clock.now.Sub(start); waited != time.Second {
		t.Errorf("waited %v, want 1s", waited)
	}
	for _, d := range r.clock.slept {
		if d != 0 {
			t.Fatalf("slept %v, want no pause at all", d)
		}
	}
}

func TestLooselyEqual(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"0e12", "0e99", true},
		{"6956620000e10", "695662000e011", true},
		{"1e3", "1000", true},
		{"1000", "01000", true},
		{"69566200abcde", "69566200abcde", true},
		{"69566200abcde", "69566200abcdf", false},
		{"6956620000e10", "6956620000e11", false},
		{"6956620000000", "6956620000001", false},
		{"1e999", "2e999", false}, // too large for a number, for PHP as well
		{"0", "", false},
		{"0", "a", false},
	} {
		if got := looselyEqual(c.a, c.b); got != c.want {
			t.Errorf("looselyEqual(%q, %q) = %v", c.a, c.b, got)
		}
	}
}

func TestLooselyEqualTokensAreDrawn(t *testing.T) {
	r := newRig(t, 1)
	start := r.clock.now
	a, b := &WeakToken{r.env()}, &WeakToken{r.env()}
	r.clock.now = start.Add(0x00e10 * time.Microsecond)
	first := mustLock(t, a)
	r.nodes[0].Del(key) // A's lease ends
	r.clock.now = start.Add(0x0e011 * time.Microsecond)
	second := mustLock(t, b)
	if first.Token == second.Token {
		t.Fatalf("both are %q", first.Token)
	}
	mustFail(t, "A releases B's lock", a.Unlock(t.Context(), first), nil)
	if v := r.value(); v != "" {
		t.Errorf("%q is still there", v)
	}
}

func TestReentrantCounterOutlivesLease(t *testing.T) {
	r := newRig(t, 1)
	a := &ReentrantCounter{Env: r.env()}
	mustLock(t, a)
	r.nodes[0].Set(key, "another's")
	r.sent()
	g := mustLock(t, a)
	mustFail(t, "inner release", a.Unlock(t.Context(), g), nil)
	mustSend(t, "re-entry", r.sent())
	mustFail(t, "outer release", a.Unlock(t.Context(), g), nil)
	mustSend(t, "outer release", r.sent(), "DEL lock:stock")
	mustFail(t, "one release too many", a.Unlock(t.Context(), g), ErrLost)
}

func TestReentrantLeak(t *testing.T) {
	r := newRig(t, 1)
	a := &ReentrantLeak{Env: r.env()}
	g := mustLock(t, a)
	mustLock(t, a)
	mustFail(t, "inner release", a.Unlock(t.Context(), g), nil)
	if err := a.Unlock(t.Context(), g); err == nil {
		t.Error("outer release succeeded")
	}
	if v, left := r.value(), r.nodes[0].TTL(key); v != "1" || left != ttl {
		t.Errorf("key %q with TTL %v, want it left as it was", v, left)
	}
	_, err := a.Lock(t.Context())
	mustFail(t, "next acquire", err, ErrNotAcquired)
}

func TestReentrantMisprintSendsNothing(t *testing.T) {
	r := newRig(t, 1)
	a := &ReentrantMisprint{Env: r.env()}
	g := mustLock(t, a)
	mustLock(t, a)
	for range 3 { // one too many
		mustFail(t, "release", a.Unlock(t.Context(), g), nil)
	}
	mustLock(t, a)
	mustSend(t, "all of it", r.sent())
}
