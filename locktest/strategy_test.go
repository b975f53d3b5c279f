package locktest

import (
	"slices"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/strategies"
)

// TestStrategy: a lock of the catalogue is judged as its author meant it, by its
// own token and grant.
func TestStrategy(t *testing.T) {
	for _, test := range testkit.Some(t, []struct {
		lock, hazard string
		want         []string
	}{
		{"set-del", "overrun", []string{"overrun foreign-release"}},
		{"set-lua", "overrun", nil},
		{"watchdog-lua", "hang", nil},
	}, 1, 1) {
		info, _ := strategies.Find(test.lock)
		if found := violations(t, Strategy(info.New), 1, test.hazard); !slices.Equal(found, test.want) {
			t.Errorf("%s: found %v, want %v", test.lock, found, test.want)
		}
	}
}
