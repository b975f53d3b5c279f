package server

import (
	"math"
	"slices"
	"strings"
	"time"

	"lockstep/internal/lang"
	"lockstep/sim/live"
	"lockstep/sim/zookeeper"
)

// This file is the sessions of a RealEnsemble, and the numbers that are its own.

type realSession struct {
	id       int64
	password []byte
}

// longer is how much longer a session lasts on the server than in the world.
const longer = int32(live.ZooKeeperTick / (time.Duration(ZooKeeperTick) * time.Millisecond))

// toServer translates what clients send.
func (l *RealEnsemble) toServer() zookeeper.Numbering {
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
		Timeout: func(ms int32) int32 { return min(ms, math.MaxInt32/longer) * longer },
	}
}

// toWorld translates what clients read.
func (l *RealEnsemble) toWorld() zookeeper.Numbering {
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
		Timeout: func(ms int32) int32 { return ms / longer },
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
		if !slices.Contains(left, id) && l.err == nil {
			var zxid int64
			zxid, l.err = l.end(id, nil)
			l.extra = append(l.extra, zxid)
		}
	}
}

// end ends a session on the server, over its connection or another one. It returns
// the number of that transaction.
func (l *RealEnsemble) end(id int64, over *realLink) (zxid int64, err error) {
	if over == nil {
		i := int(id - zookeeper.FirstSession)
		if i >= len(l.sessions) {
			return 0, lang.Errorf("ZooKeeper has not begun a session that has begun in the world")
		}
		c, err := l.server.Dial(l.ctx)
		if err != nil {
			return 0, err
		}
		defer c.Close()
		over = &realLink{ZooKeeperConn: c}
		s := l.sessions[i]
		again := zookeeper.Request{Op: zookeeper.Connect, Session: s.id, Password: s.password}
		if _, _, err := c.Ask(zookeeper.AppendRequest(nil, again), nil); err != nil {
			return 0, err
		}
	}
	q := zookeeper.Request{Op: zookeeper.CloseSession}
	events, reply, err := over.Ask(zookeeper.AppendRequest(nil, q), answers(&q))
	over.events = append(over.events, events...)
	if err == nil {
		err = over.Drain()
	}
	p, _ := zookeeper.ParseReply(zookeeper.CloseSession, reply)
	return p.Zxid, err
}
