package locktest_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"lockstep/internal/testkit"
	"lockstep/locktest"
	"lockstep/locktest/testdata/ordinary/connects"
	"lockstep/sim/program"
)

// A shared client crosses from one bubble to another: it is made in the first.
var shared *redis.Client

// hostile are locks that do what no lock should, by name.
var hostile = map[string]locktest.Factory{
	"panic": func(locktest.Client) (locktest.Lock, error) {
		return locktest.Funcs(func(context.Context) error { panic("no idea") }, nil), nil
	},
	"panicking watchdog": func(c locktest.Client) (locktest.Lock, error) {
		return locktest.Funcs(func(ctx context.Context) error {
			if ok, err := c.Redis.SetNX(ctx, c.Key, c.Name, c.TTL).Result(); err != nil || !ok {
				return cmp.Or(err, locktest.ErrNotAcquired)
			}
			go func() {
				for {
					time.Sleep(c.TTL / 3)
					holder, err := c.Redis.Get(context.Background(), c.Key).Result()
					if errors.Is(err, redis.Nil) || err == nil && holder != c.Name {
						return
					}
					if err != nil {
						panic(err) // panicLine
					}
				}
			}()
			return nil
		}, func(ctx context.Context) error { return c.Redis.Del(context.WithoutCancel(ctx), c.Key).Err() }), nil
	},
	"panic in time": func(c locktest.Client) (locktest.Lock, error) {
		var timer *time.Timer
		return locktest.Funcs(func(ctx context.Context) error {
			ok, err := c.Redis.SetNX(ctx, c.Key, c.Name, c.TTL).Result()
			if err != nil || !ok {
				return cmp.Or(err, locktest.ErrNotAcquired)
			}
			timer = time.AfterFunc(c.TTL*4/5, func() { panic("it takes too long") }) // timerLine
			return nil
		}, func(ctx context.Context) error {
			timer.Stop()
			return c.Redis.Del(context.WithoutCancel(ctx), c.Key).Err()
		}), nil
	},
	"talking factory": func(c locktest.Client) (locktest.Lock, error) {
		l, err := connects.New(context.Background(), c.Redis, c.Key, c.TTL)
		return locktest.Funcs(func(ctx context.Context) error {
			if err := l.Lock(ctx); !errors.Is(err, connects.ErrTaken) {
				return err
			}
			return locktest.ErrNotAcquired
		}, func(ctx context.Context) error { return l.Unlock(ctx) }), err
	},
	"waiting unlock": func(c locktest.Client) (locktest.Lock, error) {
		return locktest.Funcs(func(ctx context.Context) error {
			ok, err := c.Redis.SetNX(ctx, c.Key, c.Name, c.TTL).Result()
			if err == nil && !ok {
				err = locktest.ErrNotAcquired
			}
			return err
		}, func(ctx context.Context) error {
			err := c.Redis.Del(ctx, c.Key).Err()
			<-make(chan int) // foreverLine
			return err
		}), nil
	},
	"panic within": func(locktest.Client) (locktest.Lock, error) {
		return locktest.With(func(context.Context, func(context.Context) error) error { panic("no idea") }), nil
	},
	"panic elsewhere": func(locktest.Client) (locktest.Lock, error) {
		return locktest.Funcs(func(context.Context) error {
			go func() { panic("in a goroutine of its own") }()
			time.Sleep(time.Second)
			return nil
		}, nil), nil
	},
	"spin": func(locktest.Client) (locktest.Lock, error) {
		return locktest.Funcs(func(context.Context) error {
			for {
				runtime.Gosched()
			}
		}, nil), nil
	},
	"spin later": func(locktest.Client) (locktest.Lock, error) {
		return locktest.Funcs(func(context.Context) error {
			time.Sleep(time.Second)
			for {
				runtime.Gosched()
			}
		}, nil), nil
	},
	"mutex": func(c locktest.Client) (locktest.Lock, error) {
		var mu sync.Mutex
		return locktest.Funcs(func(context.Context) error {
			mu.Lock()
			mu.Lock()
			return nil
		}, nil), nil
	},
	"exit": func(locktest.Client) (locktest.Lock, error) {
		return locktest.Funcs(func(context.Context) error { os.Exit(0); return nil }, nil), nil
	},
	"exit later": func(c locktest.Client) (locktest.Lock, error) {
		return locktest.Funcs(func(ctx context.Context) error {
			if err := c.Redis.SetNX(ctx, c.Key, 1, c.TTL).Err(); err != nil { // exitLine
				return err
			}
			os.Exit(3)
			return nil
		}, nil), nil
	},
	"goexit": func(locktest.Client) (locktest.Lock, error) {
		return locktest.Funcs(func(context.Context) error { runtime.Goexit(); return nil }, nil), nil
	},
	"dial": func(locktest.Client) (locktest.Lock, error) {
		return locktest.Funcs(func(context.Context) error {
			c, err := net.Dial("tcp", os.Getenv("LOCKSTEP_TEST_SERVER"))
			if err == nil {
				leaked = append(leaked, c)
			}
			return err
		}, func(context.Context) error { return nil }), nil
	},
	"package client": func(c locktest.Client) (locktest.Lock, error) {
		if shared == nil {
			shared = c.Redis
		}
		return locktest.Funcs(func(ctx context.Context) error { return shared.SetNX(ctx, c.Key, 1, c.TTL).Err() }, func(ctx context.Context) error { return shared.Del(ctx, c.Key).Err() }), nil
	},
	"host name":         ownClient("redis.example.invalid:6379"),
	"local host":        ownClient("localhost:1"),
	"refused address":   ownClient("127.0.0.1:1"),
	"silent address":    ownClient(os.Getenv("LOCKSTEP_TEST_SERVER")),
	"answering address": ownClient(os.Getenv("LOCKSTEP_TEST_REDIS")),
	"dial refused":      dials("127.0.0.1:1", false),
	"dial a name":       dials("redis.example.invalid:6379", false),
	"dial silently":     dials("127.0.0.1:1", true),
	"dial for ever": func(locktest.Client) (locktest.Lock, error) {
		return locktest.Funcs(func(ctx context.Context) error {
			for ; ; time.Sleep(time.Second) {
				if c, err := net.Dial("tcp", "127.0.0.1:1"); err == nil || ctx.Err() != nil {
					leaked = append(leaked, c)
					return err
				}
			}
		}, func(context.Context) error { return nil }), nil
	},
	"an empty error": func(locktest.Client) (locktest.Lock, error) {
		return locktest.Funcs(func(context.Context) error { return errors.New("") }, func(context.Context) error { return nil }), nil
	},
	"dial by http": func(c locktest.Client) (locktest.Lock, error) {
		return locktest.Funcs(func(ctx context.Context) error {
			_, err := http.Get("http://127.0.0.1:1/lock")
			return err
		}, func(ctx context.Context) error { return nil }), nil
	},
	"no lock":       func(locktest.Client) (locktest.Lock, error) { return nil, nil },
	"factory error": func(locktest.Client) (locktest.Lock, error) { return nil, os.ErrPermission },
	"real time": func(c locktest.Client) (locktest.Lock, error) {
		started := time.Now()
		return locktest.Funcs(func(ctx context.Context) error {
			for time.Since(started) < time.Hour { // never passes: nobody sleeps
			}
			return nil
		}, nil), nil
	},
	"different every time": func(c locktest.Client) (locktest.Lock, error) {
		return locktest.Funcs(func(ctx context.Context) error {
			return c.Redis.SetNX(ctx, c.Key, os.Getpid(), time.Duration(1+draws())*time.Second).Err()
		}, func(ctx context.Context) error { return c.Redis.Del(ctx, c.Key).Err() }), nil
	},
	"waits differently": func(c locktest.Client) (locktest.Lock, error) {
		return locktest.Funcs(func(ctx context.Context) error {
			c.Redis.Get(ctx, c.Key) // waitLine
			time.Sleep(time.Duration(new(maphash.Hash).Sum64() % uint64(time.Second)))
			return c.Redis.SetNX(ctx, c.Key, 1, c.TTL).Err()
		}, func(ctx context.Context) error { return c.Redis.Del(ctx, c.Key).Err() }), nil
	},
}

// ownClient is a lock with a client that it was not given.
func ownClient(addr string) locktest.Factory {
	return func(c locktest.Client) (locktest.Lock, error) {
		own := redis.NewClient(&redis.Options{Addr: addr})
		return locktest.Funcs(
			func(ctx context.Context) error { return own.SetNX(ctx, c.Key, 1, c.TTL).Err() }, // ownLine
			func(ctx context.Context) error { return own.Del(ctx, c.Key).Err() },
		), nil
	}
}

// dials is a lock that connects by itself, and may keep to itself that it cannot.
func dials(addr string, silently bool) locktest.Factory {
	return func(c locktest.Client) (locktest.Lock, error) {
		return locktest.Funcs(func(ctx context.Context) error {
			conn, err := net.Dial("tcp", addr)
			if err != nil && silently {
				return locktest.ErrNotAcquired
			}
			if err != nil {
				return err
			}
			return conn.Close()
		}, func(ctx context.Context) error { return nil }), nil
	}
}

var leaked []net.Conn

// draws differs from call to call: it counts in a variable of the process.
var draws = func() func() int {
	n := 0
	return func() int { n++; return n % 7 }
}()

// TestSubject is run by TestHostile, in a process of its own.
func TestSubject(t *testing.T) {
	f, ok := hostile[os.Getenv("LOCKSTEP_TEST_HOSTILE")]
	if !ok {
		t.Skip("TestHostile runs it")
	}
	patience := time.Second
	if slices.Contains([]string{"spin", "spin later", "mutex", "real time"}, os.Getenv("LOCKSTEP_TEST_HOSTILE")) {
		patience /= 5 // it is waited for in vain, and three of them take a processor
	}
	if os.Getenv("LOCKSTEP_TEST_HAZARDS") == "all" {
		patience = 2 * time.Second
	}
	program.SetPatience(patience)
	options := []locktest.Option{locktest.Limit(15 * time.Second)}
	switch os.Getenv("LOCKSTEP_TEST_HAZARDS") {
	case "all":
		options = append(options, locktest.Limit(6*patience)) // as it usually is
	case "few":
		options = append(options, locktest.Limit(5*time.Minute), locktest.Hazards(locktest.Contention, locktest.Crash, locktest.LostReply, locktest.LateRequest, locktest.Partition, locktest.Cancel))
	default:
		options = append(options, locktest.Hazards(locktest.Contention))
	}
	locktest.Check(t, f, options...)
}

// subject is a run of TestSubject with a hostile lock, in a folder.
func subject(t *testing.T, name, dir string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSubject$", "-test.v")
	cmd.Env = append(os.Environ(), "LOCKSTEP_TEST_HOSTILE="+name)
	cmd.Dir = dir
	return cmd
}

// TestRedTwice: the second red run says that it played what the first one kept.
func TestRedTwice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	kept := filepath.Join("testdata", "lockstep", "TestSubject", "contention.lock-recovers.txt")
	for run, want := range []string{"kept in " + kept + ", and played first from now on", "the schedule kept in " + kept + " still violates it"} {
		out, err := subject(t, "panic", dir).CombinedOutput()
		if err == nil || strings.Count(string(out), want) != 1 {
			t.Errorf("run %d: no %q in:\n%s", run+1, want, out)
		}
	}
}

// lineOf is the number of the line of this file that ends so.
func lineOf(t *testing.T, end string) string {
	text := testkit.Must(os.ReadFile("hostile_test.go"))(t)
	before, _, _ := strings.Cut(string(text), end+"\n")
	return strconv.Itoa(strings.Count(before, "\n") + 1)
}

// TestHostile: whatever a lock does, its test ends, and says what it was.
func TestHostile(t *testing.T) {
	server := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = server.Close() })
	real := miniredis.RunT(t)
	places := strings.NewReplacer(
		"OWN", "a Redis client that it was not given: locktest_test/hostile_test.go:"+lineOf(t, "// ownLine"), "EXIT", lineOf(t, "// exitLine"), "WAIT", lineOf(t, "// waitLine"),
		"SERVER", server.Addr().String(), "REAL", real.Addr(),
	)
	for _, row := range testkit.Some(t, strings.Split(`panic @ VIOLATED @ no idea @ hostile_test.go
panic within @ VIOLATED @ no idea (locktest_test/hostile_test.go:
panic elsewhere @ VIOLATED panic: A panicked: in a goroutine of its own @ hostile_test.go
spin @ INCONCLUSIVE @ hostile_test.go
spin later @ INCONCLUSIVE @ no sleep for 200ms @ hostile_test.go
mutex @ INCONCLUSIVE @ sync.Mutex.Lock @ hostile_test.go
exit @ exit code 0: something in it calls os.Exit, before its first command
exit later @ exit status 3, after SET of client A, sent at locktest_test/hostile_test.go:EXIT
goexit @ Goexit
dial @ TCP connection of its own, to SERVER
dial refused @ locktest: the lock sends no command to the server that it was given, and its Lock does not acquire: dial tcp 127.0.0.1:1:
dial a name @ and its Lock does not acquire: dial tcp: lookup redis.example.invalid
dial silently @ and its Lock does not acquire: refused
dial for ever @ and its Lock does not acquire: it did not return while Lockstep looked
an empty error @ and its Lock does not acquire: an empty error
dial by http @ and its Lock does not acquire: Get "http://127.0.0.1:1/lock": dial tcp 127.0.0.1:1:
package client @ INCONCLUSIVE @ in a package variable, is used in another at locktest_test/hostile_test.go:
host name @ INCONCLUSIVE @ OWN waits for redis.example.invalid:6379;
local host @ INCONCLUSIVE @ OWN waits for localhost:1;
refused address @ INCONCLUSIVE @ OWN waits for 127.0.0.1:1;
silent address @ INCONCLUSIVE @ OWN waits for SERVER
answering address @ INCONCLUSIVE @ OWN waits for REAL;
no lock @ locktest: the factory of client A: it returned neither a lock nor an error
factory error @ locktest: the factory of client A: permission denied
real time @ INCONCLUSIVE @ hostile_test.go
different every time @ not deterministic @  once   SET lock:stock  @  again  SET lock:stock  @  at     locktest_test/hostile_test.go:
waits differently @ not deterministic @  once   wait until its clock shows 12:00:0 @  again  wait until its clock shows 12:00:0 @  after  locktest_test/hostile_test.go:WAIT`, "\n"), 10, 10) {
		want := strings.Split(places.Replace(row), " @ ")
		name := want[0]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := subject(t, name, t.TempDir()) // what is found is kept there
			cmd.Env = append(cmd.Env, "LOCKSTEP_TEST_SERVER="+server.Addr().String(), "LOCKSTEP_TEST_REDIS="+real.Addr())
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Run(); err == nil {
				t.Error("it passes")
			}
			if strings.Contains(want[1], "factory") && strings.Contains(out.String(), "TestSubject/") {
				t.Errorf("a hazard was tried without a lock:\n%s", out.String())
			}
			for _, part := range want[1:] {
				if !strings.Contains(out.String(), part) {
					t.Errorf("no %q in:\n%s", part, out.String())
				}
			}
		})
	}
}

// underFew is what TestSubject prints of a lock under a few hazards, by hazard.
func underFew(t *testing.T, name string) map[string]string {
	t.Helper()
	cmd := subject(t, name, t.TempDir())
	cmd.Env = append(cmd.Env, "LOCKSTEP_TEST_HAZARDS=few")
	out, _ := cmd.CombinedOutput()
	said := map[string]string{}
	for _, part := range strings.Split(string(out), "=== RUN   TestSubject/")[1:] {
		hazard, text, _ := strings.Cut(part, "\n")
		said[hazard], _, _ = strings.Cut(text, "=== NAME  TestSubject\n") // the table
	}
	if len(said) != 6 {
		t.Fatalf("%s", out)
	}
	return said
}

// TestPanicOfItsOwn: code that panics where a command fails does so where the schedule lets
// it fail, and is not ended by what becomes of a client after its last action.
func TestPanicOfItsOwn(t *testing.T) {
	t.Parallel()
	panicked := "VIOLATED panic: A panicked: i/o timeout at locktest_test/hostile_test.go:" + lineOf(t, "// panicLine") + "\n"
	for hazard, text := range underFew(t, "panicking watchdog") {
		switch hazard {
		case "contention", "crash", "cancel":
			if strings.Contains(text, "panicked") || strings.Contains(text, "INCONCLUSIVE") {
				t.Errorf("%s: %s", hazard, text)
			}
		default:
			if !strings.Contains(text, panicked) {
				t.Errorf("%s: no %q in %s", hazard, panicked, text)
			}
		}
	}
}

// TestPanicInTime: of a panic that time alone leads to it is said where it is, under each hazard.
func TestPanicInTime(t *testing.T) {
	t.Parallel()
	for hazard, text := range underFew(t, "panic in time") {
		if want := "INCONCLUSIVE: the lock's process has ended: a goroutine of its own panicked at locktest_test/hostile_test.go:" + lineOf(t, "// timerLine") + ": it takes too long\n"; !strings.Contains(text, want) {
			t.Errorf("%s: no %q in %s", hazard, want, text)
		}
	}
}

// TestFactoryTalks: commands before the first Lock are steps of the schedule. A client whose
// factory fails there does nothing more.
func TestFactoryTalks(t *testing.T) {
	t.Parallel()
	for hazard, text := range underFew(t, "talking factory") {
		if !strings.Contains(text, "HOLDS: ") || strings.Contains(text, "VIOLATED") {
			t.Errorf("%s: %s", hazard, text)
		}
	}
}

// TestWaitsForEver: an Unlock that waits for what never comes is a finding, with the line at
// which it waits. It needs no fault, so under the other hazards it is the same.
func TestWaitsForEver(t *testing.T) {
	t.Parallel()
	for hazard, text := range underFew(t, "waiting unlock") {
		wants := []string{"VIOLATED: blocked-forever, the same as under contention\n"}
		if hazard == "contention" {
			wants = []string{"VIOLATED blocked-forever: A waits for what never comes: no timer or goroutine of its own brings it further within ", " at locktest_test/hostile_test.go:" + lineOf(t, "// foreverLine") + "\n"}
		}
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in %s", hazard, want, text)
			}
		}
	}
}

// TestRefusedOnce: code that no hazard can change is refused under the first one that has the
// time to see it, and the others only refer to that. Where code runs without end is seen though the
// part of the time of a hazard is shorter than the patience with it.
func TestRefusedOnce(t *testing.T) {
	for lock, says := range map[string]string{"refused address": "redis.NewClient(c.Redis.Options())", "spin": "no sleep for 2s; running at locktest_test/hostile_test.go:"} {
		t.Run(lock, func(t *testing.T) {
			t.Parallel()
			cmd := subject(t, lock, t.TempDir())
			cmd.Env = append(cmd.Env, "LOCKSTEP_TEST_HAZARDS=all")
			out, err := cmd.CombinedOutput()
			text := string(out)
			_, after, failed := strings.Cut(text, "--- FAIL: TestSubject/")
			if err == nil || !failed || strings.Contains(after, "--- FAIL: TestSubject/") || strings.Count(text, says) == 0 {
				t.Errorf("%v\n%s", err, text)
			}
			first, _, _ := strings.Cut(after, " ")
			if n := strings.Count(text, "--- SKIP: TestSubject/"); n < 10 || strings.Count(text, "not explored: see "+first+"\n") < n {
				t.Errorf("%d hazards are left out:\n%s", n, text)
			}
		})
	}
}
