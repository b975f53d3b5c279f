package pages

import "testing"

// TestACommandPanics: also one of several, and the first one of all.
func TestACommandPanics(t *testing.T) {
	both := guard(batch(func() any { return nil }, func() any { panic("broken") }))().(Batch)
	if _, ok := both[1]().(panicked); !ok {
		t.Error("a panic in a batch is not caught")
	}
	m := start(t, Options{}, 80, 24)
	if cmd := m.Update(panicked{"broken"}); !isQuit(cmd) || m.panicked != "broken" {
		t.Errorf("a panic does not end the program: %q", m.panicked)
	}
}
