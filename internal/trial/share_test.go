package trial

import (
	"testing"
	"time"
)

// TestPart: hazards that all take what they may take have all of the time together, and each has
// some; one that comes after hazards that take nothing has more.
func TestPart(t *testing.T) {
	for _, times := range []int{1, 2} {
		left := 5 * time.Second
		for others := 16; others >= 0; others-- {
			p := part(left, others, times)
			if fair := left / time.Duration(others+1); p < fair || p > time.Duration(times)*fair || p < 30*time.Millisecond {
				t.Errorf("%d times, %d others: %v of %v", times, others, p, left)
			}
			left -= p
		}
		if left != 0 {
			t.Errorf("%d times: nobody has %v", times, left)
		}
	}
	if late := part(5*time.Second, 0, 2); late != 5*time.Second {
		t.Errorf("the only one that is left has %v", late)
	}
}
