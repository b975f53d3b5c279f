package strategies

import (
	"testing"
	"time"
)

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
	mustSend(t, "one release too many", r.sent())
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

func TestReentrantHash(t *testing.T) {
	r := newRig(t, 1)
	a, b := &ReentrantHash{Env: r.env()}, &ReentrantHash{Env: r.env()}
	g := mustLock(t, a)
	r.nodes[0].FastForward(time.Second)
	mustLock(t, a)
	if n, left := r.nodes[0].HGet(key, "A-1"), r.nodes[0].TTL(key); n != "2" || left != ttl {
		t.Errorf("count %s with TTL %v, want 2 with %v", n, left, ttl)
	}
	_, err := b.Lock(t.Context())
	mustFail(t, "B", err, ErrNotAcquired)
	r.nodes[0].FastForward(time.Second)
	mustFail(t, "inner release", a.Unlock(t.Context(), g), nil)
	if n, left := r.nodes[0].HGet(key, "A-1"), r.nodes[0].TTL(key); n != "1" || left != ttl {
		t.Errorf("count %s with TTL %v, want 1 with %v", n, left, ttl)
	}
	mustFail(t, "outer release", a.Unlock(t.Context(), g), nil)
	mustLock(t, b)
	mustFail(t, "release of B's lock", a.Unlock(t.Context(), g), ErrLost)
}

func TestReentrantHashCountsAResentAcquireTwice(t *testing.T) {
	r := newRig(t, 1)
	e := r.env()
	a := &ReentrantHash{Env: e}
	lossy(e.Redis, "eval")
	_, err := a.Lock(t.Context())
	mustFail(t, "first try", err, ErrUnknown)
	g := mustLock(t, a)
	mustFail(t, "Unlock", a.Unlock(t.Context(), g), nil)
	if n := r.nodes[0].HGet(key, "A-1"); n != "1" {
		t.Errorf("count %q, want 1 left over", n)
	}
}
