package server

import (
	"context"
	"errors"
	"time"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/zookeeper"
)

// This file is the time of a RealEnsemble.

// lingering is how long a session may go on after its end.
const lingering = 2 * time.Second

// Pass is Server's. It waits until the server's clock has reached the world's
// time, and until the server has ended the sessions that ended in the world.
func (l *RealEnsemble) Pass(_ sim.Ref, now history.Millis) (_ sim.Ref, h sim.Happened, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now, l.held = now, l.held && l.ticks()
	l.book = l.book.hear(now)
	after, did := l.book.state.Pass(now)
	l.book.state = after
	if l.err != nil || !l.held {
		return 0, h, l.err
	}
	err = l.sleep(time.Until(l.zero.Add(l.real(now))))
	if len(did.Ended) == 0 || err != nil {
		return 0, h, err
	}
	for want, end := l.zxid+int64(len(did.Ended)), time.Now().Add(l.server.Tick+lingering); ; {
		if _, err = l.ask(zookeeper.GetData, "/"); err != nil || l.zxid >= want {
			break
		}
		if time.Now().After(end) {
			return 0, h, lang.Errorf("ZooKeeper keeps a session for %v after its end", l.server.Tick+lingering)
		}
		if err = l.sleep(time.Millisecond); err != nil {
			break
		}
	}
	if err == nil {
		h, err = l.look()
	}
	return 0, h, err
}

// sleep lets the clients ping meanwhile.
func (l *RealEnsemble) sleep(d time.Duration) error {
	l.mu.Unlock()
	defer l.mu.Lock()
	select {
	case <-l.ctx.Done():
		return l.ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// ticks reports whether time makes a difference to the server.
func (l *RealEnsemble) ticks() bool {
	_, ticks := l.book.Next()
	return ticks
}

// hold compares the clocks if time makes a difference from now on. What rounds
// the ends of sessions, the ticks, is the same in both.
func (l *RealEnsemble) hold() {
	if !l.held && l.ticks() {
		l.align()
	}
}

// align waits until as much of a tick has passed on the server as in the world,
// and lets the clients ping.
func (l *RealEnsemble) align() {
	ahead := time.Since(l.server.Boundary) - l.real(l.now%ZooKeeperTick)
	wait := l.server.Tick - ahead%l.server.Tick
	l.err = errors.Join(l.err, l.sleep(wait))
	l.held, l.zero = true, time.Now().Add(-l.real(l.now))
	l.pings()
}

// pings lets the clients that attend ping.
func (l *RealEnsemble) pings() {
	l.beat = time.Now()
	for conn, c := range l.conns {
		if l.book.attends(conn) && !c.Ended && l.err == nil {
			l.err = c.ping()
		}
	}
}

// heart lets the clients that attend ping, a few times in each session, and
// Lockstep itself.
func (l *RealEnsemble) heart(ctx context.Context) {
	defer close(l.ended)
	every := l.server.Tick / 8
	for t := time.NewTicker(every); ; {
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-t.C:
		}
		l.mu.Lock()
		l.drift = max(l.drift, time.Since(l.beat)-2*every)
		l.pings()
		if l.err == nil {
			zxid := l.zxid // a transaction that is seen here is still news
			_, l.err = l.ask(zookeeper.GetData, "/")
			l.zxid = zxid
		}
		l.mu.Unlock()
	}
}

// leave aligns the clocks if a session goes on that is not heard from.
func (l *RealEnsemble) leave(conns func(conn string) bool) {
	for _, conn := range l.book.state.Connections() {
		if session, _ := l.book.state.Connected(conn); session != 0 && conns(conn) && !l.held {
			l.align()
		}
	}
}
