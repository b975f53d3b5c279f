package examples

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	redigo "github.com/gomodule/redigo/redis"
	"github.com/redis/rueidis"

	"lockstep/locktest"
)

// Locks with other clients of Redis than go-redis; docs/locktest-reference.md shows how each is made.

func redigoPool(c locktest.Client) *redigo.Pool {
	return &redigo.Pool{DialContext: func(ctx context.Context) (redigo.Conn, error) {
		conn, err := c.Redis.Options().Dialer(ctx, "tcp", "")
		return redigo.NewConn(conn, 0, 0), err
	}}
}

func rueidisClient(c locktest.Client) (rueidis.Client, error) {
	return rueidis.NewClient(rueidis.ClientOption{
		InitAddress: []string{"r1:6379"},
		DialCtxFn: func(ctx context.Context, _ string, _ *net.Dialer, _ *tls.Config) (net.Conn, error) {
			return c.Redis.Options().Dialer(ctx, "tcp", "")
		},
		DisableCache:      true,                      // client-side caching is not simulated
		ForceSingleClient: true,                      // or it asks for the nodes of a cluster
		Dialer:            net.Dialer{KeepAlive: -1}, // or it sends PING by a timer that waits for no reply
	})
}

const releaseText = `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) end return 0`

// A redigoLock is a right lock, if it is released by release.
type redigoLock struct {
	pool  *redigo.Pool
	key   string
	ttl   time.Duration
	token string
}

var redigoRelease = redigo.NewScript(1, releaseText)

func (l *redigoLock) acquire(ctx context.Context) error {
	conn, err := l.pool.GetContext(ctx)
	if err != nil {
		return err
	}
	token := rand.Text()
	_, err = redigo.String(conn.Do("SET", l.key, token, "NX", "PX", l.ttl.Milliseconds()))
	if errors.Is(err, redigo.ErrNil) {
		err = errTaken
	}
	if err == nil {
		l.token = token
	}
	return errors.Join(err, conn.Close())
}

func (l *redigoLock) release(context.Context) error {
	conn := l.pool.Get()
	n, err := redigo.Int(redigoRelease.Do(conn, l.key, l.token))
	if err == nil && n == 0 {
		err = errGone
	}
	return errors.Join(err, conn.Close())
}

func (l *redigoLock) remove(context.Context) error {
	conn := l.pool.Get()
	_, err := conn.Do("DEL", l.key) // redigo removes
	return errors.Join(err, conn.Close())
}

// A rueidisLock is a right lock, if it is released by release. Do returns as soon as its context is
// done, and the command goes on: so that acquire knows what came of it, it gives none that ends.
type rueidisLock struct {
	client rueidis.Client
	key    string
	ttl    time.Duration
	token  string
}

var rueidisRelease = rueidis.NewLuaScript(releaseText)

func (l *rueidisLock) acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	token := rand.Text()
	err := l.client.Do(context.WithoutCancel(ctx), l.client.B().Set().Key(l.key).Value(token).Nx().Px(l.ttl).Build()).Error()
	if rueidis.IsRedisNil(err) {
		return errTaken
	}
	if err == nil {
		l.token = token
	}
	return err
}

func (l *rueidisLock) release(ctx context.Context) error {
	n, err := rueidisRelease.Exec(context.WithoutCancel(ctx), l.client, []string{l.key}, []string{l.token}).AsInt64()
	if err == nil && n == 0 {
		err = errGone
	}
	return err
}

func (l *rueidisLock) remove(ctx context.Context) error {
	return l.client.Do(context.WithoutCancel(ctx), l.client.B().Del().Key(l.key).Build()).Error() // rueidis removes
}

// otherClients make a lock that is right, or one that removes whatever lease there is.
var otherClients = map[string]func(right bool) locktest.Factory{
	"redigo": func(right bool) locktest.Factory {
		return func(c locktest.Client) (locktest.Lock, error) {
			l := &redigoLock{pool: redigoPool(c), key: c.Key, ttl: c.TTL}
			if right {
				return locktest.Funcs(l.acquire, l.release), nil
			}
			return locktest.Funcs(l.acquire, l.remove), nil
		}
	},
	"rueidis": func(right bool) locktest.Factory {
		return func(c locktest.Client) (locktest.Lock, error) {
			client, err := rueidisClient(c)
			l := &rueidisLock{client: client, key: c.Key, ttl: c.TTL}
			if right {
				return locktest.Funcs(l.acquire, l.release), err
			}
			return locktest.Funcs(l.acquire, l.remove), err
		}
	},
}

// TestOtherClients: a right lock holds, whichever client it uses.
func TestOtherClients(t *testing.T) {
	for name, lock := range otherClients {
		t.Run(name, func(t *testing.T) {
			locktest.Check(t, lock(true), locktest.RefusedBy(errTaken), locktest.LostBy(errGone), locktest.Limit(3*time.Minute))
		})
	}
}

// TestOwnLines: what a wrong lock does is found, and its own line is named, not one of its client.
// A command that a goroutine of the client sends is of the line that waits for it.
func TestOwnLines(t *testing.T) {
	if name := os.Getenv("LOCKSTEP_TEST_CLIENT"); name != "" {
		locktest.Check(t, otherClients[name](false), locktest.RefusedBy(errTaken), locktest.Hazards(locktest.Overrun))
		return
	}
	text, err := os.ReadFile("otherclients_test.go")
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name := range otherClients {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestOwnLines$")
			cmd.Env = append(os.Environ(), "LOCKSTEP_TEST_CLIENT="+name)
			cmd.Dir = t.TempDir() // what is found is kept there
			out, err := cmd.CombinedOutput()
			before, _, _ := strings.Cut(string(text), "// "+name+" removes\n")
			line := regexp.MustCompile(`(?m)DEL lock:stock -> 1 .* examples/otherclients_test.go:` + strconv.Itoa(strings.Count(before, "\n")+1) + `$`)
			if err == nil || !strings.Contains(string(out), "VIOLATED foreign-release") || !line.Match(out) {
				t.Errorf("no %s in:\n%s", line, out)
			}
		})
	}
}

// TestOtherClientsPage: what docs/locktest-reference.md shows of such a lock is what runs here.
func TestOtherClientsPage(t *testing.T) {
	page, err := os.ReadFile("../docs/locktest-reference.md")
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile("otherclients_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n### Other clients of Redis\n")
	section, _, _ = strings.Cut(section, "\n### ")
	shown := 0
	for _, block := range strings.Split(section, "\n\n") {
		if !strings.HasPrefix(block, "    ") {
			continue
		}
		shown++
		if text := strings.ReplaceAll("\n"+block, "\n    ", "\n"); !strings.Contains(string(code), text+"\n") {
			t.Errorf("this is not in otherclients_test.go:%s", text)
		}
	}
	if shown != len(otherClients) {
		t.Errorf("it shows %d of %d", shown, len(otherClients))
	}
}
