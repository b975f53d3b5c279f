package pages

import (
	"testing"
	"time"
)

// TestTimerTicks: while it runs there is one tick a second, whatever is pressed, and
// none when it stands or nothing is to move by itself.
func TestTimerTicks(t *testing.T) {
	m, clock := talking(t, Options{}, 80, 24)
	press(m, "pgdown")
	first := m.talk.ticked(m.talk.timer.turn)
	if got := m.talk.timer.rest(); got != time.Second {
		t.Errorf("the first second takes %v", got)
	}
	if m.Update(first) == nil {
		t.Error("no tick after the first one")
	}
	clock.goOn(1300 * time.Millisecond)
	if press(m, "n") != nil {
		t.Error("a key asks for a tick")
	}
	if got := m.talk.timer.rest(); got != 700*time.Millisecond {
		t.Errorf("the second ends in %v", got)
	}
	press(m, "T")
	if m.Update(first) != nil || m.Update(m.talk.ticked(m.talk.timer.turn)) != nil {
		t.Error("it stands, and asks for a tick")
	}
	press(m, "T")
	if m.Update(first) != nil {
		t.Error("a tick of an earlier stretch asks for another")
	}
	m, _ = talking(t, Options{NoAnimation: true}, 80, 24)
	if press(m, "pgdown") != nil {
		t.Error("nothing is to move, and something asks for a tick")
	}
}
