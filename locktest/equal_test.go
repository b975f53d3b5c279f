package locktest

import (
	"context"
	"crypto/rand"
	"fmt"
	oldrand "math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/internal/testkit"
)

// tokened is a right lock but for the token that it draws and for how it releases.
func tokened(draw func() string, release func(ctx context.Context, c Client, token string) error) Factory {
	return func(c Client) (Lock, error) {
		var token string
		return Funcs(func(ctx context.Context) error {
			drawn := draw()
			ok, err := c.Redis.SetNX(ctx, c.Key, drawn, c.TTL).Result()
			switch {
			case err != nil:
				return err
			case !ok:
				return ErrNotAcquired
			}
			token = drawn
			return nil
		}, func(ctx context.Context) error { return release(ctx, c, token) }), nil
	}
}

func byScript(ctx context.Context, c Client, token string) error {
	return released(compareAndDelete.Run(ctx, c.Redis, []string{c.Key}, token).Int())
}

func byGet(ctx context.Context, c Client, token string) error {
	if found, err := c.Redis.Get(ctx, c.Key).Result(); err != nil || found != token {
		return ErrLost
	}
	n, err := c.Redis.Del(ctx, c.Key).Result()
	return released(int(n), err)
}

func byDel(ctx context.Context, c Client, _ string) error {
	n, err := c.Redis.Del(ctx, c.Key).Result()
	return released(int(n), err)
}

func always() string { return "locked" }

// The world begins at 2026-01-01 12:00 UTC, 1767268800 s.
var equals = []struct {
	name   string
	lock   Factory
	finds  []string // under overrun, of these three: equal-tokens, foreign-release, foreign-renewal
	source string
}{
	// Two clients that try at the same instant read the same time. The second one's SET comes
	// after the first one's lease, and the first one's script finds its own token.
	{"nanoseconds", tokened(func() string { return fmt.Sprint(time.Now().UnixNano()) }, byScript), []string{"equal-tokens"}, "in nanoseconds"},
	{"milliseconds", tokened(func() string { return fmt.Sprint("lock-", time.Now().UnixMilli()) }, byScript), []string{"equal-tokens"}, "in milliseconds"},
	{"seconds in hex", tokened(func() string { return fmt.Sprintf("%x", time.Now().Unix()) }, byScript), []string{"equal-tokens"}, "in seconds"},
	{"a constant", tokened(always, byScript), []string{"equal-tokens"}, "which is not a time"},
	{"a fixed seed", tokened(func() string { return fmt.Sprint(oldrand.New(oldrand.NewSource(42)).Int63()) }, byScript), []string{"equal-tokens"}, "which is not a time"},
	// No two clients draw the same of these.
	{"random", tokened(rand.Text, byScript), nil, ""},
	{"random, GET then DEL", tokened(rand.Text, byGet), []string{"foreign-release"}, ""},
	{"random, DEL", tokened(rand.Text, byDel), []string{"foreign-release"}, ""},
	// A bare DEL asks for no token: another one would not help.
	{"a constant, DEL", tokened(always, byDel), []string{"foreign-release"}, ""},
	// It reads the other's token for its own, or its own, and then the key changes hands.
	{"a constant, GET then DEL", tokened(always, byGet), []string{"equal-tokens", "foreign-release"}, "which is not a time"},
}

// TestEqualTokens: that two clients have drawn the same token is said by its name, with where
// the token comes from; nothing else is taken for it.
func TestEqualTokens(t *testing.T) {
	testkit.Single(t)
	for _, test := range equals {
		t.Run(test.name, func(t *testing.T) {
			var found []string
			for _, f := range under(t, trialHere(t, test.lock), Overrun).Found {
				if !slices.Contains([]string{"equal-tokens", "foreign-release", "foreign-renewal"}, f.Invariant) {
					continue
				}
				if found = append(found, f.Invariant); f.Invariant == "equal-tokens" && (f.Allowed != "" || !strings.Contains(f.Says, test.source)) {
					t.Errorf("allowed %q, and it says %s", f.Allowed, f.Says)
				}
				t.Log(f.Text(nil, "check"))
			}
			if slices.Sort(found); !slices.Equal(found, test.finds) {
				t.Errorf("found %s, want %s", found, test.finds)
			}
		})
	}
	testkit.Single(t)
}
