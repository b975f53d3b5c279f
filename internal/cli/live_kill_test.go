//go:build unix

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
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
	s, err := live.Start(t.Context())
	if errors.Is(err, live.ErrNoRedisServer) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	options := testkit.Must(redis.ParseURL(s.URL()))(t)
	c := redis.NewClient(options)
	t.Cleanup(func() { _ = c.Close() })
	return s, c
}

// leaving is a story whose lock leaves a key without a TTL, and has a replay.
const leaving = "a_crash_leaves_a_lock_without_ttl"

// keys are those of a database, with their values.
func keys(t *testing.T, admin *redis.Client) map[string]string {
	t.Helper()
	names := testkit.Must(admin.Keys(t.Context(), "*").Result())(t)
	values := map[string]string{}
	for _, name := range names {
		values[name] = admin.Get(t.Context(), name).Val()
	}
	return values
}

// TestRunOnSomebodysRedis plays stories in an empty database, again and again: the
// transcript is that of the world, and nothing is left. Other databases stay as they are.
func TestRunOnSomebodysRedis(t *testing.T) {
	s, admin := realServer(t)
	testkit.OK(t, admin.Set(t.Context(), "mine", "1", 0).Err())
	for _, story := range []string{leaving, leaving, "fencing_refuses_the_stale_write", "the_losers_expire_renews_the_dead"} {
		args := append([]string{"run", story, "--plain"}, at(t, s, "redis://"+s.String()+"/3")...)
		code, stdout, stderr := lockstep(t.Context(), args...)
		_, world, _ := lockstep(t.Context(), args[:3]...)
		step, _, _ := strings.Cut(world, "Command: replay")
		if code != exitOK || stderr != "" || !strings.Contains(stdout, step) || strings.Contains(stdout, "started for this run") ||
			strings.Contains(world, "Command: replay") != strings.Contains(stdout, "not on a real server: a database is for one node of one run; --redis start") {
			t.Errorf("%s: exit %d, stderr %q, %s", story, code, stderr, stdout)
		}
		if info, err := admin.Info(t.Context(), "keyspace").Result(); err != nil || !strings.Contains(info, "db0:keys=1,") || strings.Contains(info, "db3:") {
			t.Errorf("%s leaves %s, %v", story, info, err)
		}
	}
	args := append([]string{"run", leaving}, at(t, s, s.String())...)
	code, stdout, stderr := lockstep(t.Context(), args...)
	if code != exitUsage || stdout != "" || !strings.Contains(stderr, "database 0 is not empty (keys: 1); use another one") {
		t.Errorf("a database with a key: exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if got := keys(t, admin); !maps.Equal(got, map[string]string{"mine": "1"}) {
		t.Errorf("%q", got)
	}
	code, _, stderr = lockstep(t.Context(), append([]string{"run", "a_majority_outlasts_two_dead_nodes"}, at(t, s, "redis://"+s.String()+"/3")...)...)
	if code != exitUsage || !strings.Contains(stderr, "a database is for one node of one run") {
		t.Errorf("three nodes: exit %d, stderr %q", code, stderr)
	}
}

// TestKilledOnSomebodysRedis kills lockstep in a story: the next run says what that has
// left.
func TestKilledOnSomebodysRedis(t *testing.T) {
	t.Parallel()
	s, admin := realServer(t)
	cmd := exec.CommandContext(t.Context(), "lockstep", "run", leaving)
	started, dead := make(chan bool), make(chan bool)
	wire := newTripwire(t, s.String(), 30, func() {
		<-started
		_ = cmd.Process.Kill()
		<-dead
	})
	cmd.Args = append(cmd.Args, at(t, s, wire.address)...)
	testkit.OK(t, cmd.Start())
	close(started)
	err := cmd.Wait()
	close(dead)
	if err == nil {
		t.Fatal("it was not killed")
	}
	time.Sleep(10 * time.Millisecond) // for the request to arrive
	before := keys(t, admin)
	code, _, stderr := lockstep(t.Context(), append([]string{"run", leaving}, at(t, s, s.String())...)...)
	if code != exitUsage || !strings.Contains(stderr, fmt.Sprintf("was killed and has left its keys there (%d, with lockstep:run)", len(before))) {
		t.Errorf("exit %d, stderr %q; there are %q", code, stderr, before)
	}
	if after := keys(t, admin); !maps.Equal(before, after) {
		t.Errorf("before it %q, after it %q", before, after)
	}
}

// TestInterruptedCleansUp interrupts lockstep at some of its requests: it says
// so, and leaves nothing but what others have put there.
func TestInterruptedCleansUp(t *testing.T) {
	t.Parallel()
	s, admin := realServer(t)
	for i, request := range []int{24, 16, 20, 24, 30} {
		t.Run(fmt.Sprint(i, request), func(t *testing.T) {
			if i == 0 && signal.Ignored(syscall.SIGHUP) {
				t.Skip("under nohup, what it starts ignores a hangup too")
			}
			var stderr bytes.Buffer
			started := make(chan bool)
			want, left := "lockstep: interrupted\n", map[string]string{}
			cmd := exec.CommandContext(t.Context(), "lockstep", "run", leaving)
			wire := newTripwire(t, s.String(), request, func() {
				<-started
				if i == 4 {
					admin.Set(t.Context(), "theirs", "1", 0)
				}
				how := syscall.SIGINT
				if i == 0 {
					how = syscall.SIGHUP
				}
				_ = cmd.Process.Signal(how)
				time.Sleep(100 * time.Millisecond) // for it to arrive before the rest of the story
			})
			if i == 4 {
				want = "lockstep: interrupted; the database is not empty after the run: while the story ran, others have put keys into database 0 of " + wire.address + ", and they are left as they are (1)\n"
				left["theirs"] = "1"
			}
			cmd.Args = append(cmd.Args, at(t, s, wire.address)...)
			cmd.Stderr = &stderr
			testkit.OK(t, cmd.Start())
			close(started)
			err := cmd.Wait()
			var exit *exec.ExitError
			if i == 0 {
				if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGHUP {
					t.Errorf("%v, stderr %q, want a hangup", err, &stderr)
				}
			} else if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted || stderr.String() != want {
				t.Errorf("%v, stderr %q, want %q", err, &stderr, want)
			}
			if got := keys(t, admin); !maps.Equal(got, left) {
				t.Errorf("%q are left", got)
			}
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
	binary := testkit.Must(exec.LookPath("redis-server"))(t)
	scripts := t.TempDir()
	script := "#!/bin/sh\n" + binary + " \"$@\"\necho over\n"
	testkit.OK(t, os.WriteFile(filepath.Join(scripts, "redis-server"), []byte(script), 0o700))
	play := func(ctx context.Context) error {
		return exec.CommandContext(ctx, "lockstep", "run", "fencing_refuses_the_stale_write", "--redis", ownServer).Run()
	}
	start := time.Now()
	testkit.OK(t, play(t.Context()))
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
	entries := testkit.Must(os.ReadDir("/proc"))(t)
	for _, e := range entries {
		if cwd, err := os.Readlink("/proc/" + e.Name() + "/cwd"); err == nil && strings.HasPrefix(cwd, dir) {
			pids = append(pids, e.Name())
		}
	}
	return pids
}
