package live

import (
	"crypto/sha1"
	"encoding/hex"
	"maps"
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/lang"
	"lockstep/sim/resp"
)

// A Conn is one connection of one client. The server keeps its state, such as
// WATCH.
type Conn struct {
	*wire
	server   *Server
	watching bool
}

// Dial opens a connection. The server's end closes it.
func (s *Server) Dial() (*Conn, error) {
	w, err := dial(s.ctx, s.target)
	if err != nil {
		return nil, err
	}
	c := &Conn{wire: w, server: s}
	s.conns = append(s.conns, c)
	return c, nil
}

// Close ends the connection.
func (c *Conn) Close() {
	c.close()
	c.server.conns = slices.DeleteFunc(c.server.conns, func(other *Conn) bool { return other == c })
}

// Rests are how long keys last, in milliseconds: less than 0 for one that has
// ended. A key that is not there has no TTL.
type Rests map[string]int64

// An Answer is the result of commands.
type Answer struct {
	Reply []byte // the server's bytes, one reply for each command
	// The fields below are set if the commands may have written.
	Wrote         bool
	Keys          []Entry
	Before, After int64 // the server's clock before and after the commands, in milliseconds
}

// parked is the least TTL in milliseconds that a key has between commands, so
// that the server's own time ends none.
const parked = 60_000

// Do executes one command, or MULTI to EXEC. First it sets how long the keys
// last, and then it reads all keys, in one transaction with the command, during
// which the server's clock stands still. A key that has ended is ended before it.
//
// The change of a TTL would end a WATCH, and so would a transaction on the
// connection that WATCHes. So while any connection WATCHes, the server's TTLs stay
// as they are, and on that connection the reading is around the command, in the
// same write to the socket.
//
// The error is a RefusedError, and nothing was sent, or else the connection is
// unusable.
func (c *Conn) Do(cmds [][]string, rests Rests) (Answer, error) {
	s := c.server
	if err := s.ctx.Err(); err != nil {
		return Answer{}, err
	}
	watched := slices.ContainsFunc(s.conns, func(c *Conn) bool { return c.watching })
	for _, cmd := range cmds {
		keys, err := keysOf(cmd)
		if err == nil && watched && (cmd[0] == "TTL" || cmd[0] == "PTTL") {
			err = refused("%s while a connection WATCHes: the time that is left is not known there", cmd[0])
		}
		if err != nil {
			return Answer{}, err
		}
		for _, key := range keys {
			if !slices.Contains(s.names, key) {
				s.names = append(s.names, key)
			}
		}
	}
	body, last, multi := cmds, cmds[len(cmds)-1][0], cmds[0][0] == "MULTI"
	if multi && last != "EXEC" && last != "DISCARD" {
		return Answer{}, refused("a transaction that is sent in parts")
	}
	if v, unknown := s.unknownScript(body); unknown {
		return Answer{Reply: v.Append(nil)}, nil
	}
	ended, set := winding(rests)
	if last == "WATCH" || last == "DISCARD" {
		replies, err := c.exchange(append(ended, cmds...))
		if err != nil {
			return Answer{}, err
		}
		c.watching = last == "WATCH"
		return Answer{Reply: join(replies[len(ended):])}, nil
	}
	if multi {
		body = cmds[1 : len(cmds)-1]
	}
	before, after := append(s.deadlines(), clock), s.look()
	alone := c.watching && !multi
	all := slices.Concat(before, body, after)
	if !alone {
		if !watched {
			before, after = append(set, before...), append(after, s.park()...)
		}
		all = slices.Concat([][]string{{"MULTI"}}, before, body, after, [][]string{{"EXEC"}})
	}
	if last == "EXEC" || last == "UNWATCH" {
		c.watching = false
	}
	replies, err := c.exchange(append(ended, all...))
	if err != nil {
		return Answer{}, err
	}
	items := replies[len(ended):]
	var shown []resp.Value
	if !alone {
		queued, done := items[1+len(before):][:len(body)], items[len(items)-1]
		for i, v := range queued {
			if err := s.refusal(v, body[i]); err != nil {
				return Answer{}, err
			}
		}
		if multi {
			shown = append([]resp.Value{items[0]}, queued...)
		}
		failed := slices.ContainsFunc(queued, func(v resp.Value) bool { return v.Kind == '-' })
		switch {
		case multi && (done.Null || failed): // a WATCH failed, or a command is wrong
			return Answer{Reply: join(append(shown, done))}, nil
		case failed:
			return Answer{Reply: join(queued)}, nil
		}
		if err := oneFailed(items); err != nil {
			return Answer{}, lang.Errorf("%s: %w", s, err)
		}
		items = done.Items
	}
	if len(items) != len(before)+len(body)+len(after) {
		return Answer{}, lang.Errorf("%s: %w to EXEC", s, resp.Err)
	}
	theirs := items[len(before):][:len(body)]
	if multi {
		theirs = append(shown, resp.Value{Kind: '*', Items: theirs})
	}
	was := items[len(before)-1-len(s.names) : len(before)]
	return s.answer(theirs, was, items[len(before)+len(body):])
}

// exchange is wire's, with the server in the error.
func (c *Conn) exchange(cmds [][]string) ([]resp.Value, error) {
	replies, err := c.wire.exchange(cmds)
	if err != nil {
		err = lang.Errorf("%s: %w", c.server, err)
	}
	return replies, err
}

// answer reads the replies to deadlines and clock before commands, and to look after them.
func (s *Server) answer(replies, before, after []resp.Value) (a Answer, err error) {
	a = Answer{Reply: join(replies), Wrote: true}
	n := len(s.names)
	if a.Before, err = readTime(before[n]); err == nil {
		a.Keys, a.After, err = s.seen(after)
	}
	if err != nil {
		return a, lang.Errorf("%s: %w", s, err)
	}
	for i := range a.Keys {
		k := &a.Keys[i]
		was, _ := before[slices.Index(s.names, k.Name)].Number()
		k.Kept = k.Deadline == was
	}
	return a, nil
}

// refusal returns an error if the server does not know a command, or does not
// let the user send it.
func (s *Server) refusal(v resp.Value, cmd []string) error {
	switch {
	case v.Kind == '-' && strings.HasPrefix(v.Text, "ERR unknown command"):
		return refused("Redis %s has no %s", s.version, cmd[0])
	case v.Kind == '-' && strings.HasPrefix(v.Text, "NOPERM"):
		return refused("%s: %s", s, v.Text)
	}
	return nil
}

// unknownScript answers EVALSHA on somebody else's server if the run has not
// sent the script: the server may have it from an earlier run.
func (s *Server) unknownScript(cmds [][]string) (v resp.Value, is bool) {
	if cmd := cmds[0]; s.Own() || len(cmd) < 2 {
		return v, false
	} else if script := cmd[1]; cmd[0] == "EVAL" || cmd[0] == "SCRIPT" {
		if cmd[0] == "SCRIPT" {
			script = cmd[len(cmd)-1]
		}
		sum := sha1.Sum([]byte(script)) // Redis names scripts by it
		s.scripts = append(s.scripts, hex.EncodeToString(sum[:]))
	} else if cmd[0] == "EVALSHA" {
		return resp.Value{Kind: '-', Text: "NOSCRIPT No matching script. Please use EVAL."}, !slices.Contains(s.scripts, cmd[1])
	}
	return v, false
}

// transaction returns commands between MULTI and EXEC.
func join(replies []resp.Value) []byte {
	var b []byte
	for _, v := range replies {
		b = v.Append(b)
	}
	return b
}

// winding returns the commands that end the keys that have ended, and those that
// set how long the others last. A key is there in its last millisecond.
func winding(rests Rests) (ended, set [][]string) {
	for _, name := range slices.Sorted(maps.Keys(rests)) {
		if rest := rests[name]; rest < 0 {
			ended = append(ended, []string{"PEXPIRE", name, "0"})
		} else {
			set = append(set, []string{"PEXPIRE", name, strconv.FormatInt(max(rest, 1), 10)})
		}
	}
	return ended, set
}

// park returns the commands that let no key end before the next command.
func (s *Server) park() (cmds [][]string) {
	for _, name := range s.names {
		cmds = append(cmds, []string{"PEXPIRE", name, strconv.Itoa(parked), "GT"})
	}
	return cmds
}
