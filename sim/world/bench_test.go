package world_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"lockstep/sim/history"
	"lockstep/sim/resp"
	"lockstep/sim/world"
	"lockstep/strategies"
)

// finish steps every client to its end.
func finish(t testing.TB, w *world.World, clients []string) {
	for _, name := range clients {
		for !w.Strands(name)[0].Ended {
			if err := w.Perform(history.Action{Verb: history.Step, Client: name}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// BenchmarkWorld runs a whole world of two clients and one node: about ten
// commands.
func BenchmarkWorld(b *testing.B) {
	for _, id := range []string{"setnx-expire", "set-lua"} {
		b.Run(id, func(b *testing.B) {
			c := history.Default()
			c.Strategy, c.Rounds = id, 2
			s := subject(b, id)
			b.ReportAllocs()
			for b.Loop() {
				w, err := world.New(c, s)
				if err != nil {
					b.Fatal(err)
				}
				finish(b, w, c.Clients)
				w.Close()
			}
		})
	}
}

// redisCommands are the commands of BenchmarkCommand. The script is loaded
// once.
var redisCommands = []struct {
	name string
	do   func(context.Context, *redis.Client) error
}{
	{"SET", func(ctx context.Context, r *redis.Client) error { return r.Set(ctx, "k", "x", time.Second).Err() }},
	{"GET", func(ctx context.Context, r *redis.Client) error { return r.Get(ctx, "k").Err() }},
	{"EVAL", func(ctx context.Context, r *redis.Client) error {
		return r.Eval(ctx, benchScript, []string{"k"}, "x").Err()
	}},
	{"EVALSHA", func(ctx context.Context, r *redis.Client) error {
		return redis.NewScript(benchScript).Run(ctx, r, []string{"k"}, "x").Err()
	}},
}

// benchScript releases a lock.
const benchScript = `if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("DEL", KEYS[1])
end
return 0`

// BenchmarkCommand measures one command of go-redis: bare, over a connection to
// an uncorrected miniredis, and in a world, with its step, its events and its
// changes. The latter includes a thousandth of the cost of a world.
func BenchmarkCommand(b *testing.B) {
	for _, c := range redisCommands {
		b.Run("bare/"+c.name, func(b *testing.B) { benchmarkBare(b, c.do) })
		b.Run("world/"+c.name, func(b *testing.B) { benchmarkInWorld(b, c.do) })
	}
}

func benchmarkBare(b *testing.B, do func(context.Context, *redis.Client) error) {
	mini := miniredis.NewMiniRedis()
	c, err := mini.Dial() // starts it without a socket
	if err != nil {
		b.Fatal(err)
	}
	defer mini.Close()
	defer func() { _ = c.Close() }()
	r := redis.NewClient(&redis.Options{
		Protocol: 2, MaxRetries: -1, DisableIdentity: true, ReadTimeout: -1, WriteTimeout: -1,
		ReadBufferSize: 4 << 10, WriteBufferSize: 4 << 10,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
		Dialer: func(context.Context, string, string) (net.Conn, error) {
			bare := &bareConn{server: mini.Server()}
			bare.peer = server.NewPeer(bufio.NewWriter(&bare.replies))
			return bare, nil
		},
	})
	defer func() { _ = r.Close() }()
	b.ReportAllocs()
	for b.Loop() {
		if err := do(b.Context(), r); err != nil && !errors.Is(err, redis.Nil) {
			b.Fatal(err)
		}
	}
}

// A bareConn passes commands to a miniredis unchanged.
type bareConn struct {
	net.Conn // nil
	server   *server.Server
	peer     *server.Peer
	replies  bytes.Buffer
}

func (c *bareConn) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		v, n, err := resp.Parse(rest)
		cmd, ok := v.Command()
		if err != nil || !ok {
			return 0, fmt.Errorf("no command: %q, %w", rest, err)
		}
		rest = rest[n:]
		c.server.Dispatch(c.peer, cmd)
	}
	c.peer.Flush()
	return len(b), nil
}

func (c *bareConn) Read(b []byte) (int, error)       { return c.replies.Read(b) }
func (c *bareConn) Close() error                     { return nil }
func (c *bareConn) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (c *bareConn) SetDeadline(time.Time) error      { return nil }
func (c *bareConn) SetReadDeadline(time.Time) error  { return nil }
func (c *bareConn) SetWriteDeadline(time.Time) error { return nil }

func benchmarkInWorld(b *testing.B, do func(context.Context, *redis.Client) error) {
	s := script(func(ctx context.Context, e strategies.Env) error {
		for {
			if err := do(ctx, e.Redis); err != nil && !errors.Is(err, redis.Nil) {
				return err
			}
		}
	})
	step := history.Action{Verb: history.Step, Client: "A"}
	c := history.Default()
	c.Strategy = "bench"
	const perWorld = 1000 // the history of a world grows, so each world is replaced
	var w *world.World
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%perWorld == 0 {
			if w != nil {
				w.Close()
			}
			var err error
			if w, err = world.New(c, s); err != nil {
				b.Fatal(err)
			}
			if err := w.Perform(step); err != nil {
				b.Fatal(err)
			}
		}
		if err := w.Perform(step); err != nil {
			b.Fatal(err)
		}
	}
	w.Close()
}
