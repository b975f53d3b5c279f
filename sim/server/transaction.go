package server

import (
	"bufio"
	"bytes"
	"slices"
	"strings"

	"github.com/alicebob/miniredis/v2/server"
)

// A peer is the node's end of a connection: what Redis keeps per connection,
// such as WATCH and MULTI, is here.
type peer struct {
	*server.Peer
	out    *sink
	watch  []string   // the keys that it WATCHes ...
	since  int        // ... since the node had executed that many writes
	multi  bool       // between MULTI and EXEC
	queue  [][]string // what EXEC will execute
	broken bool       // a command could not be queued: EXEC will refuse
}

// remembers says whether the connection's end would be noticed.
func (p *peer) remembers() bool { return len(p.watch) > 0 || p.multi }

func newPeer() *peer {
	out := newSink()
	return &peer{Peer: server.NewPeer(out.writer), out: out}
}

// A sink is where miniredis writes replies.
type sink struct {
	replies bytes.Buffer
	writer  *bufio.Writer
}

func newSink() *sink {
	s := &sink{}
	s.writer = bufio.NewWriterSize(&s.replies, 512)
	return s
}

// take returns what has been written since the last time. It is overwritten by
// what is written next.
func (s *sink) take() []byte {
	_ = s.writer.Flush() // into memory
	written := s.replies.Bytes()
	s.replies.Reset()
	return written
}

// execute executes one command. Transactions are the node's own work, because
// miniredis refuses all of one for what Redis notices when it executes it, an
// option that is wrong, say, and only then and there.
func (n *Embedded) execute(p *peer, cmd []string) {
	switch alone := len(cmd) == 1; {
	case cmd[0] == "MULTI" && alone:
		if p.multi {
			p.WriteError("ERR MULTI calls can not be nested")
			return
		}
		p.multi = true
		p.WriteOK()
	case cmd[0] == "EXEC" && alone:
		n.exec(p)
	case cmd[0] == "EXEC":
		n.endTransaction(p)
		p.WriteError("EXECABORT Transaction discarded because of: wrong number of arguments for 'exec' command")
	case cmd[0] == "DISCARD" && alone:
		if !p.multi {
			p.WriteError("ERR DISCARD without MULTI")
			return
		}
		n.endTransaction(p)
		p.WriteOK()
	case cmd[0] == "WATCH" && !alone && p.multi:
		p.WriteError("ERR WATCH inside MULTI is not allowed")
	case p.multi:
		n.enqueue(p, cmd)
	default:
		n.dispatch(p, cmd)
	}
}

// dispatch executes a command outside of a transaction, or when it is EXEC's
// turn to.
func (n *Embedded) dispatch(p *peer, cmd []string) {
	switch {
	case cmd[0] == "WATCH" && len(cmd) > 1:
		n.watch(p, cmd[1:])
		return
	case cmd[0] == "UNWATCH" && len(cmd) == 1:
		p.watch = nil
	}
	n.mini.Server().Dispatch(p.Peer, cmd)
}

// watch WATCHes the keys that the connection does not WATCH already: of those,
// miniredis would forget that they have changed since, and Redis does not.
func (n *Embedded) watch(p *peer, keys []string) {
	if len(p.watch) == 0 {
		p.since = n.writes
	}
	for _, key := range keys {
		if !slices.Contains(p.watch, key) {
			p.watch = append(p.watch, key)
			n.ask(p.Peer, "WATCH", key)
		}
	}
	p.WriteOK()
}

// enqueue keeps a command for EXEC, unless Redis would refuse it at once.
// Which those are is asked of miniredis, by queueing it on a connection of no
// other use.
func (n *Embedded) enqueue(p *peer, cmd []string) {
	scratch := newPeer().Peer
	n.ask(scratch, "MULTI")
	for _, refusal := range []string{"-ERR unknown", "-ERR wrong number of arguments"} {
		if strings.HasPrefix(n.ask(scratch, cmd...), refusal) {
			p.broken = true
			n.mini.Server().Dispatch(p.Peer, cmd) // for the error
			return
		}
	}
	p.queue = append(p.queue, cmd)
	p.WriteInline("QUEUED")
}

func (n *Embedded) exec(p *peer) {
	if !p.multi {
		p.WriteError("ERR EXEC without MULTI")
		return
	}
	queue, broken := p.queue, p.broken
	changed := n.endTransaction(p)
	switch {
	case broken:
		p.WriteError("EXECABORT Transaction discarded because of previous errors.")
	case changed:
		p.WriteLen(-1)
	default:
		p.WriteLen(len(queue))
		for _, cmd := range queue {
			n.dispatch(p, cmd)
		}
	}
}

// endTransaction forgets MULTI and WATCH, and says whether a key that was
// WATCHed has changed. Only an EXEC can ask miniredis that.
func (n *Embedded) endTransaction(p *peer) (changed bool) {
	if len(p.watch) > 0 {
		n.ask(p.Peer, "MULTI")
		changed = n.ask(p.Peer, "EXEC") == "*-1\r\n"
	}
	p.watch, p.multi, p.queue, p.broken = nil, false, nil, false
	return changed
}
