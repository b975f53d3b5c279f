package strategies

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

const (
	key = "lock:stock"
	ttl = 9 * time.Second
)

// A rig is some nodes that write down what they are asked, and one clock.
type rig struct {
	t       *testing.T
	clock   *fakeClock
	nodes   []*miniredis.Miniredis
	clients int
	tasks   []func() // what locks started in the background; run by hand

	mu  sync.Mutex
	log []string
}

func newRig(t *testing.T, nodes int) *rig {
	r := &rig{t: t, clock: &fakeClock{now: time.Unix(0x69566200, 0)}}
	for i := range nodes {
		node := miniredis.RunT(t)
		node.Server().SetPreHook(func(_ *server.Peer, cmd string, args ...string) bool {
			r.record(i, cmd, args)
			return false
		})
		r.nodes = append(r.nodes, node)
	}
	r.clock.pass = func(d time.Duration) {
		for _, node := range r.nodes {
			node.FastForward(d)
		}
	}
	return r
}

// record notes one command, those that a script sends included. The name of a
// node stands before it if there are several.
func (r *rig) record(node int, cmd string, args []string) {
	cmd = strings.ToUpper(cmd)
	if cmd == "HELLO" || cmd == "CLIENT" {
		return
	}
	if strings.HasPrefix(cmd, "EVAL") {
		args = append([]string{"script"}, args[1:]...)
	}
	line := cmd
	for _, arg := range args {
		if arg == "ex" || arg == "nx" { // go-redis's own methods write them so
			arg = strings.ToUpper(arg)
		}
		line += " " + arg
	}
	if len(r.nodes) > 1 {
		line = fmt.Sprintf("r%d %s", node+1, line)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = append(r.log, line)
}

// sent returns what was recorded since it was last asked.
func (r *rig) sent() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	log := r.log
	r.log = nil
	return log
}

// env is what the next client, A, B and so on, hands to its lock.
func (r *rig) env() Env {
	r.t.Helper()
	name, tokens := string(rune('A'+r.clients)), 0
	r.clients++
	e := Env{
		Clock: r.clock, Key: key, TTL: ttl,
		Token: func() string { tokens++; return fmt.Sprintf("%s-%d", name, tokens) },
		Go:    func(_ string, task func()) { r.tasks = append(r.tasks, task) },
	}
	for _, node := range r.nodes {
		c := redis.NewClient(&redis.Options{
			Addr: node.Addr(), Protocol: 2, MaxRetries: -1, PoolSize: 1, PipelinePoolSize: -1,
			DisableIdentity:          true,
			MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		})
		r.t.Cleanup(func() { _ = c.Close() })
		e.Nodes = append(e.Nodes, c)
	}
	if len(e.Nodes) > 0 {
		e.Redis = e.Nodes[0]
	}
	return e
}

// A fakeClock moves when somebody sleeps, and Redis's time with it.
type fakeClock struct {
	now     time.Time
	pass    func(time.Duration)
	onSleep func() // what happens meanwhile
	slept   []time.Duration
}

func (c *fakeClock) Now() time.Time { return c.now }

func (c *fakeClock) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.slept = append(c.slept, d)
	if len(c.slept) > 1000 {
		panic("a thousand sleeps: this never ends")
	}
	c.now = c.now.Add(d)
	c.pass(d)
	if c.onSleep != nil {
		c.onSleep()
	}
	return ctx.Err()
}

// after calls do each time a node has answered a command of a client.
func after(c *redis.Client, cmd string, do func()) {
	c.AddHook(hook{cmd, func() error { do(); return nil }})
}

// lossy makes a client lose the reply to the next such command.
func lossy(c *redis.Client, cmd string) {
	lost := error(timeout{})
	c.AddHook(hook{cmd, func() (err error) { err, lost = lost, nil; return err }})
}

// A hook does something when a command has been answered. Its error takes the place of
// the reply.
type hook struct {
	cmd string
	do  func() error
}

func (h hook) DialHook(next redis.DialHook) redis.DialHook { return next }

func (h hook) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (h hook) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if strings.EqualFold(cmd.Name(), h.cmd) {
			err = cmp.Or(h.do(), err)
		}
		return err
	}
}

// timeout is the error of a network read that took too long.
type timeout struct{}

func (timeout) Error() string   { return "i/o timeout" }
func (timeout) Timeout() bool   { return true }
func (timeout) Temporary() bool { return true }

func mustLock(t *testing.T, l Lock) Grant {
	t.Helper()
	g, err := l.Lock(t.Context())
	if err != nil {
		t.Fatalf("Lock: %v", err)
	}
	return g
}

func mustFail(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

func mustSend(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s sent\n\t%s\nwant\n\t%s", what, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}
