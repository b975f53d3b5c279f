package strategies

import (
	"encoding/binary"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
	"lockstep/sim/zookeeper"
)

// An ensemble is a ZooKeeper that writes down what it is asked.
type ensemble struct {
	t     *testing.T
	mu    sync.Mutex
	state zookeeper.State
	conns map[string]net.Conn
	log   []string
}

func newEnsemble(t *testing.T) *ensemble {
	return &ensemble{t: t, state: zookeeper.New(zookeeper.Config{}), conns: map[string]net.Conn{}}
}

// env is what the next client hands to its lock.
func (e *ensemble) env() Env {
	dial := func(string, string, time.Duration) (net.Conn, error) {
		e.mu.Lock()
		defer e.mu.Unlock()
		client, server := net.Pipe()
		name := strconv.Itoa(len(e.conns))
		e.conns[name] = server
		e.state = e.state.Accept(name, 0)
		go e.serve(name, server)
		return client, nil
	}
	c, events, err := zk.Connect([]string{"127.0.0.1:2181"}, ttl, zk.WithDialer(dial), zk.WithLogger(silent{}))
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(c.Close)
	return Env{ZooKeeper: c, Session: events, Go: func(_ string, task func()) { go task() }, Key: "/lock", TTL: ttl}
}

type silent struct{}

func (silent) Printf(string, ...any) {}

// serve answers one connection until it ends.
func (e *ensemble) serve(name string, c net.Conn) {
	for first := true; ; first = false {
		var size [4]byte
		if _, err := io.ReadFull(c, size[:]); err != nil {
			return
		}
		frame := make([]byte, binary.BigEndian.Uint32(size[:]))
		if _, err := io.ReadFull(c, frame); err != nil {
			return
		}
		for _, send := range e.receive(name, frame, first) {
			send()
		}
	}
}

// receive executes a request, and returns what is to be sent.
func (e *ensemble) receive(name string, frame []byte, first bool) (sends []func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if q, err := zookeeper.ParseRequest(frame, first); err == nil && !first && q.Op != zookeeper.Ping {
		e.log = append(e.log, strings.Join(q.Text(), " "))
	}
	after, done := e.state.Receive(name, frame, 0)
	e.state = after
	for _, o := range done.Outs {
		c := e.conns[o.Conn]
		if o.Close {
			sends = append(sends, func() { _ = c.Close() })
		} else {
			sends = append(sends, func() { _, _ = c.Write(zookeeper.AppendFrame(nil, o.Frame)) })
		}
	}
	return sends
}

var random = regexp.MustCompile(`\{[0-9a-f]{4}\}`)

// sent returns what was asked since this was last called, without what is random.
func (e *ensemble) sent() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	log := e.log
	e.log = nil
	for i := range log {
		log[i] = random.ReplaceAllString(log[i], "{}")
	}
	return log
}

// protected is what a client asks to get a numbered node first below a new /lock.
func protected(prefix string) []string {
	return []string{
		"create -e -s /lock/_c_{}-" + prefix, "create /lock", "create -e -s /lock/_c_{}-" + prefix, "getChildren2 /lock",
	}
}

// TestZooKeeperRequests: what the first client of each lock asks, and the release.
func TestZooKeeperRequests(t *testing.T) {
	for id, want := range map[string]struct{ acquire, release []string }{
		"zk-ephemeral":   {[]string{"create -e /lock"}, []string{"delete /lock"}},
		"zk-herd":        {protected("n-"), []string{"delete /lock/_c_{}-n-0000000000"}},
		"zk-blind":       {protected("n-"), []string{"delete /lock/_c_{}-n-0000000000"}},
		"zk-unprotected": {[]string{"create -e -s /lock/n-", "create /lock", "create -e -s /lock/n-", "getChildren2 /lock"}, []string{"delete /lock/n-0000000000"}},
		"zk-lock": {[]string{
			"create -e -s /lock/_c_{}-lock-", "exists /lock", "create /lock", "create -e -s /lock/_c_{}-lock-", "getChildren2 /lock",
		}, []string{"delete /lock/_c_{}-lock-0000000000"}},
		"zk-sequential":        {protected("n-"), []string{"delete /lock/_c_{}-n-0000000000"}},
		"zk-suspended":         {protected("n-"), []string{"delete /lock/_c_{}-n-0000000000"}},
		"zk-sequential-fenced": {append(protected("n-"), "getData /lock/_c_{}-n-0000000000"), []string{"delete /lock/_c_{}-n-0000000000"}},
	} {
		t.Run(id, func(t *testing.T) {
			info, ok := Find(id)
			if !ok || !info.ZooKeeper {
				t.Fatal("not a lock on ZooKeeper")
			}
			synctest.Test(t, func(t *testing.T) {
				e := newEnsemble(t)
				l := info.New(e.env())
				g := mustLock(t, l)
				mustSend(t, "acquire", e.sent(), want.acquire...)
				if (g.Fence > 0) != (id == "zk-sequential-fenced") {
					t.Errorf("fencing token %d", g.Fence)
				}
				mustFail(t, "release", l.Unlock(t.Context(), g), nil)
				mustSend(t, "release", e.sent(), want.release...)
			})
		})
	}
}

// TestZKSuspendedStops: the context of a grant ends with the connection, not before, and a release
// ends it too.
func TestZKSuspendedStops(t *testing.T) {
	for name, end := range map[string]func(e *ensemble, l Lock, g Grant){
		"connection": func(e *ensemble, _ Lock, _ Grant) { testkit.OK(e.t, e.conns["0"].Close()) },
		"release":    func(e *ensemble, l Lock, g Grant) { testkit.OK(e.t, l.Unlock(e.t.Context(), g)) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newEnsemble(t)
				l := &ZKSuspended{ZKSequential: ZKSequential{e.env()}}
				g := mustLock(t, l)
				if synctest.Wait(); g.Context.Err() != nil {
					t.Fatal("it has ended before")
				}
				end(e, l, g)
				if synctest.Wait(); g.Context.Err() == nil {
					t.Error("it goes on")
				}
			})
		})
	}
}

// onZooKeeper calls test for each lock on ZooKeeper, in a bubble.
func onZooKeeper(t *testing.T, test func(t *testing.T, info Info, e *ensemble)) {
	for _, info := range Catalogue() {
		if info.ZooKeeper {
			t.Run(info.ID, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { test(t, info, newEnsemble(t)) })
			})
		}
	}
}

// TestZooKeeperWaits: a second client waits until the first releases, and every
// later fencing token is greater.
func TestZooKeeperWaits(t *testing.T) {
	onZooKeeper(t, func(t *testing.T, info Info, e *ensemble) {
		a, b := info.New(e.env()), info.New(e.env())
		first := mustLock(t, a)
		var second Grant
		entered := false
		go func() {
			second = mustLock(t, b)
			entered = true
		}()
		synctest.Wait()
		if entered {
			t.Fatal("two clients have the lock")
		}
		mustFail(t, "release", a.Unlock(t.Context(), first), nil)
		synctest.Wait()
		if !entered || second.Fence < first.Fence || first.Fence > 0 && second.Fence == first.Fence {
			t.Errorf("entered %t, fencing tokens %d, then %d", entered, first.Fence, second.Fence)
		}
	})
}

// expire ends all sessions.
func (e *ensemble) expire() {
	e.mu.Lock()
	defer e.mu.Unlock()
	after, done := e.state.Pass(history.MaxTime)
	e.state = after
	for _, o := range done.Outs {
		if o.Close {
			_ = e.conns[o.Conn].Close()
		}
	}
}

// TestZooKeeperLost: a release after the session has ended. A lock that does not
// ask again only learns that its connection has ended.
func TestZooKeeperLost(t *testing.T) {
	onZooKeeper(t, func(t *testing.T, info Info, e *ensemble) {
		l := info.New(e.env())
		g := mustLock(t, l)
		e.expire()
		synctest.Wait()
		want := ErrLost
		if info.ID == "zk-ephemeral" || info.ID == "zk-lock" {
			want = ErrUnknown
		}
		mustFail(t, "release", l.Unlock(t.Context(), g), want)
	})
}

// TestZooKeeperLocksStartNoTimer: the explorer saves most runs of a lock on
// ZooKeeper because it starts no timer of its own. See program.Subject.Timeless.
func TestZooKeeperLocksStartNoTimer(t *testing.T) {
	files, err := filepath.Glob("zk*.go")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		code := testkit.Must(os.ReadFile(file))(t)
		for _, word := range []string{`"time"`, "context.WithTimeout", "context.WithDeadline", "ZooKeeper.Close", "zk.Connect"} {
			if strings.Contains(string(code), word) {
				t.Errorf("%s has %s", file, word)
			}
		}
	}
}
