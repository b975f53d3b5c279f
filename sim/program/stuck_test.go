package program

import (
	"fmt"
	"testing"
)

// TestOverIsToldToThoseWhoWereTold: a listener that registered after the report
// gets no over.
func TestOverIsToldToThoseWhoWereTold(t *testing.T) {
	calls := map[string]int{}
	listen := func(name string) func() { return OnStuck(func(Stuck, bool) { calls[name]++ }) }
	defer listen("early")()
	s := Stuck{Client: "A"}
	told := s.tell()
	defer listen("late")()
	s.end(told)
	if calls["early"] != 2 || calls["late"] != 0 {
		t.Errorf("heard %v", calls)
	}
}

// TestInnermostOfItsOwnCode: the place is the running line, or the function for
// an empty loop, which has no line.
func TestInnermostOfItsOwnCode(t *testing.T) {
	const stackFormat = `goroutine 7 [running]:
runtime.asyncPreempt()
	/go/src/runtime/preempt_amd64.s:10 +0x1
%slockstep/sim/program.(*strand).enter(0xc000)
	/src/sim/program/strand.go:60 +0x7
`
	for _, tt := range []struct{ frames, want string }{
		{"lockstep/strategies.(*busy).Lock(0xc000, {0x1, 0x2})\n\t/src/strategies/busy.go:21 +0x30\n", "strategies/busy.go:21"},
		{"lockstep/strategies.(*busy).Lock(...)\n\t/src/strategies/busy.go:1 +0x1\n", "strategies.(*busy).Lock"},
		{"", ""},
	} {
		if got := innermost(fmt.Sprintf(stackFormat, tt.frames)); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.frames, got, tt.want)
		}
	}
}
