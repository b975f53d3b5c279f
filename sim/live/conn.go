package live

import (
	"slices"
	"strings"

	"lockstep/internal/lang"
	"lockstep/sim/resp"
)

// A Conn is one connection of one client. The server keeps its state, such as
// WATCH.
type Conn struct {
	space    *Space
	wire     *wire
	watching bool
}

// Dial opens a connection. The space closes it.
func (sp *Space) Dial() (*Conn, error) {
	w, err := dial(sp.ctx, sp.server.target)
	if err != nil {
		return nil, err
	}
	c := &Conn{space: sp, wire: w}
	sp.conns = append(sp.conns, c)
	return c, nil
}

// An Answer is the result of commands.
type Answer struct {
	Reply []byte // the server's bytes, one reply for each command
	// The fields below are set if the commands may have written.
	Wrote         bool
	Keys          []Key
	Before, After int64 // the server's clock before and after the commands, in milliseconds
}

// Do executes one command, or MULTI to EXEC. It sends a command that may write
// in one transaction with a look at all keys of the space. So the changes are
// known, and the keys have a TTL even if this process dies. On a connection
// that WATCHes, the transaction would end the WATCH; there the look follows the
// command, in the same write to the socket. The error is a RefusedError, and
// nothing was sent, or else the connection is unusable.
func (c *Conn) Do(cmds [][]string) (Answer, error) {
	own, writes, err := c.space.own(cmds)
	if err != nil {
		return Answer{}, err
	}
	last := own[len(own)-1][0]
	inTx := own[0][0] == "MULTI"
	if inTx && last != "EXEC" && last != "DISCARD" {
		return Answer{}, refused("a transaction that is sent in parts")
	}
	defer c.note(last)
	switch {
	case !writes || last == "DISCARD":
		replies, err := c.exchange(own)
		return Answer{Reply: join(replies)}, err
	case inTx:
		return c.transaction(own[1 : len(own)-1])
	case c.watching:
		return c.followed(own)
	}
	return c.wrapped(own[0])
}

func (c *Conn) note(last string) {
	switch last {
	case "WATCH":
		c.watching = true
	case "EXEC", "DISCARD", "UNWATCH":
		c.watching = false
	}
}

func (c *Conn) exchange(cmds [][]string) ([]resp.Value, error) {
	replies, err := c.wire.exchange(cmds)
	if err != nil {
		return nil, lang.Errorf("%s: %w", c.space.server, err)
	}
	return replies, nil
}

// own returns commands with the space's prefix on their keys and with scripts
// unique to it. It records the keys.
func (sp *Space) own(cmds [][]string) (own [][]string, writes bool, err error) {
	var names []string
	for _, cmd := range cmds {
		s, keys, err := shapeOf(cmd)
		if err == nil && sp.guarded() {
			err = guardShows(s, cmd)
		}
		if err == nil && len(cmd) > 1 && strings.EqualFold(cmd[0], "EVAL") {
			err = checkScript(cmd[1], sp.guarded())
		}
		if err != nil {
			return nil, false, err
		}
		mine := slices.Clone(cmd)
		mine[0] = strings.ToUpper(cmd[0])
		for _, i := range keys {
			names = append(names, cmd[i])
			mine[i] = sp.prefix + cmd[i]
		}
		if len(mine) > 1 {
			mine = sp.scripts.own(mine)
			if mine[0] == "EVAL" && sp.guarded() {
				sp.server.recordScript(sha(mine[1]))
			}
		}
		own, writes = append(own, mine), writes || s.writes
	}
	for _, name := range names {
		if !slices.Contains(sp.names, name) {
			sp.names = append(sp.names, name)
		}
	}
	return own, writes, nil
}

// inside executes commands from MULTI to EXEC, with the server's clock before
// them and a look after them.
func (c *Conn) inside(cmds [][]string) ([]resp.Value, error) {
	return c.exchange(transaction(slices.Concat([][]string{{"TIME"}}, cmds, c.space.look())))
}

// wrapped executes one command that may write.
func (c *Conn) wrapped(cmd []string) (Answer, error) {
	replies, err := c.inside([][]string{cmd})
	if err != nil {
		return Answer{}, err
	}
	done := replies[len(replies)-1]
	if replies[2].Kind == '-' { // an unknown command, or wrong arguments
		if err := c.space.server.lacks(replies[2], cmd); err != nil {
			return Answer{}, err
		}
		return c.looked(replies[2:3])
	}
	if len(done.Items) < 3 {
		return Answer{}, c.misunderstood(done)
	}
	return c.answer(done.Items[1:2], done.Items[0], done.Items[2:])
}

// transaction executes the commands of a client's own MULTI to EXEC.
func (c *Conn) transaction(cmds [][]string) (Answer, error) {
	replies, err := c.inside(cmds)
	if err != nil {
		return Answer{}, err
	}
	n := len(cmds)
	shown := append([]resp.Value{replies[0]}, replies[2:2+n]...)
	for i, v := range shown[1:] {
		if err := c.space.server.lacks(v, cmds[i]); err != nil {
			return Answer{}, err
		}
	}
	done := replies[len(replies)-1]
	if done.Null || done.Kind == '-' { // a WATCH failed, or a command is unknown
		return c.looked(append(shown, done))
	}
	if len(done.Items) < n+2 {
		return Answer{}, c.misunderstood(done)
	}
	theirs := resp.Value{Kind: '*', Items: done.Items[1 : n+1]}
	return c.answer(append(shown, theirs), done.Items[0], done.Items[n+1:])
}

// followed executes one command over a connection that WATCHes.
func (c *Conn) followed(cmds [][]string) (Answer, error) {
	replies, err := c.exchange(append([][]string{{"TIME"}, cmds[0]}, c.space.look()...))
	if err != nil {
		return Answer{}, err
	}
	return c.answer(replies[1:2], replies[0], replies[2:])
}

// looked returns the answer to commands that wrote nothing.
func (c *Conn) looked(replies []resp.Value) (Answer, error) {
	keys, at, err := c.space.Look()
	return Answer{join(replies), true, keys, at, at}, err
}

func (c *Conn) answer(replies []resp.Value, before resp.Value, look []resp.Value) (Answer, error) {
	a := Answer{Reply: join(replies), Wrote: true}
	var err error
	if a.Before, err = readTime(before); err != nil {
		return a, lang.Errorf("%s: %w", c.space.server, err)
	}
	a.Keys, a.After, err = c.space.seen(look)
	return a, err
}

// lacks returns an error if the server does not know a command.
func (s *Server) lacks(v resp.Value, cmd []string) error {
	if v.Kind == '-' && strings.HasPrefix(v.Text, "ERR unknown command") {
		return refused("Redis %s has no %s", s.version, cmd[0])
	}
	return nil
}

func (c *Conn) misunderstood(v resp.Value) error {
	if err := v.Err(); err != nil {
		return lang.Errorf("%s: EXEC: %w", c.space.server, err)
	}
	return lang.Errorf("%s: %w to EXEC", c.space.server, resp.Err)
}

func join(replies []resp.Value) []byte {
	var b []byte
	for _, v := range replies {
		b = v.Append(b)
	}
	return b
}
