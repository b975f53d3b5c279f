package strategies

import (
	"testing"
	"time"
)

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
