package sim_test

import (
	"testing"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/strategies"
)

func subject(t testing.TB, id string) sim.Subject {
	t.Helper()
	info, ok := strategies.Find(id)
	if !ok {
		t.Fatalf("no lock %q", id)
	}
	return sim.Subject{New: info.New, Nodes: info.Nodes}
}

func TestTwoClients(t *testing.T) {
	c := history.Default()
	c.Strategy = "set-lua"
	w, err := sim.New(c, subject(t, c.Strategy))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for range 40 {
		for _, a := range w.Enabled() {
			if a.Verb == history.Step {
				if err := w.Perform(a); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
	}
	for _, l := range history.Lines(w.History().Events, 1) {
		t.Log(l.Who, l.Text, l.Source)
	}
	t.Log(history.Check(w.History()), history.Token(c, w.History().Schedule))
}
