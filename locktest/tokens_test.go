package locktest

import (
	"context"
	"crypto/rand"
	"fmt"
	"hash/maphash"
	oldrand "math/rand"
	mathrand "math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// A drawing lock is a correct one, but for what it makes of the tokens that it
// draws.
func drawing(draw func() string, steals func(own, other string) bool) Factory {
	return func(c Client) (Lock, error) {
		var token string
		acquire := func(ctx context.Context) (bool, error) {
			token = draw()
			return c.Redis.SetNX(ctx, c.Key, token, c.TTL).Result()
		}
		return Funcs(func(ctx context.Context) error {
			ok, err := acquire(ctx)
			if err != nil || ok {
				return err
			}
			if other, err := c.Redis.Get(ctx, c.Key).Result(); err == nil && steals(token, other) {
				return c.Redis.Set(ctx, c.Key, token, c.TTL).Err()
			}
			return ErrNotAcquired
		}, func(ctx context.Context) error {
			return released(compareAndDelete.Run(ctx, c.Redis, []string{c.Key}, token).Int())
		}), nil
	}
}

func random() string { return fmt.Sprintf("%x", bytesOf(8)) }

func bytesOf(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b)
	return b
}

// unrepeatable draws what no run can draw again.
func unrepeatable() uint64 { return new(maphash.Hash).Sum64() }

func nobody(string, string) bool { return false }

// The locks of TestTokens, for the process in which they run.
var drawings = map[string]Factory{
	"random": drawing(random, nobody),
	"prefix": drawing(random, func(own, _ string) bool { return strings.HasPrefix(own, "0000") }),
	"same":   drawing(random, func(own, other string) bool { return own == other }),
	"base36": drawing(func() string { return strconv.FormatUint(mathrand.Uint64(), 36) }, nobody),
	"digit":  drawing(func() string { return fmt.Sprint(mathrand.IntN(10)) }, nobody),
	"hex":    drawing(func() string { return fmt.Sprintf("%016x", mathrand.Uint64()) }, nobody),
	"uuid": drawing(func() string {
		return fmt.Sprintf("%08x-%04x-4%03x", mathrand.Uint32(), mathrand.N(1<<16), mathrand.IntN(1<<12))
	}, nobody),
	"local":   drawing(func() string { return fmt.Sprint(mathrand.New(mathrand.NewPCG(mathrand.Uint64(), 0)).Int()) }, nobody),
	"older":   drawing(func() string { return fmt.Sprint(oldrand.Intn(1000)) }, nobody),
	"same v2": drawing(func() string { return fmt.Sprint(mathrand.Uint64()) }, func(own, other string) bool { return own == other }),
	"named":   drawing(func() string { return fmt.Sprint("locked by ", unrepeatable()) }, nobody),
	"parity":  drawing(func() string { return fmt.Sprint(unrepeatable()) }, func(own, _ string) bool { return own[len(own)-1]%2 == 0 }),
}

// TestTokens: tokens that nobody can repeat are names, unless the lock takes
// them for more.
func TestTokens(t *testing.T) {
	testkit.Single(t)
	for _, test := range testkit.Some(t, []struct {
		lock, finds string // "" for nothing
	}{
		{"random", ""},
		{"prefix", ""},
		{"same", ""},
		{"parity", "phantom-hold"}, // as its token is even or odd, it draws what it does
		{"digit", ""},
		{"hex", ""},
		{"named", ""},
		{"uuid", ""},
		{"local", ""},
		{"older", ""},
		{"same v2", ""},
		{"base36", ""},
	}, 4, 4) {
		t.Run(test.lock, func(t *testing.T) {
			r := Tried(t, drawings[test.lock], "contention")
			if r == nil {
				return
			}
			found := r.Reason
			for _, f := range r.Found {
				found += " " + f.Invariant
			}
			if r.Passes() != (test.finds == "") || !strings.Contains(found, test.finds) {
				t.Errorf("%+v", r)
			}
			if (test.lock == "named" || test.lock == "parity") != strings.Contains(r.Assumptions, "names") {
				t.Errorf("assumptions: %s", r.Assumptions)
			}
		})
	}
}
