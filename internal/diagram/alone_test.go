package diagram

import (
	"slices"
	"testing"
)

// TestAloneTells: the lanes alone say why a node lost a key, which node let nobody in, which
// fencing token a write had, that a command waited at a node, and who is stuck.
func TestAloneTells(t *testing.T) {
	words := func(d *Diagram) (out []string) {
		for _, s := range d.Signs {
			if s.Word != "" {
				out = append(out, s.Word)
			}
		}
		return out
	}
	for story, want := range map[string]string{
		"a_restarted_node_votes_twice": "restart", "a_node_clock_jumps_ahead": "clock", "failover_forgets_the_lock": "failover",
	} {
		if got := words(Of(find(t, story))); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: the signs say %q, not %q", story, got, want)
		}
	}
	d := Of(find(t, "a_restarted_node_votes_twice"))
	var barred []string
	for _, a := range d.Arrows {
		if a.Fate == Barred {
			barred = append(barred, d.Run.Lanes[a.Start].Name+d.Run.Lanes[a.Goal].Name)
		}
	}
	if !slices.Equal(barred, []string{"Ar4", "Ar5"}) {
		t.Errorf("nobody listens to %q", barred)
	}
	fences := map[Access]int64{}
	for _, c := range Of(find(t, "fencing_refuses_the_stale_write")).Touches {
		fences[c.Access] = c.Fence
	}
	if fences[Writes] != 2 || fences[Declined] != 1 || fences[Reads] != 0 {
		t.Errorf("the fencing tokens are %v", fences)
	}
	for story, lane := range map[string]string{"a_lost_message_leaves_it_asleep": "B", "a_crash_takes_the_element_along": "r1", "a_crash_leaves_a_lock_without_ttl": "r1"} {
		d := Of(find(t, story))
		if len(d.Stucks) != 1 || d.Run.Lanes[d.Stucks[0].Lane].Name != lane {
			t.Errorf("%s: stuck are %v", story, d.Stucks)
		} else if early := d.Until(d.Stucks[0].Row - 1); len(early.Stucks) != 0 {
			t.Errorf("%s: stuck before it is known", story)
		}
	}
	d = Of(find(t, "a_crash_takes_the_element_along"))
	for _, a := range d.Arrows {
		if a.Client == 2 && !a.Reply && a.Effect == Changes {
			t.Errorf("B's command at row %d waits in vain, and is drawn as if it changed a key", a.From)
		}
	}
}
