package program

import (
	"bytes"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"lockstep/message"
	"lockstep/sim"
	"lockstep/sim/resp"
)

// A conn is the seam: what go-redis takes for its network connection to a
// node. A request that go-redis writes parks its strand until the world
// performs it; the reply is then there to be read. What go-redis says while it
// connects is answered at once and is no part of any schedule.
type conn struct {
	program *Coroutine
	node    int
	id      int          // among the client's connections
	written bytes.Buffer // a request that is not complete yet
	unread  bytes.Buffer // replies that go-redis has not read yet
	failed  error        // instead of the reply that was due
	closed  bool
}

// Write takes a request from go-redis.
func (c *conn) Write(b []byte) (int, error) {
	if c.closed {
		return 0, net.ErrClosed
	}
	c.written.Write(b)
	var cmds [][]string
	for c.written.Len() > 0 {
		args, n, err := resp.ParseCommand(c.written.Bytes())
		if err != nil {
			return 0, message.Errorf("program: not a request: %w", err)
		}
		if n == 0 {
			break
		}
		c.written.Next(n)
		args[0] = strings.ToUpper(args[0])
		if reply := handshake(args[0]); reply != "" {
			c.unread.WriteString(reply)
			continue
		}
		cmds = append(cmds, args)
	}
	if len(cmds) > 0 {
		if err := c.send(cmds); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// send parks the strand with its commands until they are performed.
func (c *conn) send(cmds [][]string) error {
	c.program.arrive()
	t := c.program.running
	if t == nil {
		if c.program.dead {
			return net.ErrClosed
		}
		outside()
	}
	units := sim.Units(cmds)
	for i := range units {
		units[i].Source, units[i].Shown = t.source, shown(units[i].Cmds)
	}
	t.outbox = outbox{c, units}
	t.park(operation{kind: opCommand, label: name(units[0].Cmds)})
	return nil
}

// name is what a schedule or a story calls a unit: its command, or for a
// transaction the first of its commands.
func name(cmds [][]string) string {
	if len(cmds) > 1 {
		return cmds[1][0]
	}
	return cmds[0][0]
}

// shown returns commands of which every word can be printed: the same, as a
// rule.
func shown(cmds [][]string) [][]string {
	if !slices.ContainsFunc(cmds, func(cmd []string) bool {
		return slices.ContainsFunc(cmd, func(word string) bool { return resp.Printable(word) != word })
	}) {
		return cmds
	}
	printed := make([][]string, len(cmds))
	for i, cmd := range cmds {
		printed[i] = make([]string, len(cmd))
		for j, word := range cmd {
			printed[i][j] = resp.Printable(word)
		}
		if len(cmd) > 1 && cmd[0] == "EVAL" {
			printed[i][1] = cmd[1] // a script has lines
		}
	}
	return printed
}

// handshake answers what go-redis sends to open a connection.
func handshake(command string) string {
	switch command {
	case "HELLO":
		return "*6\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$5\r\n8.4.0\r\n$5\r\nproto\r\n:2\r\n"
	case "CLIENT":
		return "+OK\r\n"
	}
	return ""
}

// Read gives go-redis the bytes of a reply.
func (c *conn) Read(b []byte) (int, error) {
	switch {
	case c.unread.Len() > 0:
		return c.unread.Read(b)
	case c.closed:
		return 0, io.EOF
	case c.failed != nil:
		return 0, c.failed
	}
	return 0, errOutside
}

// Close closes the connection. A request that it sent may still arrive.
func (c *conn) Close() error {
	c.closed = true
	return nil
}

func (c *conn) LocalAddr() net.Addr              { return addr(c.program.name) }
func (c *conn) RemoteAddr() net.Addr             { return addr(sim.NodeName(c.node)) }
func (c *conn) SetDeadline(time.Time) error      { return nil }
func (c *conn) SetReadDeadline(time.Time) error  { return nil }
func (c *conn) SetWriteDeadline(time.Time) error { return nil }

type addr string

func (addr) Network() string  { return "lockstep" }
func (a addr) String() string { return string(a) }

// A timeoutError is what a socket returns when its read deadline passes.
type timeoutError struct{}

func (timeoutError) Error() string   { return "i/o timeout" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }
