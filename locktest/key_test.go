package locktest

import (
	"strings"
	"testing"

	"lockstep/sim/explore"
)

// TestAnotherKey: a right lock with a prefix before the key is not condemned: one sentence
// names the key and the option for it. With that option the lock is judged.
func TestAnotherKey(t *testing.T) {
	prefixed := func(prefix string) Factory {
		return func(c Client) (Lock, error) {
			l := &tutorialLock{redis: c.Redis, key: prefix + c.Key, ttl: c.TTL, token: c.Name}
			return l, nil
		}
	}
	for _, test := range []struct {
		what    string
		lock    Factory
		opts    []Option
		verdict explore.Verdict
		says    string
	}{
		{"a prefix", prefixed("locks:"), nil, explore.Inconclusive, `an acquisition writes locks:lock:stock, and not lock:stock: say with locktest.Key("locks:lock:stock")`},
		{"named", prefixed("locks:"), []Option{Key("locks:lock:stock")}, explore.Holds, ""},
		{"none", prefixed(""), nil, explore.Holds, ""},
	} {
		t.Run(test.what, func(t *testing.T) {
			r := Tried(t, test.lock, "contention", test.opts...)
			if r != nil && (r.Verdict != test.verdict || !strings.HasPrefix(r.Reason, test.says)) {
				t.Errorf("%s: %s", r.Verdict, r.Reason)
			}
		})
	}
}
