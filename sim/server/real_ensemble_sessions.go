package server

import (
	"slices"
	"strings"
	"time"

	"lockstep/sim/history"
	"lockstep/sim/zookeeper"
)

// This file is the sessions of a RealEnsemble, and the numbers that are its own.

type realSession struct {
	id       int64
	password []byte
}

// real returns a duration on the server's clock.
func (l *RealEnsemble) real(d history.Millis) time.Duration {
	return d.Duration() * l.server.Tick / ZooKeeperTick.Duration()
}

// toServer translates what clients send.
func (l *RealEnsemble) toServer() zookeeper.Numbering {
	speed := int32(ZooKeeperTick.Duration() / l.server.Tick)
	return zookeeper.Numbering{
		Zxid: func(n int64) int64 {
			if n <= 0 {
				return n
			}
			n += l.base
			for _, x := range l.extra {
				if n >= x {
					n++
				}
			}
			return n
		},
		Session: func(id int64) int64 {
			if i := id - zookeeper.FirstSession; i >= 0 && i < int64(len(l.sessions)) {
				return l.sessions[i].id
			}
			return id
		},
		Timeout: func(ms int32) int32 { return ms / speed },
	}
}

// toWorld translates what clients read.
func (l *RealEnsemble) toWorld() zookeeper.Numbering {
	speed := int32(ZooKeeperTick.Duration() / l.server.Tick)
	return zookeeper.Numbering{
		Zxid: func(n int64) int64 {
			if n <= 0 {
				return n
			}
			extra := 0
			for _, x := range l.extra {
				if n >= x {
					extra++
				}
			}
			return max(n-l.base-int64(extra), 0)
		},
		Session: func(id int64) int64 {
			if i := l.indexOf(id); i >= 0 {
				return zookeeper.FirstSession + int64(i)
			}
			return id
		},
		Timeout: func(ms int32) int32 { return ms * speed },
	}
}

// begun records the session of a connection.
func (l *RealEnsemble) begun(conn string, q *zookeeper.Request, reply []byte) {
	id, password := zookeeper.ParseWelcome(reply)
	if q.Op != zookeeper.Connect || id == 0 || l.indexOf(id) >= 0 {
		return
	}
	client, _, _ := strings.Cut(conn, "/")
	l.sessions = append(l.sessions, realSession{id, password})
	l.book.owners = append(slices.Clip(l.book.owners), owner{zookeeper.FirstSession + int64(len(l.sessions)-1), client})
}

// indexOf returns the index of one of the server's sessions, or -1.
func (l *RealEnsemble) indexOf(id int64) int {
	return slices.IndexFunc(l.sessions, func(s realSession) bool { return s.id == id })
}

// become changes the book, and ends the sessions that it has forgotten, since
// their ends make no difference to anybody. On the server each is a transaction.
func (l *RealEnsemble) become(book ensemble) {
	before := l.book.state.Sessions()
	l.book = book
	left := book.state.Sessions()
	for _, id := range before {
		if i := int(id - zookeeper.FirstSession); !slices.Contains(left, id) && i < len(l.sessions) && l.err == nil {
			l.err = l.end(l.sessions[i])
		}
	}
}

// end ends a session on the server.
func (l *RealEnsemble) end(s realSession) error {
	c, err := l.server.Dial(l.ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	again := zookeeper.Request{Op: zookeeper.Connect, Session: s.id, Password: s.password, Timeout: int32((2 * l.server.Tick).Milliseconds())}
	if _, _, err := c.Ask(zookeeper.AppendRequest(nil, again), nil); err != nil {
		return err
	}
	_, reply, err := c.Ask(zookeeper.AppendRequest(nil, zookeeper.Request{Op: zookeeper.CloseSession}), nil)
	if p, ok := zookeeper.ParseReply(zookeeper.CloseSession, reply); ok {
		l.extra = append(l.extra, p.Zxid)
	}
	return err
}
