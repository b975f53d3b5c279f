// Package live drives real servers: a Redis that the user names, or a Redis or a
// ZooKeeper that Lockstep starts and that ends with this process. A Conn is one
// connection to a Redis; it executes commands, and reads all keys in the same
// transaction. It refuses commands with unknown keys before it sends them.
//
// Of a Redis that Lockstep did not start, it uses one logical database that is
// empty, and deletes at the end what it has put there (claim.go).
//
// Start with Conn.Do.
package live

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"lockstep/internal/lang"
	"lockstep/sim/resp"
)

const (
	dialTimeout  = 3 * time.Second
	replyTimeout = 3 * time.Second
	lastTimeout  = time.Second // for cleaning up a server that has not answered
)

// ErrSilent means that a server accepts connections and does not answer.
var ErrSilent = lang.Errorf("the server has accepted the connection and does not answer; it may be stopped, or busy with another command: redis-cli ping would show it")

// ErrLocked means that a server requires another password, or any.
var ErrLocked = lang.Errorf("the server lets nobody in without the right password")

// A Server is one real Redis server that a run uses. It is not safe for concurrent
// use.
type Server struct {
	ctx     context.Context // of the run
	target  Target
	version string
	process *process // nil unless it was started here
	conns   []*Conn
	names   []string // all keys used so far
	scripts []string // the SHAs of those sent so far
}

// Version returns the server's version.
func (s *Server) Version() string { return s.version }

// Own reports whether Lockstep started the server.
func (s *Server) Own() bool { return s.process != nil }

// URL returns the server's address with its password, as Parse reads it.
func (s *Server) URL() string { return s.target.url() }

// String returns the server's address without its password.
func (s *Server) String() string { return s.target.String() }

// Format formats a server like String, for any verb.
func (s *Server) Format(f fmt.State, verb rune) { s.target.Format(f, verb) }

// inspect checks that a server is usable: it answers, accepts the login, and is
// neither a cluster nor a replica. It writes nothing.
func (s *Server) inspect() error {
	w, err := dial(s.ctx, s.target)
	if err != nil {
		return err
	}
	defer w.close()
	info, err := w.info()
	if err != nil {
		return lang.Errorf("%s: %w", s, err)
	}
	s.version = info["redis_version"]
	if why := unfit(info); !why.None() {
		return lang.Errorf("%s: %v", s, why)
	}
	return nil
}

// recent matches the versions that tell the deadline of a key.
var recent = regexp.MustCompile(`^([7-9]|[1-9][0-9]+)\.`)

// unfit returns what makes a server unusable, or nothing.
func unfit(info map[string]string) lang.Message {
	switch {
	case info["cluster_enabled"] == "1":
		return lang.New("it is a cluster; use a single server")
	case info["redis_mode"] != "" && info["redis_mode"] != "standalone":
		return lang.New("it is a %s; use a single server", info["redis_mode"])
	case info["role"] != "master":
		return lang.New("its role is %q; use a master, a replica accepts no writes", info["role"])
	case info["loading"] == "1":
		return lang.New("it is still loading its data")
	case !recent.MatchString(info["redis_version"]):
		return lang.New("it is Redis %q; use 7.0 or newer, which tells the deadline of a key", info["redis_version"])
	}
	return lang.Message{}
}

// A wire is one connection to a server. Each exchange has a bound in time, and the
// end of a context interrupts none: what was sent has been executed then, or
// never will be.
type wire struct {
	ctx    context.Context
	net    net.Conn
	read   *bufio.Reader
	secret string // to hide in the server's texts
}

// dial opens a connection and logs in.
func dial(ctx context.Context, t Target) (*wire, error) {
	d := net.Dialer{Timeout: dialTimeout}
	c, err := d.DialContext(ctx, t.network, t.address)
	if err != nil {
		return nil, lang.Errorf("no server at %s: %w", t, reason(err))
	}
	w := &wire{ctx: ctx, net: c, read: bufio.NewReaderSize(c, 4<<10), secret: cmp.Or(t.password, t.user)}
	if err := w.login(t); err != nil {
		w.close()
		if t.source != "" {
			return nil, lang.Errorf("%s, with the password from %s: %w", t, t.source, err)
		}
		return nil, lang.Errorf("%s: %w", t, err)
	}
	return w, nil
}

// reason drops the part of a network error that the message around it repeats.
func reason(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

func (w *wire) login(t Target) error {
	var cmds [][]string
	switch {
	case t.user != "":
		cmds = append(cmds, []string{"AUTH", t.user, t.password})
	case t.password != "":
		cmds = append(cmds, []string{"AUTH", t.password})
	}
	if t.db != 0 {
		cmds = append(cmds, []string{"SELECT", strconv.Itoa(t.db)})
	}
	for _, cmd := range append(cmds, []string{"PING"}) {
		v, err := w.ask(cmd...)
		if err == nil {
			err = v.Err()
		}
		if code, _, _ := strings.Cut(v.Text, " "); v.Kind == '-' && (code == "NOAUTH" || code == "WRONGPASS") {
			err = lang.Errorf("%w: %w", ErrLocked, err)
		}
		if err == nil && v.Kind != '+' {
			err = lang.Errorf("%w: %s answers %q", resp.Err, cmd[0], w.conceal(v.Text))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ask sends one command.
func (w *wire) ask(cmd ...string) (resp.Value, error) {
	replies, err := w.exchange([][]string{cmd})
	if err != nil {
		return resp.Value{}, err
	}
	return replies[0], nil
}

// exchange sends commands in one write and reads their replies. After an error
// the connection is unusable.
func (w *wire) exchange(cmds [][]string) ([]resp.Value, error) {
	var b []byte
	for _, cmd := range cmds {
		b = resp.AppendCommand(b, cmd)
	}
	until := time.Now().Add(replyTimeout)
	if ends, ok := w.ctx.Deadline(); ok && ends.Before(until) {
		until = ends
	}
	_ = w.net.SetDeadline(until) // a closed connection fails below
	if _, err := w.net.Write(b); err != nil {
		return nil, broken(err)
	}
	replies := make([]resp.Value, len(cmds))
	for i := range replies {
		v, err := resp.Read(w.read)
		switch {
		case errors.Is(err, resp.Err) && w.conceal(err.Error()) != err.Error():
			return nil, resp.Err
		case err != nil:
			return nil, broken(err)
		}
		replies[i] = w.concealed(v)
	}
	return replies, nil
}

// broken returns the error of a failed connection.
func broken(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return ErrSilent
	}
	return reason(err)
}

// info returns the fields of INFO.
func (w *wire) info() (map[string]string, error) {
	v, err := w.ask("INFO")
	if err == nil {
		err = v.Err()
	}
	if err != nil {
		return nil, err
	}
	info := map[string]string{}
	for _, line := range strings.Split(v.Text, "\n") {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			info[name] = w.conceal(value)
		}
	}
	if info["redis_version"] == "" {
		return nil, lang.Errorf("%w: INFO names no redis_version", resp.Err)
	}
	return info, nil
}

// conceal returns a server's text without the password. A server that lacks
// AUTH may quote its arguments, and Redis cuts quotes after 128 bytes. So the
// first bytes of a password are enough to hide the text.
func (w *wire) conceal(text string) string {
	const enough = 8
	if w.secret != "" && strings.Contains(text, w.secret[:min(len(w.secret), enough)]) {
		return "(not shown: the password is in it)"
	}
	return text
}

// concealed conceals the errors of a reply.
func (w *wire) concealed(v resp.Value) resp.Value {
	if shown := w.conceal(v.Text); v.Kind == '-' && shown != v.Text {
		v.Text = "ERR " + shown
	}
	for i := range v.Items {
		v.Items[i] = w.concealed(v.Items[i])
	}
	return v
}

func (w *wire) close() { _ = w.net.Close() } // there is nothing to lose
