//go:build unix

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"lockstep/internal/testkit"
	"lockstep/sim/live"
)

// realServer starts a server, which stands for somebody else's where it is
// named to lockstep.
func realServer(t *testing.T) (*live.Server, *redis.Client) {
	s, err := live.Start(t.Context(), live.Fleeting)
	if errors.Is(err, live.ErrNoRedisServer) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	options, err := redis.ParseURL(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	c := redis.NewClient(options)
	t.Cleanup(func() { _ = c.Close() })
	return s, c
}

// dangerous are stories whose locks leave keys without a TTL.
var dangerous = []string{
	"a_crash_leaves_a_lock_without_ttl", "a_fast_clock_steals_a_live_lock", "fencing_refuses_the_stale_write",
	"the_losers_expire_renews_the_dead",
}

// TestKilledLeavesNoKey kills lockstep while it plays stories on a server that
// is not its own, each at some of its requests, just before the request reaches
// the server. Whatever is there then has a TTL.
func TestKilledLeavesNoKey(t *testing.T) {
	t.Parallel()
	times := testkit.Size(t, 1, 1)
	s, admin := realServer(t)
	for _, story := range testkit.Some(t, dangerous, 2, 1) {
		wire := newTripwire(t, s.String(), -1, nil)
		if code, _, stderr := lockstep(t.Context(), "run", story, "--redis", through(s, wire.address)); code != exitOK {
			t.Fatal(stderr)
		}
		left(t, admin, 0)
		for i := range times {
			at := (i + 1) * wire.count() / (times + 1)
			t.Run(fmt.Sprintf("%s %d of %d", story, at, wire.count()), func(t *testing.T) {
				cmd := exec.CommandContext(t.Context(), "lockstep", "run", story)
				started, dead := make(chan bool), make(chan bool)
				wire := newTripwire(t, s.String(), at, func() {
					<-started
					_ = cmd.Process.Kill()
					<-dead
				})
				cmd.Args = append(cmd.Args, "--redis", through(s, wire.address))
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				close(started)
				err := cmd.Wait()
				close(dead)
				if err == nil {
					t.Fatal("it was not killed")
				}
				time.Sleep(10 * time.Millisecond) // for the request to arrive
				left(t, admin, -1)
				admin.FlushAll(t.Context())
			})
		}
	}
}

// left checks that every key has a TTL, and how many there are if that is
// known.
func left(t *testing.T, admin *redis.Client, want int) {
	t.Helper()
	keys, err := admin.Keys(t.Context(), "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		if ttl, err := admin.PTTL(t.Context(), key).Result(); err != nil || ttl == -1 {
			t.Errorf("%s: PTTL %v, %v", key, ttl, err)
		}
	}
	if want >= 0 && len(keys) != want {
		t.Errorf("keys %q are left", keys)
	}
}

// TestInterruptedCleansUp interrupts lockstep at some of its requests: it says
// so, and leaves nothing.
func TestInterruptedCleansUp(t *testing.T) {
	t.Parallel()
	s, admin := realServer(t)
	for _, at := range []int{8, 12, 20} {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			var stderr bytes.Buffer
			started := make(chan bool)
			cmd := exec.CommandContext(t.Context(), "lockstep", "run", dangerous[0])
			wire := newTripwire(t, s.String(), at, func() {
				<-started
				_ = cmd.Process.Signal(syscall.SIGINT)
			})
			cmd.Args = append(cmd.Args, "--redis", through(s, wire.address))
			cmd.Stderr = &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			close(started)
			err := cmd.Wait()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted || stderr.String() != "lockstep: interrupted\n" {
				t.Errorf("%v, stderr %q", err, &stderr)
			}
			left(t, admin, 0)
		})
	}
}

// TestKilledLeavesNoServer kills lockstep at some moments while it plays a
// story on a server of its own: the server ends with it, at every other moment
// one that a script of that name has started.
func TestKilledLeavesNoServer(t *testing.T) {
	realServer(t) // or there is none to start
	if _, err := os.Stat("/proc/self/cwd"); err != nil {
		t.Skip("no /proc to look for processes in")
	}
	times := testkit.Size(t, 6, 4)
	dir, path := t.TempDir(), os.Getenv("PATH")
	t.Setenv("TMPDIR", dir)
	binary, err := exec.LookPath("redis-server")
	if err != nil {
		t.Fatal(err)
	}
	scripts := t.TempDir()
	script := "#!/bin/sh\n" + binary + " \"$@\"\necho over\n"
	if err := os.WriteFile(filepath.Join(scripts, "redis-server"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	play := func(ctx context.Context) error {
		return exec.CommandContext(ctx, "lockstep", "run", dangerous[2], "--redis", ownServer).Run()
	}
	start := time.Now()
	if err := play(t.Context()); err != nil {
		t.Fatal(err)
	}
	whole := time.Since(start)
	seen := false
	for i := range times {
		t.Setenv("PATH", []string{path, scripts + string(os.PathListSeparator) + path}[i%2])
		ctx, cancel := context.WithTimeout(t.Context(), whole*time.Duration(i+1)/time.Duration(times)) // then it is killed
		done := make(chan error, 1)
		go func() { done <- play(ctx) }()
		for running := true; running; {
			select {
			case <-done:
				running = false
			case <-time.After(time.Millisecond):
				seen = seen || len(processesIn(t, dir)) > 0
			}
		}
		cancel()
		end := time.Now().Add(10 * time.Second)
		for len(processesIn(t, dir)) > 0 {
			if time.Now().After(end) {
				t.Fatalf("killed after %v: processes %v are left", whole*time.Duration(i+1)/time.Duration(times), processesIn(t, dir))
			}
			time.Sleep(time.Millisecond)
		}
	}
	if !seen {
		t.Error("no server was ever seen, so that this shows nothing")
	}
}

// processesIn lists the processes whose folder lies in dir, as that of a server
// of lockstep's own does.
func processesIn(t *testing.T, dir string) (pids []string) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if cwd, err := os.Readlink("/proc/" + e.Name() + "/cwd"); err == nil && strings.HasPrefix(cwd, dir) {
			pids = append(pids, e.Name())
		}
	}
	return pids
}

// TestScriptsThatStay: a server that is not lockstep's own keeps the scripts of
// a lock, which are named; nothing else, and no more with each run.
func TestScriptsThatStay(t *testing.T) {
	s, admin := realServer(t)
	cached := func() string {
		info, err := admin.Info(t.Context(), "memory").Result()
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(info, "number_of_cached_scripts:")
		n, _, _ := strings.Cut(rest, "\r\n")
		return n
	}
	story := filepath.Join(t.TempDir(), "both_in_turn.txt")
	lines := "world strategy=set-del clients=A,B ttl=5s\n----\n\nrun A\n----\n\nrun B\n----\n\ncheck\n----\n"
	if err := os.WriteFile(story, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`\b[0-9a-f]{40}\b`)
	for _, step := range []struct{ lock, cached string }{{"set-del", "0"}, {"set-lua", "1"}, {"set-lua", "1"}, {"set-del", "1"}} {
		before := cached()
		code, stdout, stderr := lockstep(t.Context(), "run", story, "--strategy", step.lock, "--redis", s.URL())
		if code != exitOK || cached() != step.cached {
			t.Fatalf("%+v: exit %d, %s; before it %s scripts, after it %s", step, code, stderr, before, cached())
		}
		shas := named.FindAllString(stdout, -1)
		if (len(shas) > 0) != (step.lock == "set-lua") {
			t.Errorf("%+v names %q", step, shas)
		}
		for _, sha := range shas {
			if there, err := admin.ScriptExists(t.Context(), sha).Result(); err != nil || !there[0] {
				t.Errorf("%+v: %s is not there, %v", step, sha, err)
			}
		}
	}
}
