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

// between calls do each time the client has had its answer to a GET.
func between(c *redis.Client, do func()) { c.AddHook(&afterHook{"get", do}) }

func TestGetSetLoserOverwrites(t *testing.T) {
	for name, value := range map[string]string{"taken over": "1767268873001", "released": ""} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, 1)
			e := r.env()
			r.nodes[0].Set(key, "1")
			between(e.Redis, func() {
				r.nodes[0].Del(key)
				if value != "" {
					r.nodes[0].Set(key, value)
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

func TestGetThenDelFindsNothing(t *testing.T) {
	for _, id := range []string{"get-then-del", "weak-token"} {
		info, _ := Find(id)
		r := newRig(t, 1)
		e := r.env()
		a := info.New(e)
		g := mustLock(t, a)
		between(e.Redis, func() { r.nodes[0].Del(key) })
		mustFail(t, id, a.Unlock(t.Context(), g), ErrLost)
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

func TestWatchDelTellsOfAnErrorOfItsTransaction(t *testing.T) {
	r := newRig(t, 1)
	e := r.env()
	a := &WatchDel{e}
	g := mustLock(t, a)
	between(e.Redis, func() { r.nodes[0].SetError("LOADING") })
	if err := a.Unlock(t.Context(), g); err == nil || errors.Is(err, ErrLost) {
		t.Errorf("Unlock: %v", err)
	}
}
