package program

import "testing"

// TestOverIsToldToThoseWhoWereTold: whoever listens only since then has nothing
// to take back.
func TestOverIsToldToThoseWhoWereTold(t *testing.T) {
	heard := map[string]int{}
	listener := func(name string) func(Stuck, bool) { return func(Stuck, bool) { heard[name]++ } }
	early, late := listener("early"), listener("late")
	d := &watch{listeners: map[*func(Stuck, bool)]map[Stuck]bool{&early: {}}}
	s := Stuck{Client: "A"}
	d.tell([]Stuck{s}, nil)
	d.listeners[&late] = map[Stuck]bool{}
	d.tell(nil, []Stuck{s})
	if heard["early"] != 2 || heard["late"] != 0 {
		t.Errorf("heard %v", heard)
	}
}
