package remote

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestDeadline: a deadline that has ended is not set again by what hurries it late.
func TestDeadline(t *testing.T) {
	for _, tt := range []struct {
		name  string
		does  func(*deadline)
		after time.Duration // when it passes; 0 for never
	}{
		{"alone", func(*deadline) {}, time.Minute},
		{"hurried", func(d *deadline) { d.hurry(time.Second) }, time.Second},
		{"ended", func(d *deadline) { d.end() }, 0},
		{"hurried and ended", func(d *deadline) { d.hurry(time.Second); d.end() }, 0},
		{"ended and hurried", func(d *deadline) { d.end(); d.hurry(time.Second) }, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			var after time.Duration
			begun := time.Now()
			d := newDeadline(time.Minute, func() { after = time.Since(begun) })
			tt.does(d)
			time.Sleep(time.Hour)
			synctest.Wait()
			if after != tt.after {
				t.Errorf("%s: it passed after %v, not %v", tt.name, after, tt.after)
			}
			if d.end() {
				t.Errorf("%s: it had not ended", tt.name)
			}
		})
	}
}
