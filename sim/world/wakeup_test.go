package world_test

import (
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
	"lockstep/sim/world"
)

// TestLostWakeup decides lost-wakeup after schedules of the locks that wait for a
// message: with and without a wait, a message, a fault.
func TestLostWakeup(t *testing.T) {
	for _, tt := range []struct {
		name, lock, schedule string
		want                 string // who is asleep; "" for nobody
	}{
		{"nobody has begun", "pubsub-wakeup", "", ""},
		{"the holder still holds", "pubsub-wakeup", "A*2 B*3", ""},
		{"the message came before the subscription", "pubsub-wakeup", "A*2 B*2 A*6 B +5001", "B"},
		{"the message is there and not read", "pubsub-wakeup", "A*2 B*3 A*6 +5001", ""},
		{"the message is lost, and its connection with it", "pubsub-wakeup", "A*2 B*3 A*6 B.lose-push +5001", ""},
		{"the holder is dead", "pubsub-wakeup", "A*2 B*3 A.crash +5001", "B"},
		{"the holder is dead, and its lease is not over", "pubsub-wakeup", "A*2 B*3 A.crash", ""},
		{"the fix waits no longer than the lease", "pubsub-timed", "A*2 B*5 A.crash +5001", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := testkit.Must(history.ParseConfig("strategy=" + tt.lock + " clients=A,B"))(t)
			s := testkit.Must(history.ParseSchedule(tt.schedule))(t)
			v := testkit.Must(world.LostWakeup(t.Context(), c, subject(t, tt.lock), s))(t)
			who := ""
			if v != nil {
				who = v.Client
			}
			if who != tt.want {
				t.Errorf("asleep: %q, want %q", who, tt.want)
			}
		})
	}
}
