package lesson

import (
	"strings"
	"testing"
)

func TestAt(t *testing.T) {
	r := fixture(t, "overrun")
	find := func(text string) Snapshot {
		for i, row := range r.Rows {
			if strings.Contains(row.Text.String(), text) {
				return r.At(i)
			}
		}
		t.Fatalf("no row has %q", text)
		return Snapshot{}
	}
	s := find("SET lock:stock A-1")
	if k := s.Keys[0]; !k.Changed || k.State.Value != "A-1" || s.Clients[0].Asks != Trying || !s.Clients[0].Owns {
		t.Errorf("after A's SET: %+v", s)
	}
	s = find("enters")
	if c := s.Clients[0]; c.Hold != AtWork || !c.Owns || s.Keys[0].Changed {
		t.Errorf("at work: %+v", s)
	}
	s = find("expires")
	if c := s.Clients[0]; c.Hold != Wrongly || c.Owns || s.Keys[0].State != nil || !s.Keys[0].Changed {
		t.Errorf("after the lease: %+v", s)
	}
	s = find("SET lock:stock B-1")
	if len(s.Keys) != 1 || s.Keys[0].State.Value != "B-1" || s.Now <= s.Keys[0].Since-1 {
		t.Errorf("after B's SET: %+v", s)
	}
}
