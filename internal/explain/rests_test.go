package explain

import (
	"slices"
	"testing"
)

// TestRests: what the replays have shown, by how many causes there are, whether two
// of them suffice each, and whether the violation only comes later without them.
func TestRests(t *testing.T) {
	gone, later := Cause{}, Cause{Delays: true}
	either, eitherLater := Cause{Either: true}, Cause{Either: true, Delays: true}
	for _, c := range []struct {
		causes []Cause
		want   []string
	}{
		{nil, nil},
		{[]Cause{gone}, []string{"without_one"}},
		{[]Cause{later}, []string{"delayed_one"}},
		{[]Cause{gone, gone}, []string{"without_any"}},
		{[]Cause{later, later}, []string{"delayed_any"}},
		{[]Cause{gone, later}, []string{"without_some"}},
		{[]Cause{later, gone, gone}, []string{"without_some"}},
		{[]Cause{either, either}, []string{"without_both"}},
		{[]Cause{eitherLater, eitherLater}, []string{"delayed_both"}},
		{[]Cause{gone, either, either}, []string{"without_one", "without_both"}},
	} {
		if got := (Account{Causes: c.causes}).Rests(); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.causes, got, c.want)
		}
	}
}
