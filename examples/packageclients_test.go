package examples

import (
	"cmp"
	"context"
	"net"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/bsm/redislock"
	"github.com/redis/go-redis/v9"
	zeroredis "github.com/zeromicro/go-zero/core/stores/redis"

	"lockstep/internal/lang"
	"lockstep/internal/trial"
	"lockstep/locktest"
	"lockstep/sim/explore"
)

// Clients of Redis in package variables, as ordinary programs have them: by address, and made before
// any factory runs. At the first a server can listen, which nobody may reach.
var (
	packageServer = cmp.Or(os.Getenv("LOCKSTEP_EXAMPLES_SERVER"), "localhost:1")
	packageClient = redis.NewClient(&redis.Options{Addr: packageServer, DB: 2, Password: "secret"})
	packageLocker = redislock.New(redis.NewUniversalClient(&redis.UniversalOptions{Addrs: []string{packageServer}}))
	packageNodes  = redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{"localhost:1", "localhost:2"}})
)

// ofVariable is a right lock with a client of a package variable.
func ofVariable(client redis.UniversalClient) locktest.Factory {
	return func(c locktest.Client) (locktest.Lock, error) {
		var token string
		return locktest.Funcs(func(ctx context.Context) error {
			mine := c.Name + time.Now().String() // each client has its own clock, and a name
			ok, err := client.SetNX(ctx, c.Key, mine, c.TTL).Result()
			if err == nil && !ok {
				err = errTaken
			}
			if err == nil {
				token = mine
			}
			return err
		}, func(ctx context.Context) error {
			n, err := release.Run(context.WithoutCancel(ctx), client, []string{c.Key}, token).Int()
			if err == nil && n == 0 {
				err = errGone
			}
			return err
		}), nil
	}
}

// packageClients are locks whose clients nobody gives them. The first three are right.
var packageClients = []struct {
	name string
	lock locktest.Factory
}{
	{"variable", ofVariable(packageClient)},
	// The client is within what another module has made.
	{"library", func(c locktest.Client) (locktest.Lock, error) {
		var held *redislock.Lock
		return locktest.Funcs(func(ctx context.Context) error {
			l, err := packageLocker.Obtain(ctx, c.Key, c.TTL, nil)
			if err == nil {
				held = l
			}
			return err
		}, func(ctx context.Context) error { return held.Release(context.WithoutCancel(ctx)) }), nil
	}},
	// go-zero keeps the client that it makes of the address in a package variable of its own, and asks
	// first whether the server is there.
	{"go-zero", func(c locktest.Client) (locktest.Lock, error) {
		store, err := zeroredis.NewRedis(zeroredis.RedisConf{Host: "localhost:1", Type: zeroredis.NodeType})
		if err != nil {
			return nil, err
		}
		l := zeroredis.NewRedisLock(store, c.Key)
		l.SetExpire(int(c.TTL.Seconds()))
		return locktest.Funcs(func(ctx context.Context) error {
			ok, err := l.AcquireCtx(ctx)
			if err == nil && !ok {
				err = errTaken
			}
			return err
		}, func(ctx context.Context) error {
			ok, err := l.ReleaseCtx(context.WithoutCancel(ctx))
			if err == nil && !ok {
				err = errGone
			}
			return err
		}), nil
	}},
	{"cluster", ofVariable(packageNodes)},
}

// TestPackageLocks is for TestPackageClients, which compiles adapted code once for all.
func TestPackageLocks(t *testing.T) {
	for _, row := range packageClients {
		t.Run(row.name, func(t *testing.T) {
			locktest.Check(t, row.lock, locktest.RefusedBy(errTaken, redislock.ErrNotObtained), locktest.LostBy(errGone, redislock.ErrLockNotHeld),
				locktest.Hazards(locktest.Contention, locktest.Crash, locktest.Hang, locktest.LostReply))
		})
	}
}

// TestPackageClients: a lock whose client is in a package variable is explored, as one that is given
// its client. What cannot be adapted, as a cluster there, is refused in one sentence with its line,
// and every hazard has a report. A server that listens at the address hears nothing.
func TestPackageClients(t *testing.T) {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	t.Setenv("LOCKSTEP_EXAMPLES_SERVER", server.Addr().String())
	go func() {
		if _, err := server.Accept(); err == nil {
			t.Error("the lock has reached a server")
		}
	}()
	pkg, err := trial.Find(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	suite, err := trial.Open(t.Context(), pkg, regexp.MustCompile("^TestPackageLocks$"), func(lang.Message) {})
	if err != nil {
		t.Fatal(err)
	}
	defer suite.Close()
	for _, row := range packageClients {
		l := suite.Find(trial.LockID("TestPackageLocks/"+row.name, 1))
		try := trial.New(t.Context(), l.Plan, 5*time.Minute, l.ID, l.Subject())
		try.Host, try.Ready = l.Host(), l.Host().Ready
		for i, h := range l.Plan.Under() {
			r := try.Try(t.Context(), h)
			refused := r.Verdict == explore.Inconclusive && !strings.Contains(r.Reason, "goroutine ") &&
				(i > 0 || strings.Contains(r.Reason, "that it was not given: examples/packageclients_test.go:"))
			if row.name == "cluster" && !refused || row.name != "cluster" && !r.Passes() {
				t.Errorf("%s under %s: %s %s", row.name, h.ID, r.Verdict, r.Reason)
			}
		}
		try.Close()
	}
}
