package explore

// A state is one state of the whole world: a number for each client's state, in
// order, then the env, the monitor, the Spending and whether the cause has occurred. The numbers are those of
// package model.
type state []int32

// The parts of a state after the clients.
const (
	stateEnv = iota
	stateMonitor
	stateFaults // spent so far
	stateTicks  // spent so far
	stateCause  // 1 if Bounds.Because is violated
	stateExtra
)

func (s state) clients() []int32      { return s[:len(s)-stateExtra] }
func (s state) client(who int) int32  { return s[who] }
func (s state) rest(which int) *int32 { return &s[len(s)-stateExtra+which] }
func (s state) env() int32            { return *s.rest(stateEnv) }
func (s state) monitor() int32        { return *s.rest(stateMonitor) }
func (s state) faults() int           { return int(*s.rest(stateFaults)) }
func (s state) ticks() int            { return int(*s.rest(stateTicks)) }
func (s state) cause() int32          { return *s.rest(stateCause) }
