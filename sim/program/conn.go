package program

import (
	"bytes"
	"io"
	"math"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/resp"
)

// A Conn is the seam: go-redis uses it as its network connection to a node. A
// request parks its strand until the world performs it; then go-redis reads the
// reply. A read that finds nothing parks its strand until a message comes. Conn
// itself answers the commands that open a connection, without an action of the
// schedule.
type Conn struct {
	Node    int
	client  string
	dialect Dialect
	send    func(*Conn, []sim.Unit) error
	receive func(*Conn) error
	written bytes.Buffer // an incomplete request

	mu      sync.Mutex   // one goroutine may write while another reads
	listens bool         // messages may come over it
	unread  bytes.Buffer // replies that go-redis has not read yet
	failed  error        // the error in place of a reply
	closed  bool
}

// NewConn returns a connection from a client to a node of a kind. send parks the
// sender until Answer has been called; so does receive with a reader.
func NewConn(kind sim.ServerKind, client string, node int, send func(*Conn, []sim.Unit) error, receive func(*Conn) error) *Conn {
	return &Conn{Node: node, client: client, dialect: dialects[kind](), send: send, receive: receive}
}

// A Dialect is what a client and a kind of server say to each other.
type Dialect interface {
	// Requests takes complete requests from the bytes that a client has
	// written. answered are replies to those that are no action of a schedule.
	Requests(written *bytes.Buffer) (units []sim.Unit, answered []byte, err error)
	// Replies returns what the client reads of the bytes that a server has sent.
	Replies(sent []byte) []byte
}

var dialects = map[sim.ServerKind]func() Dialect{
	sim.Redis:     func() Dialect { return redisDialect{} },
	sim.ZooKeeper: func() Dialect { return &zookeeperDialect{} },
}

// Register adds what is spoken with a kind of server: one Dialect for each
// connection. Call it before any world is built, with server.Register.
func Register(kind sim.ServerKind, speak func() Dialect) { dialects[kind] = speak }

// Listens reports whether the code has subscribed over the connection, or has
// waited for a message.
func (c *Conn) Listens() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.listens
}

// Closed reports whether the code has closed the connection.
func (c *Conn) Closed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// Failed reports whether a request has failed over the connection.
func (c *Conn) Failed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed != nil
}

// Ready reports whether a reader need not wait.
func (c *Conn) Ready() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.unread.Len() > 0 || c.failed != nil || c.closed
}

// Pong returns the reply to a PING over a connection that listens; "" for
// anything else. Such a PING asks whether the connection is alive, every few
// seconds and by itself. It is answered at once, like a handshake.
func (c *Conn) Pong(units []sim.Unit) string {
	if len(units) != 1 || len(units[0].Cmds) != 1 || !c.Listens() {
		return ""
	}
	cmd := units[0].Cmds[0]
	if cmd[0] != "PING" || len(cmd) > 2 {
		return ""
	}
	return string(resp.AppendCommand(nil, []string{"pong", strings.Join(cmd[1:], "")}))
}

// Write takes a request from the client's library.
func (c *Conn) Write(b []byte) (int, error) {
	if c.Closed() {
		return 0, net.ErrClosed
	}
	c.written.Write(b)
	units, answered, err := c.dialect.Requests(&c.written)
	if err != nil {
		return 0, lang.Errorf("program: not a request: %w", err)
	}
	c.mu.Lock()
	c.unread.Write(answered)
	for _, u := range units {
		c.listens = c.listens || subscribing[u.Cmds[0][0]]
	}
	c.mu.Unlock()
	if len(units) > 0 {
		if err := c.send(c, units); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

// redisDialect is RESP2.
type redisDialect struct{}

// Requests is Dialect's.
func (redisDialect) Requests(written *bytes.Buffer) (units []sim.Unit, answered []byte, err error) {
	var cmds [][]string
	for written.Len() > 0 {
		args, n, err := resp.ParseCommand(written.Bytes())
		if err != nil {
			return nil, nil, err
		}
		if n == 0 {
			break
		}
		written.Next(n)
		args[0] = strings.ToUpper(args[0])
		if reply := handshake(args); reply != "" {
			answered = append(answered, reply...)
			continue
		}
		cmds = append(cmds, args)
	}
	return unitsOf(cmds), answered, nil
}

// Replies is Dialect's.
func (redisDialect) Replies(sent []byte) []byte { return sent }

// Answer records what go-redis reads when it continues.
func (c *Conn) Answer(o sim.Observation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch o.Kind {
	case sim.SawReply, sim.SawPush:
		c.unread.Write(c.dialect.Replies(o.Reply))
	case sim.SawTimeOut:
		c.failed = timeoutError{}
	case sim.SawRefused:
		c.failed = &net.OpError{Op: "dial", Net: "tcp", Addr: c.RemoteAddr(), Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	case sim.SawReset:
		c.failed = io.EOF
	}
}

// unitsOf returns commands as units, with a printable form.
func unitsOf(cmds [][]string) []sim.Unit {
	units := sim.Units(cmds)
	for i := range units {
		units[i].Shown = shown(units[i].Cmds)
	}
	return units
}

// BlocksOf returns for how long a node may hold the last of some units before it
// replies; see sim.Want.
func BlocksOf(units []sim.Unit) history.Millis {
	cmds := units[len(units)-1].Cmds
	cmd := cmds[len(cmds)-1]
	word := history.TimeOutOf(cmd)
	if len(cmds) > 1 || word == "" {
		return 0
	}
	n, err := strconv.ParseFloat(word, 64)
	switch {
	case err != nil || n < 0:
		return 0 // an error at once
	case n == 0 || n > float64(history.MaxTime/history.Second):
		return sim.Forever
	}
	return history.Millis(math.Ceil(n * float64(history.Second)))
}

// subscribing are the commands whose replies, and the messages after them, come
// to a reader that need not be their sender.
var subscribing = map[string]bool{"SUBSCRIBE": true, "PSUBSCRIBE": true, "UNSUBSCRIBE": true, "PUNSUBSCRIBE": true}

// Subscribes reports whether units are nothing but such commands.
func Subscribes(units []sim.Unit) bool {
	return !slices.ContainsFunc(units, func(u sim.Unit) bool { return !subscribing[u.Cmds[0][0]] })
}

// LabelOf returns the name of units in schedules and stories: the command, or
// the first command of a transaction.
func LabelOf(units []sim.Unit) string {
	cmds := units[0].Cmds
	return cmds[min(1, len(cmds)-1)][0]
}

// maxShown bounds the words of a command that are shown.
const maxShown = 200

// shown returns a printable form of commands, usually the commands themselves.
func shown(cmds [][]string) [][]string {
	if !slices.ContainsFunc(cmds, func(cmd []string) bool {
		return len(cmd) > maxShown || slices.ContainsFunc(cmd, func(word string) bool { return resp.Printable(word) != word })
	}) {
		return cmds
	}
	printed := make([][]string, len(cmds))
	for i, cmd := range cmds {
		first := cmd[:min(len(cmd), maxShown)]
		for _, word := range first {
			printed[i] = append(printed[i], resp.Printable(word))
		}
		if len(cmd) > 1 && cmd[0] == "EVAL" {
			printed[i][1] = resp.Short(cmd[1]) // a script keeps its lines
		}
		if more := cmd[len(first):]; len(more) > 0 {
			printed[i] = append(printed[i], resp.Short(strings.Join(more, " ")))
		}
	}
	return printed
}

// tells are the parts of CLIENT by which a client only says who it is, or what it would like.
var tells = map[string]bool{"SETNAME": true, "SETINFO": true, "MAINT_NOTIFICATIONS": true, "NO-EVICT": true, "NO-TOUCH": true}

// handshake returns the reply to a command that opens a connection, or "".
func handshake(args []string) string {
	switch {
	case args[0] == "HELLO":
		return "*6\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$5\r\n8.4.0\r\n$5\r\nproto\r\n:2\r\n"
	case args[0] == "CLIENT" && len(args) > 1 && tells[strings.ToUpper(args[1])]:
		return "+OK\r\n"
	}
	return ""
}

// Read returns bytes of a reply or a message. It waits for a message if there is
// neither.
func (c *Conn) Read(b []byte) (int, error) {
	for waited := false; ; waited = true {
		n, err, there := c.read(b)
		switch {
		case there:
			return n, err
		case waited:
			return 0, errOutside
		}
		if err := c.receive(c); err != nil {
			return 0, err
		}
	}
}

// read reads without waiting, if there is anything to read.
func (c *Conn) read(b []byte) (n int, err error, there bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return 0, io.EOF, true
	case c.unread.Len() > 0:
		n, err = c.unread.Read(b)
		return n, err, true
	case c.failed != nil:
		return 0, c.failed, true
	}
	c.listens = true
	return 0, nil, false
}

// Close closes the connection. A request that it sent may still arrive.
func (c *Conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	return nil
}

func (c *Conn) LocalAddr() net.Addr              { return addr(c.client) }
func (c *Conn) RemoteAddr() net.Addr             { return addr(history.NodeName(c.Node)) }
func (c *Conn) SetDeadline(time.Time) error      { return nil }
func (c *Conn) SetReadDeadline(time.Time) error  { return nil }
func (c *Conn) SetWriteDeadline(time.Time) error { return nil }

type addr string

// IsSeam reports whether an address is that of a node, reached over a Conn.
func IsSeam(a net.Addr) bool { _, is := a.(addr); return is }

func (addr) Network() string  { return "lockstep" }
func (a addr) String() string { return string(a) }

// A timeoutError is the error of a socket whose read deadline has passed.
type timeoutError struct{}

func (timeoutError) Error() string   { return "i/o timeout" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }
