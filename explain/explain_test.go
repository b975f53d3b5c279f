package explain_test

import (
	"fmt"
	"testing"

	"lockstep/explain"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

func TestStories(t *testing.T) {
	stories, err := scenarios.Stories()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range stories {
		r, err := scenarios.Run(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		subject, _ := scenarios.SubjectOf(r.History.Config.Strategy)
		for _, v := range r.Violations {
			c, err := explain.Find(t.Context(), r.History, subject, v)
			if err != nil {
				t.Errorf("%s: %s: %v", s.Name, v.Invariant, err)
			}
			out := ""
			for _, x := range c.All {
				out += fmt.Sprintf("\n      %s %s#%d %s", x.Kind, x.Client, x.Action, line(r.History, x.Seq))
			}
			own := ""
			if v.Seq >= 0 {
				own = line(r.History, v.Seq)
			}
			t.Logf("%s: %s@%d %s (%s)%v%s", s.Name, v.Invariant, v.Seq, v.Client, own, c.Either, out)
		}
	}
}

func line(h history.History, seq int) string {
	for _, l := range history.Lines(h.Events[seq:seq+1], h.Nodes) {
		return l.Text
	}
	return ""
}
