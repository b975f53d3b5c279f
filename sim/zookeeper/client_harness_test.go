package zookeeper

import (
	"errors"
	"net"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
)

// A live ensemble speaks to unmodified clients over pipes, in a bubble of
// synctest: time is virtual, and passes when everybody waits.
type live struct {
	mu    sync.Mutex
	state State
	began time.Time
	pipes map[string]*pipe
	made  int
	cut   bool // nobody can connect
}

type pipe struct {
	net.Conn
	out chan []byte // nil closes
}

func newLive() *live {
	return &live{state: New(Config{}), began: time.Now(), pipes: map[string]*pipe{}}
}

func (l *live) now() history.Millis { return history.Millis(time.Since(l.began).Milliseconds()) }

// dial is a zk.Dialer.
func (l *live) dial(string, string, time.Duration) (net.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut {
		return nil, errors.New("nobody listens")
	}
	l.made++
	name := strconv.Itoa(l.made)
	client, server := net.Pipe()
	p := &pipe{server, make(chan []byte, 100)}
	l.pipes[name] = p
	l.state = l.state.Accept(name, 0)
	go func() {
		defer server.Close()
		for frame := range p.out {
			if frame == nil {
				return
			}
			if _, err := server.Write(AppendFrame(nil, frame)); err != nil {
				return
			}
		}
	}()
	go l.serve(name, p)
	return client, nil
}

// serve reads requests until the connection ends.
func (l *live) serve(name string, p *pipe) {
	for {
		frame, err := readFrame(p)
		l.mu.Lock()
		if err != nil {
			l.state = l.state.Disconnect(name)
			l.close(name)
			l.mu.Unlock()
			return
		}
		if l.pipes[name] != nil {
			next, done := l.state.Receive(name, frame, l.now())
			l.take(next, done)
		}
		l.mu.Unlock()
	}
}

func (l *live) take(next State, done Done) {
	l.state = next
	for _, o := range done.Outs {
		if o.Close {
			l.close(o.Conn)
		} else if p := l.pipes[o.Conn]; p != nil {
			p.out <- o.Frame
		}
	}
}

func (l *live) close(name string) {
	if p := l.pipes[name]; p != nil {
		close(p.out)
		delete(l.pipes, name)
	}
}

// fault does something to the ensemble.
func (l *live) fault(do func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	do()
}

// pass expires sessions.
func (l *live) pass() { l.fault(func() { l.take(l.state.Pass(l.now())) }) }

// sever breaks all connections, and makes new ones possible or not.
func (l *live) sever(cut bool) {
	l.fault(func() {
		l.cut = cut
		for name := range l.pipes {
			l.state = l.state.Disconnect(name)
			l.close(name)
		}
	})
}

type silentLog struct{}

func (silentLog) Printf(string, ...any) {}

// oneHost stands for DNS.
type oneHost struct{}

func (oneHost) Init([]string) error  { return nil }
func (oneHost) Len() int             { return 1 }
func (oneHost) Next() (string, bool) { time.Sleep(10 * time.Millisecond); return "ensemble", false }
func (oneHost) Connected()           {}

// client connects an unmodified client.
func (l *live) client(t *testing.T) *zk.Conn {
	c, events, err := zk.Connect([]string{"ensemble"}, 4*time.Second, zk.WithDialer(l.dial), zk.WithLogger(silentLog{}), zk.WithHostProvider(oneHost{}))
	testkit.OK(t, err)
	for e := range events {
		if e.State == zk.StateHasSession {
			break
		}
	}
	t.Cleanup(c.Close)
	return c
}

// inBubble runs a test in a bubble, and ends its clients in it. Clients ping for ever, so a
// test whose clients wait for each other would go on as long.
func inBubble(t *testing.T, test func(t *testing.T, l *live)) {
	synctest.Test(t, func(t *testing.T) {
		defer time.AfterFunc(10*time.Minute, func() { panic("after ten minutes in the bubble somebody still waits") }).Stop()
		test(t, newLive())
	})
}

// must fails if there is an error.
func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		testkit.OK(t, err)
		return v
	}
}
