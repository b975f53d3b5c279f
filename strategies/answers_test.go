package strategies

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

func TestRedlockNaiveReadsMillisecondsAsSeconds(t *testing.T) {
	r := newRig(t, 5)
	mustLock(t, &RedlockNaive{r.env()})
	for i, node := range r.nodes {
		if left := node.TTL(key); left != 1000*ttl {
			t.Errorf("r%d: TTL %v, want %v", i+1, left, 1000*ttl)
		}
	}
}

func TestRedlockNaiveFreesEverybody(t *testing.T) {
	r := newRig(t, 5)
	a, b := &RedlockNaive{r.env()}, &RedlockNaive{r.env()}
	mustLock(t, a)
	_, err := b.Lock(t.Context())
	mustFail(t, "B", err, ErrNotAcquired)
	for i, node := range r.nodes {
		if node.Exists(key) {
			t.Errorf("r%d still has A's lock", i+1)
		}
	}
}

func TestRedlockNaiveLeavesLocksAfterAnError(t *testing.T) {
	r := newRig(t, 5)
	e := r.env()
	lossy(e.Nodes[2], "set")
	_, err := (&RedlockNaive{e}).Lock(t.Context())
	mustFail(t, "Lock", err, ErrUnknown)
	for i, node := range r.nodes {
		if got, want := node.Exists(key), i < 3; got != want {
			t.Errorf("r%d: locked %v, want %v", i+1, got, want)
		}
	}
}

// slow makes the clock move by d while a node answers SET.
func slow(r *rig, c *redis.Client, d time.Duration) {
	c.AddHook(&afterHook{"set", func() { r.clock.now = r.clock.now.Add(d) }})
}

func TestRedlockValidity(t *testing.T) {
	margin := ttl/100 + 2*time.Millisecond
	for _, c := range []struct {
		took        time.Duration
		ok, naiveOK bool
	}{
		{ttl - margin - time.Millisecond, true, true},
		{ttl - margin, false, true}, // nothing left for drift
		{ttl, false, false},
	} {
		for _, id := range []string{"redlock", "redlock-naive"} {
			info, _ := Find(id)
			r := newRig(t, 5)
			e := r.env()
			slow(r, e.Nodes[4], c.took)
			_, err := info.New(e).Lock(t.Context())
			want := c.ok
			if id == "redlock-naive" {
				want = c.naiveOK
			}
			if want != (err == nil) || err != nil && !errors.Is(err, ErrNotAcquired) {
				t.Errorf("%s after %v: %v", id, c.took, err)
			}
			if err != nil && r.value() != "" {
				t.Errorf("%s after %v left its locks", id, c.took)
			}
		}
	}
}

func TestRedlockQuorum(t *testing.T) {
	r := newRig(t, 5)
	r.nodes[0].Set(key, "another's")
	r.nodes[1].Set(key, "another's")
	a := &Redlock{r.env()}
	g := mustLock(t, a) // three of five
	r.nodes[4].FlushAll()
	mustFail(t, "release of two of five", a.Unlock(t.Context(), g), ErrLost)

	r.nodes[2].Set(key, "another's")
	_, err := a.Lock(t.Context())
	mustFail(t, "two of five", err, ErrNotAcquired)
	for i, node := range r.nodes {
		if v, _ := node.Get(key); v != "another's" && v != "" || i < 3 && v == "" {
			t.Errorf("r%d has %q after a refusal", i+1, v)
		}
	}
}

// TestRedlockJustAMajority: three nodes of five are enough, and two are not.
func TestRedlockJustAMajority(t *testing.T) {
	threeOfFive := func() (*rig, *Redlock, Grant) {
		r := newRig(t, 5)
		r.nodes[0].Set(key, "another's")
		r.nodes[1].Set(key, "another's")
		a := &Redlock{r.env()}
		return r, a, mustLock(t, a)
	}
	_, a, g := threeOfFive()
	mustFail(t, "release on three", a.Unlock(t.Context(), g), nil)
	r, a, g := threeOfFive()
	r.nodes[4].SetError("LOADING")
	mustFail(t, "release on two or three", a.Unlock(t.Context(), g), ErrUnknown)
	r, a, g = threeOfFive()
	r.nodes[3].Del(key)
	r.nodes[4].Del(key)
	r.nodes[0].SetError("LOADING")
	mustFail(t, "release on one or two", a.Unlock(t.Context(), g), ErrLost)
}

func TestRedlockNaiveJustAMajority(t *testing.T) {
	for taken, want := range map[int]error{2: nil, 3: ErrNotAcquired} {
		r := newRig(t, 5)
		for i := range taken {
			r.nodes[i].Set(key, "another's")
		}
		_, err := (&RedlockNaive{r.env()}).Lock(t.Context())
		mustFail(t, "Lock", err, want)
	}
	r := newRig(t, 5)
	e := r.env()
	a := &RedlockNaive{e}
	g := mustLock(t, a)
	between(e.Nodes[4], func() { r.nodes[4].Del(key) })
	mustFail(t, "release on four", a.Unlock(t.Context(), g), nil)
}

func TestRedlockToleratesAMinority(t *testing.T) {
	r := newRig(t, 5)
	e := r.env()
	lossy(e.Nodes[0], "set")
	r.nodes[1].SetError("LOADING")
	a := &Redlock{e}
	g := mustLock(t, a)
	mustFail(t, "Unlock", a.Unlock(t.Context(), g), nil) // four answer, r1 with the lock as well
	if v := r.value(); v != "" {
		t.Errorf("r1 still has %q", v)
	}
	g = mustLock(t, a)
	r.nodes[2].SetError("LOADING")
	r.nodes[3].SetError("LOADING")
	mustFail(t, "Unlock without a majority", a.Unlock(t.Context(), g), ErrUnknown)
}

func TestRedlockCleansUpAfterCancellation(t *testing.T) {
	r := newRig(t, 5)
	e := r.env()
	ctx, cancel := context.WithCancel(t.Context())
	e.Redis.AddHook(&afterHook{"set", cancel}) // r1 has been set by then
	_, err := (&Redlock{e}).Lock(ctx)
	mustFail(t, "Lock", err, ErrNotAcquired)
	if v := r.value(); v != "" {
		t.Errorf("r1 still has %q", v)
	}
}

func TestFenceGrows(t *testing.T) {
	r := newRig(t, 1)
	a, b := &Fenced{r.env()}, &Fenced{r.env()}
	first := mustLock(t, a)
	_, err := b.Lock(t.Context())
	mustFail(t, "B", err, ErrNotAcquired)
	r.nodes[0].FastForward(ttl)
	second := mustLock(t, b)
	if first.Fence != 1 || second.Fence != 2 {
		t.Errorf("fences %d and %d, want 1 and 2", first.Fence, second.Fence)
	}
}

func TestIdempotentAfterALostReply(t *testing.T) {
	r := newRig(t, 1)
	e := r.env()
	a, b := &SetGetIdempotent{Env: e}, &SetGetIdempotent{Env: r.env()}
	lossy(e.Redis, "eval")
	_, err := a.Lock(t.Context())
	mustFail(t, "first try", err, ErrUnknown)
	_, err = b.Lock(t.Context())
	mustFail(t, "B", err, ErrNotAcquired)

	r.nodes[0].FastForward(time.Second)
	g := mustLock(t, a)
	if v, left := r.value(), r.nodes[0].TTL(key); v != "A-1" || g.Token != v || left != ttl {
		t.Errorf("granted %q; key %q with TTL %v", g.Token, v, left)
	}
	_, err = a.Lock(t.Context())
	mustFail(t, "it is not reentrant", err, ErrNotAcquired)
}

// counter is a Resource that others write to as often as rivals says.
type counter struct {
	value, version int64
	rivals         int
	fails          error
}

func (c *counter) Read(context.Context) (int64, int64, error) {
	value, version := c.value, c.version
	if c.rivals > 0 {
		c.rivals--
		c.value--
		c.version++
	}
	return value, version, c.fails
}

func (c *counter) WriteIf(_ context.Context, value, version int64) error {
	if version != c.version {
		return ErrConflict
	}
	c.value = value
	c.version++
	return nil
}

func TestOptimisticVersion(t *testing.T) {
	decrement := func(n int64) int64 { return n - 1 }
	r := newRig(t, 0)
	var u Updater = &OptimisticVersion{r.env()}

	c := &counter{value: 10, rivals: 2}
	mustFail(t, "Update", u.Update(t.Context(), c, decrement), nil)
	if c.value != 7 || c.version != 3 {
		t.Errorf("value %d, version %d after three updates of 10", c.value, c.version)
	}
	broken := errors.New("broken")
	mustFail(t, "Update", u.Update(t.Context(), &counter{fails: broken}, decrement), broken)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	mustFail(t, "Update", u.Update(ctx, c, decrement), context.Canceled)
}
