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
	if err != nil {
		t.Fatal(err)
	}
	for e := range events {
		if e.State == zk.StateHasSession {
			break
		}
	}
	t.Cleanup(c.Close)
	return c
}

// inBubble runs a test in a bubble, and ends its clients in it.
func inBubble(t *testing.T, test func(t *testing.T, l *live)) {
	synctest.Test(t, func(t *testing.T) { test(t, newLive()) })
}

// must fails if there is an error.
func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

var world = zk.WorldACL(zk.PermAll)

// TestClient: what an unmodified client can do.
func TestClient(t *testing.T) {
	inBubble(t, func(t *testing.T, l *live) {
		a, b := l.client(t), l.client(t)
		text := must[string](t)
		check(t, "create", text(a.Create("/a", []byte("1"), 0, world)), "/a")
		check(t, "sequence", text(a.Create("/a/n-", nil, zk.FlagSequence|zk.FlagEphemeral, world)), "/a/n-0000000000")
		data, stat, ch, err := b.GetW("/a")
		if string(data) != "1" || err != nil || stat.NumChildren != 1 {
			t.Errorf("GetW: %q %+v %v", data, stat, err)
		}
		must[*zk.Stat](t)(a.Set("/a", []byte("22"), 0))
		if e := <-ch; e.Type != zk.EventNodeDataChanged || e.Path != "/a" {
			t.Errorf("event %+v", e)
		}
		if _, err := a.Set("/a", nil, 0); err != zk.ErrBadVersion {
			t.Errorf("a second time: %v", err)
		}
		if err := a.Delete("/a", -1); err != zk.ErrNotEmpty {
			t.Errorf("delete: %v", err)
		}
		there, _, created, err := b.ExistsW("/m")
		if there || err != nil {
			t.Errorf("exists: %t %v", there, err)
		}
		parts, err := a.Multi(&zk.CreateRequest{Path: "/m", Acl: world}, &zk.SetDataRequest{Path: "/m", Data: []byte("x"), Version: 0}, &zk.CheckVersionRequest{Path: "/m", Version: 1})
		if err != nil || parts[0].String != "/m" || parts[1].Stat.Version != 1 {
			t.Errorf("multi: %+v %v", parts, err)
		}
		if e := <-created; e.Type != zk.EventNodeCreated {
			t.Errorf("event %+v", e)
		}
		if _, err := a.Multi(&zk.DeleteRequest{Path: "/m", Version: -1}, &zk.DeleteRequest{Path: "/none", Version: -1}); err != zk.ErrNoNode {
			t.Errorf("multi: %v", err)
		}
		check(t, "sync", text(b.Sync("/m")), "/m")
		if err := a.AddAuth("digest", []byte("u:p")); err != nil {
			t.Error(err)
		}
		acl, _, err := a.GetACL("/a")
		if err != nil || len(acl) != 1 || acl[0] != world[0] {
			t.Errorf("getACL: %v %v", acl, err)
		}
		time.Sleep(time.Minute) // pings keep the sessions
		l.pass()
		names, _, err := b.Children("/")
		if err != nil || len(names) != 3 {
			t.Errorf("children: %q %v", names, err)
		}
	})
}

// TestClientLock: zk.Lock excludes, in the order of asking, and goes on when its
// holder's session has expired.
func TestClientLock(t *testing.T) {
	inBubble(t, func(t *testing.T, l *live) {
		var order []string
		var group sync.WaitGroup
		for i := range 3 {
			c := l.client(t)
			group.Go(func() {
				time.Sleep(time.Duration(i) * 10 * time.Millisecond)
				lock := zk.NewLock(c, "/some/lock", world)
				if err := lock.Lock(); err != nil {
					t.Error(err)
				}
				order = append(order, "in"+strconv.Itoa(i))
				time.Sleep(time.Second)
				order = append(order, "out")
				if i == 1 {
					l.fault(func() { l.take(l.state.Expire(c.SessionID(), l.now())) })
					return
				}
				if err := lock.Unlock(); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		text := ""
		for _, word := range order {
			text += word + " "
		}
		check(t, "the order", text, "in0 out in1 out in2 out ")
	})
}

// TestClientReconnects: a client keeps its session and its watches if it comes
// back in time, and is told only at its return that it comes too late.
func TestClientReconnects(t *testing.T) {
	inBubble(t, func(t *testing.T, l *live) {
		a, b := l.client(t), l.client(t)
		must[string](t)(a.Create("/e", nil, zk.FlagEphemeral, world))
		_, _, ch, err := b.GetW("/e")
		if err != nil {
			t.Fatal(err)
		}
		id := a.SessionID()
		l.sever(false)
		time.Sleep(time.Second)
		if there, _, err := a.Exists("/e"); !there || err != nil || a.SessionID() != id {
			t.Errorf("after a second: %t %v", there, err)
		}
		l.sever(true)
		time.Sleep(10 * time.Second)
		l.pass()
		if len(l.state.Sessions()) != 0 || a.SessionID() != id {
			t.Error("the client knows of the end of its session, or that has not ended")
		}
		l.sever(false)
		if e := <-ch; !errors.Is(e.Err, zk.ErrSessionExpired) {
			t.Errorf("the watch of an expired session: %+v", e)
		}
		time.Sleep(time.Second)
		if there, _, err := a.Exists("/e"); there || err != nil || a.SessionID() == id {
			t.Errorf("after 10 s: %t %v", there, err)
		}
	})
}
