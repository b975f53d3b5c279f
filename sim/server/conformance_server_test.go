package server

import (
	"bufio"
	"flag"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"lockstep/internal/testkit"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/resp"
)

// replyWithin bounds every wait for a Redis server.
const replyWithin = 20 * time.Second

// A realRedis is a redis-server that a test has started, with a clock that the
// test sets. It listens on a socket in its own directory, not on a port.
type realRedis struct {
	dir     string
	now     history.Millis
	version string
}

// missing returns what is missing for a comparison, "" for nothing, and the
// path of libfaketime.
func missing() (why, preload string) {
	if _, err := exec.LookPath("redis-server"); err != nil {
		return "there is no redis-server (apt-get install redis-server)", ""
	}
	found, _ := filepath.Glob("/usr/lib/*/faketime/libfaketimeMT.so.1") // the pattern is valid
	if len(found) == 0 {
		return "there is no libfaketime to set the server's clock by (apt-get install faketime)", ""
	}
	return "", found[0]
}

// startRedis starts a redis-server. It ends, and its directory is removed, with
// the test, even if the test fails or is killed: a shell waits for the end of
// its input, which the test holds open. If a program is missing, startRedis
// skips the test, but fails if a fuzzer runs: a skip would look like success.
func startRedis(t testing.TB) *realRedis {
	t.Helper()
	why, preload := missing()
	switch fuzzing := flag.Lookup("test.fuzz"); {
	case why == "":
	case fuzzing != nil && fuzzing.Value.String() != "":
		t.Fatal("nothing can be compared: " + why)
	default:
		t.Skip("SKIPPED, nothing was compared: " + why)
	}
	dir, err := os.MkdirTemp("", "redis") // the path of t.TempDir may be too long for a socket
	testkit.OK(t, err)
	r := &realRedis{dir: dir, now: -1}
	r.setTime(t, 0)
	cmd := serverCommand(dir, preload)
	life := testkit.Must(cmd.StdinPipe())(t)
	testkit.OK(t, cmd.Start())
	t.Cleanup(func() {
		life.Close()
		cmd.Wait()
	})
	r.version = r.waitUntilUp(t)
	return r
}

// serverCommand loads libc before jemalloc, which asks for the time before
// libfaketime works.
func serverCommand(dir, preload string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", `trap : INT TERM
LD_PRELOAD="$1 libc.so.6" redis-server --port 0 --unixsocket redis.sock --save '' --appendonly no >log 2>&1 </dev/null &
cat; kill -9 $!; rm -rf "$PWD"`, "sh", preload)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TZ=UTC", "FAKETIME_TIMESTAMP_FILE="+filepath.Join(dir, "time"), "FAKETIME_NO_CACHE=1", "FAKETIME_DONT_FAKE_MONOTONIC=1")
	return cmd
}

func (r *realRedis) waitUntilUp(t testing.TB) (version string) {
	t.Helper()
	for began := time.Now(); time.Since(began) < replyWithin; time.Sleep(5 * time.Millisecond) {
		if c, err := net.Dial("unix", filepath.Join(r.dir, "redis.sock")); err == nil {
			c.Close()
			info := r.dial(t).do(t, []string{"EVAL", "return redis.REDIS_VERSION", "0"})
			return replyText(info)
		}
	}
	log, _ := os.ReadFile(filepath.Join(r.dir, "log"))
	t.Fatalf("redis-server did not start:\n%s", log)
	return ""
}

// setTime sets the server's clock, half a millisecond ahead, so that rounding
// never yields the previous millisecond.
func (r *realRedis) setTime(t testing.TB, now history.Millis) {
	t.Helper()
	if now == r.now {
		return
	}
	r.now = now
	text := sim.Epoch().Add(now.Duration() + time.Millisecond/2).Format("2006-01-02 15:04:05.000000")
	file := filepath.Join(r.dir, "time")
	err := os.WriteFile(file+".new", []byte(text), 0o600)
	if err == nil {
		err = os.Rename(file+".new", file) // the server never reads a partial file
	}
	testkit.OK(t, err)
}

// A realConn is one connection to a realRedis.
type realConn struct {
	net.Conn
	in *bufio.Reader
}

func (r *realRedis) dial(t testing.TB) *realConn {
	t.Helper()
	c := testkit.Must(net.Dial("unix", filepath.Join(r.dir, "redis.sock")))(t)
	t.Cleanup(func() { c.Close() })
	return &realConn{c, bufio.NewReader(c)}
}

// do sends commands in one write and returns the bytes of their replies.
func (c *realConn) do(t testing.TB, cmds ...[]string) []byte {
	t.Helper()
	var request, replies []byte
	for _, cmd := range cmds {
		request = resp.AppendCommand(request, cmd)
	}
	c.SetDeadline(time.Now().Add(replyWithin))
	_, err := c.Write(request)
	for range cmds {
		if err == nil {
			var v resp.Value
			v, err = resp.Read(c.in)
			replies = v.Append(replies)
		}
	}
	if err != nil {
		t.Fatalf("%q: %v", cmds, err)
	}
	return replies
}
