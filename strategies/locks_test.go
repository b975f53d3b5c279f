package strategies

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/testkit"
	"lockstep/sim/history"
)

// A player is a client of testdata/locks.txt.
type player struct {
	Env
	Lock
	grants []Grant
}

// grant is the latest.
func (c *player) grant() (g Grant) {
	if len(c.grants) > 0 {
		g = c.grants[len(c.grants)-1]
	}
	return g
}

// A play is what happens to one lock below a heading.
type play struct {
	*rig
	info    Info
	env     Env // what is special about it
	players map[string]*player
	began   time.Time
	ctx     context.Context
	cancel  func()
}

// TestLocks plays testdata/locks.txt.
func TestLocks(t *testing.T) {
	text := testkit.Must(os.ReadFile("testdata/locks.txt"))(t)
	_, rest, _ := strings.Cut(string(text), "\n== ")
	for _, info := range Catalogue() {
		if !info.ZooKeeper && !strings.Contains(string(text), "\n== "+info.ID+"\n") { // those are in zk_test.go
			t.Errorf("nothing is said of %s", info.ID)
		}
	}
	for _, part := range strings.Split(rest, "\n== ") {
		heading, body, _ := strings.Cut(part, "\n")
		for _, id := range strings.Fields(heading) {
			t.Run(id, func(t *testing.T) {
				info, ok := Find(id)
				if !ok {
					t.Fatal("it is not in the catalogue")
				}
				p := &play{rig: newRig(t, info.Nodes), info: info, players: map[string]*player{}}
				p.began = p.clock.now
				p.ctx, p.cancel = context.WithCancel(t.Context())
				defer p.cancel()
				for _, line := range strings.Split(strings.TrimSpace(body), "\n") {
					if line != "" && line[0] != '#' {
						p.do(line)
					}
				}
				if t.Failed() {
					t.Log(body)
				}
			})
		}
	}
}

// errFails is for an error that says nothing of the lock.
var errFails = errors.New("an error")

var outcomes = map[string]error{"": nil, "refused": ErrNotAcquired, "lost": ErrLost, "unknown": ErrUnknown, "fails": errFails}

// do does what a line says, or checks it. What follows a colon happens later.
func (p *play) do(line string) {
	p.t.Helper()
	is := func(got, want string) {
		p.t.Helper()
		if got != want {
			p.t.Errorf("%s: it is %q", line, got)
		}
	}
	now, then, _ := strings.Cut(line, ": ")
	later := func() {
		for _, line := range strings.Split(then, " and ") {
			p.do(line)
		}
	}
	verb, rest, _ := strings.Cut(now, " ")
	words := append(strings.Fields(rest), "", "")
	d, _ := time.ParseDuration(words[0])
	switch verb {
	case "A", "B":
		p.client(verb, line, words, later)
	case "set", "del", "flush", "error", "expire", "value", "ttl":
		p.onNodes(verb, words, is)
	case "wait":
		p.env.Wait = d
	case "lease":
		p.env.TTL = d
	case "pass":
		p.clock.pass(d)
	case "clock":
		p.clock.now = p.clock.now.Add(d)
	case "asleep":
		p.clock.onSleep = later
	case "tick":
		n, before := len(p.clock.slept), p.clock.onSleep
		at, _ := strconv.Atoi(words[0])
		p.clock.onSleep = func() {
			if before != nil {
				before()
			}
			if len(p.clock.slept) == n+at {
				later()
			}
		}
	case "watchdog":
		p.tasks[0]()
	case "ticks":
		is(strconv.Itoa(len(p.clock.slept)), words[0])
	case "sleeps":
		for _, slept := range p.clock.slept {
			is(slept.String(), words[0])
		}
	case "elapsed":
		is(p.clock.now.Sub(p.began).String(), d.String())
	case "cancel":
		p.cancel()
	case "forget":
		p.sent()
	case "sent":
		is(strings.TrimSpace(strings.Join(p.sent(), "; ")), rest)
	case "count":
		is(p.nodes[0].HGet(key, words[0]), words[1])
	default:
		p.t.Fatalf("%q: what is %q?", line, verb)
	}
}

// client does what a line says of a client.
func (p *play) client(name, line string, words []string, later func()) {
	p.t.Helper()
	c := p.players[name]
	if c == nil {
		c = &player{Env: p.rig.env()}
		c.Wait, c.TTL = p.env.Wait, cmp.Or(p.env.TTL, c.TTL)
		c.Lock = p.info.New(c.Env)
		p.players[name] = c
	}
	ended := func(err error) {
		p.t.Helper()
		if want := outcomes[words[1]]; want == errFails {
			if err == nil || errors.Is(err, ErrLost) || errors.Is(err, ErrUnknown) {
				p.t.Errorf("%s: %v", line, err)
			}
		} else {
			mustFail(p.t, line, err, want)
		}
	}
	node := c.Redis
	for i, other := range c.Nodes {
		if words[2] == history.NodeName(i) {
			node = other
		}
	}
	switch words[0] {
	case "lock":
		g, err := c.Lock.Lock(p.ctx)
		if err == nil {
			c.grants = append(c.grants, g)
		}
		ended(err)
	case "unlock":
		g := c.grant()
		if words[2] == "first" {
			g = c.grants[0]
		}
		ended(c.Unlock(p.ctx, g))
	case "loses":
		lossy(node, words[1])
	case "after":
		after(node, words[1], sync.OnceFunc(later))
	case "token", "fence", "context":
		g := c.grant()
		got := g.Token
		switch {
		case words[0] == "fence":
			got = strconv.FormatInt(g.Fence, 10)
		case words[0] == "context" && g.Context == nil:
			got = "none"
		case words[0] == "context" && g.Context.Err() == nil:
			got = "alive"
		case words[0] == "context":
			got = "over"
		}
		if got != words[1] {
			p.t.Errorf("%s: it is %q", line, got)
		}
	default:
		p.t.Fatalf("%q: what is %q?", line, words[0])
	}
}

// onNodes does something to nodes, or checks it: all of them, unless some are named
// last.
func (p *play) onNodes(verb string, words []string, is func(got, want string)) {
	p.t.Helper()
	named := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return len(w) != 2 || w[0] != 'r' })
	for i, node := range p.nodes {
		if len(named) > 0 && !slices.Contains(named, history.NodeName(i)) {
			continue
		}
		switch verb {
		case "set":
			_ = node.Set(key, words[0])
		case "del":
			node.Del(key)
		case "flush":
			node.FlushAll()
		case "error":
			node.SetError(words[0])
		case "expire":
			d, _ := time.ParseDuration(words[0])
			node.SetTTL(key, d)
		case "value":
			got, err := node.Get(key)
			if err != nil {
				got = "none"
			}
			is(got, words[0])
		case "ttl":
			want, _ := time.ParseDuration(words[0])
			is(node.TTL(key).String(), want.String())
		}
	}
}

// TestWatchDelLeavesItsWatch: a key that has vanished is a reply that is nil, and stays
// watched.
func TestWatchDelLeavesItsWatch(t *testing.T) {
	r := newRig(t, 1)
	e := r.env() // with one pooled connection
	a := &WatchDel{e}
	g := mustLock(t, a)
	r.nodes[0].Del(key)
	r.sent()
	if err := a.Unlock(t.Context(), g); !errors.Is(err, redis.Nil) {
		t.Errorf("Unlock: %v, want the bare nil reply as an error", err)
	}
	mustSend(t, "Unlock", r.sent(), "WATCH lock:stock", "GET lock:stock")

	mustLock(t, a) // changes the key that is still watched
	_, err := e.Redis.TxPipelined(t.Context(), func(tx redis.Pipeliner) error {
		return tx.Get(t.Context(), "unrelated").Err()
	})
	mustFail(t, "the next transaction on this connection", err, redis.TxFailedErr)
}
