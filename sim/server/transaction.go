package server

import (
	"bufio"
	"bytes"
	"slices"
	"strings"

	"github.com/alicebob/miniredis/v2/server"
)

// A peer is the node's end of a connection, with what Redis keeps per
// connection, such as WATCH and MULTI.
type peer struct {
	*server.Peer
	Watch
	out       *sink
	executing bool // EXEC executes its queue
}

// newPeer returns the end of a connection with a name, which may be "".
func newPeer(conn string) *peer {
	out := newSink()
	return &peer{Peer: server.NewPeer(out.writer), Watch: Watch{Conn: conn}, out: out}
}

// A sink receives miniredis's replies.
type sink struct {
	replies bytes.Buffer
	writer  *bufio.Writer
}

func newSink() *sink {
	s := &sink{}
	s.writer = bufio.NewWriterSize(&s.replies, 512)
	return s
}

// take returns the bytes since the last call. The next write overwrites them.
func (s *sink) take() []byte {
	_ = s.writer.Flush() // into memory
	written := s.replies.Bytes()
	s.replies.Reset()
	return written
}

// execute executes one command. The node itself implements transactions:
// miniredis refuses a whole transaction for errors that Redis reports only when
// it executes the command, such as a wrong option.
func (n *engine) execute(p *peer, cmd []string) {
	switch alone := len(cmd) == 1; {
	case n.refuses(p, cmd):
	case cmd[0] == "MULTI" && alone:
		if p.Multi {
			p.WriteError("ERR MULTI calls can not be nested")
			return
		}
		p.Multi = true
		p.WriteOK()
	case cmd[0] == "EXEC" && alone:
		n.exec(p)
	case cmd[0] == "EXEC":
		n.endTransaction(p)
		p.WriteError("EXECABORT Transaction discarded because of: wrong number of arguments for 'exec' command")
	case cmd[0] == "DISCARD" && alone:
		if !p.Multi {
			p.WriteError("ERR DISCARD without MULTI")
			return
		}
		n.endTransaction(p)
		p.WriteOK()
	case cmd[0] == "WATCH" && !alone && p.Multi:
		p.WriteError("ERR WATCH inside MULTI is not allowed")
	case p.Multi:
		n.enqueue(p, cmd)
	default:
		n.dispatch(p, cmd)
		n.awaited(p.Peer)
	}
}

// dispatch executes a command that is not to be queued: outside of a
// transaction, or from EXEC.
func (n *engine) dispatch(p *peer, cmd []string) {
	switch {
	case n.listens(p, cmd):
		return
	case cmd[0] == "WATCH" && len(cmd) > 1:
		n.watch(p, cmd[1:])
		return
	case cmd[0] == "UNWATCH" && len(cmd) == 1:
		p.Keys = nil
	}
	n.mini.Server().Dispatch(p.Peer, cmd)
}

// watch WATCHes the keys that the connection does not WATCH yet. For a key that
// it does, miniredis would forget earlier changes, and Redis does not.
func (n *engine) watch(p *peer, keys []string) {
	for _, key := range keys {
		if !slices.Contains(p.Keys, key) {
			p.Keys = append(p.Keys, key)
			n.ask(p.Peer, "WATCH", key)
		}
	}
	p.WriteOK()
}

// enqueue queues a command for EXEC, unless Redis would refuse it at once. It
// queues the command in miniredis on a scratch connection to find out.
func (n *engine) enqueue(p *peer, cmd []string) {
	if n.refusal(cmd) {
		p.Refused = true
		n.mini.Server().Dispatch(p.Peer, cmd) // replies with the error
		return
	}
	p.Queue = append(p.Queue, cmd)
	p.WriteInline("QUEUED")
}

// arity are the numbers of words that Redis asks, at least if negative, of commands that
// miniredis lacks, or of which it would look at the rest, too.
var arity = map[string]int{
	"ZADD": -4, "HSET": -4, "HMSET": -4, "LPOP": -2, "RPOP": -2, "DELEX": -2, "DELIFEQ": 3, "DIGEST": 2, "MSETEX": -4,
	"HSETEX": -6, "HGETEX": -5, "HPEXPIRE": -6, "HPTTL": -5,
}

// miscounted is the error of a command that has not as many words; "" for any other.
func miscounted(cmd []string) string {
	if n := arity[cmd[0]]; n > 0 && len(cmd) != n || len(cmd) < -n {
		return wrongNumber(cmd)
	}
	return ""
}

func wrongNumber(cmd []string) string {
	return "-ERR wrong number of arguments for '" + strings.ToLower(cmd[0]) + "' command\r\n"
}

// refusal reports whether Redis refuses a command before it looks at the state:
// one that does not exist, or with a wrong number of words.
func (n *engine) refusal(cmd []string) bool {
	if cmd[0] == "PING" {
		return false // it counts its words itself
	}
	if arity[cmd[0]] != 0 {
		return miscounted(cmd) != ""
	}
	scratch := newPeer("").Peer
	n.ask(scratch, "MULTI")
	queued := n.ask(scratch, cmd...)
	return strings.HasPrefix(queued, "-ERR unknown") || strings.HasPrefix(queued, "-ERR wrong number of arguments")
}

func (n *engine) exec(p *peer) {
	if !p.Multi {
		p.WriteError("ERR EXEC without MULTI")
		return
	}
	queue, broken := p.Queue, p.Refused
	changed := n.endTransaction(p)
	switch {
	case broken:
		p.WriteError("EXECABORT Transaction discarded because of previous errors.")
	case changed:
		p.WriteLen(-1)
	default:
		p.WriteLen(len(queue))
		p.executing = true
		for _, cmd := range queue {
			n.dispatch(p, cmd)
			n.awaited(p.Peer)
		}
		p.executing = false
	}
}

// endTransaction ends MULTI and WATCH, and returns whether a WATCHed key has
// changed. Only an EXEC in miniredis shows that.
func (n *engine) endTransaction(p *peer) (changed bool) {
	if len(p.Keys) > 0 {
		n.ask(p.Peer, "MULTI")
		changed = n.ask(p.Peer, "EXEC") == "*-1\r\n"
	}
	p.Keys, p.Multi, p.Queue, p.Refused = nil, false, nil, false
	return changed
}
