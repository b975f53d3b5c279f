package sim

import (
	"io"
	"net"
	"os"
	"strconv"
	"syscall"
	"time"
)

// Saw says what kind of thing a thread learnt at a step.
type Saw byte

// The kinds of observations.
const (
	SawNothing Saw = iota // it began, or its sleep is over
	SawNow                // its clock shows Shown
	SawReply              // the bytes Reply answer its command
	SawTimeOut            // no reply came
	SawRefused            // the node accepts no connection
	SawReset              // the connection ended under way
	SawAccess             // its access to the resource ended as Access
)

// An Observation is what a thread learns at a step: all that its code can
// depend on.
type Observation struct {
	Kind   Saw
	Shown  time.Time
	Reply  []byte
	Access Access
}

// observe hands an observation to a thread and lets it run to its next
// operation. An error is a *StuckError.
func (w *World) observe(t *thread, o Observation) error {
	t.client.seen = o.append(append(t.client.seen, byte('0'+t.id)))
	t.saw = o
	switch o.Kind {
	case SawReply:
		c := t.outbox.conn
		c.unread = append(c.unread, o.Reply...)
	case SawTimeOut:
		t.outbox.conn.failed = timeoutError{}
	case SawRefused:
		t.outbox.conn.failed = &net.OpError{Op: "dial", Net: "tcp", Addr: t.outbox.conn.RemoteAddr(), Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	case SawReset:
		t.outbox.conn.failed = io.EOF
	case SawAccess:
		t.op.access = o.Access
	}
	w.resume(t)
	if w.stuck != nil {
		return w.stuck
	}
	return nil
}

// append writes the observation as text that tells it from any other.
func (o *Observation) append(b []byte) []byte {
	b = append(b, byte('a'+o.Kind))
	switch o.Kind {
	case SawNow:
		b = strconv.AppendInt(b, o.Shown.UnixNano(), 10)
	case SawReply:
		b = append(b, o.Reply...)
	case SawAccess:
		b = append(b, o.Access.Op...)
		b = strconv.AppendInt(append(b, ' '), o.Access.Value, 10)
		b = strconv.AppendInt(append(b, ' '), o.Access.Version, 10)
	}
	return append(b, '\n')
}

// String writes the observation as text that tells it from any other.
func (o Observation) String() string { return string(o.append(nil)) }
