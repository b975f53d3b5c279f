package sim

import (
	"strconv"
	"time"
)

// Saw is the kind of an observation.
type Saw byte

// The kinds of observations.
const (
	SawNothing Saw = iota // it began or woke
	SawNow                // its clock shows Shown
	SawReply              // the bytes Reply answer its command
	SawTimeOut            // no reply came
	SawRefused            // the node accepts no connection
	SawReset              // the connection ended under way
	SawAccess             // its access to the resource ended as Access
)

// An Observation is what a strand observes at a step: all that its code can
// depend on.
type Observation struct {
	Kind   Saw
	Shown  time.Time // by its clock: SawNow; of a program that keeps time, always
	Reply  []byte
	Access Access // with what came of it
}

// Append appends a text that identifies the observation.
func (o *Observation) Append(b []byte) []byte {
	b = append(b, byte('a'+o.Kind))
	switch o.Kind {
	case SawReply:
		b = append(b, o.Reply...)
	case SawAccess:
		b = append(b, o.Access.Op...)
		b = strconv.AppendInt(append(b, ' '), o.Access.Value, 10)
		b = strconv.AppendInt(append(b, ' '), o.Access.Version, 10)
	}
	if !o.Shown.IsZero() {
		b = strconv.AppendInt(append(b, '@'), o.Shown.UnixNano(), 10)
	}
	return append(b, '\n')
}

// String returns a text that identifies the observation.
func (o Observation) String() string { return string(o.Append(nil)) }
