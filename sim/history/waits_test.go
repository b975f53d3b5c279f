package history

import "testing"

// TestWaits: who tries to acquire while another client holds the lock waits, and nobody else.
func TestWaits(t *testing.T) {
	asks := func(who string) Event { return Event{Kind: Invoke, Op: OpAcquire, Client: who} }
	gets := func(who string) Event {
		return Event{Kind: Return, Op: OpAcquire, Outcome: Acquired, Client: who}
	}
	releases := func(who string) Event { return Event{Kind: Invoke, Op: OpRelease, Client: who} }
	for _, test := range []struct {
		what   string
		events []Event
		want   bool
	}{
		{"nobody holds it", []Event{asks("A"), asks("B")}, false},
		{"nobody else asks", []Event{asks("A"), gets("A")}, false},
		{"the holder asks again", []Event{asks("A"), gets("A"), asks("A")}, false},
		{"B asks", []Event{asks("A"), gets("A"), asks("B")}, true},
		{"B asked first", []Event{asks("B"), asks("A"), gets("A")}, true},
		{"B has it as well", []Event{asks("A"), gets("A"), asks("B"), gets("B")}, false},
		{"B was refused", []Event{asks("A"), gets("A"), asks("B"), {Kind: Return, Op: OpAcquire, Outcome: Refused, Client: "B"}}, false},
		{"A releases it", []Event{asks("A"), gets("A"), asks("B"), releases("A")}, false},
		{"A crashes", []Event{asks("A"), gets("A"), asks("B"), {Kind: Fault, Op: string(Crash), Client: "A"}}, false},
	} {
		m := NewMonitor(Default(), 1)
		for _, e := range test.events {
			m.Observe(e)
		}
		if m.Waits() != test.want {
			t.Errorf("%s: %v", test.what, m.Waits())
		}
	}
}
