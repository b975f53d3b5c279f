package pages

import (
	"context"
	"strings"
	"testing"
	"time"
)

// TestBackgroundWork: work that nobody waits for ends with the program, and
// its panic is a message.
func TestBackgroundWork(t *testing.T) {
	b := newBackground(t.Context())
	stopped := false
	b.do(func(ctx context.Context) any { <-ctx.Done(); stopped = true; return nil })
	late := b.do(func(ctx context.Context) any { <-ctx.Done(); time.Sleep(time.Millisecond); return "late" })
	b.end()
	if !stopped {
		t.Error("end did not wait")
	}
	late() // returns, whatever it returns
	b = newBackground(t.Context())
	defer b.end()
	msg := b.do(func(context.Context) any { panic("broken") })()
	if got, ok := msg.(panicked); !ok || !strings.HasPrefix(got.reason, "broken\n") {
		t.Errorf("a panic gives %+v", msg)
	}
}
