//go:build unix

package cli

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/live"
	"lockstep/sim/resp"
)

// TestRefusedServers: what is no server that can be used is said on one line,
// and nothing is written to it.
func TestRefusedServers(t *testing.T) {
	const fit = "redis_version:7.0.15\r\nredis_mode:standalone\r\nrole:master\r\ncluster_enabled:0\r\n"
	for name, c := range map[string]struct {
		answers map[string]string // to a command
		want    string
	}{
		"wrong password": {map[string]string{"AUTH": "-WRONGPASS invalid username-password pair\r\n"}, "WRONGPASS invalid username-password pair; set the right one in REDISCLI_AUTH, or in a file for --redis-password-file"},
		"no password":    {map[string]string{"PING": "-NOAUTH Authentication required\r\n"}, "NOAUTH Authentication required; set the right one in REDISCLI_AUTH, or in a file for --redis-password-file"},
		"a cluster":      {map[string]string{"INFO": bulk(strings.Replace(fit, "enabled:0", "enabled:1", 1))}, "it is a cluster"},
		"a sentinel":     {map[string]string{"INFO": bulk(strings.Replace(fit, "standalone", "sentinel", 1))}, "it is a sentinel"},
		"a replica":      {map[string]string{"INFO": bulk(strings.Replace(fit, "master", "slave", 1))}, `its role is "slave"`},
		"an old server":  {map[string]string{"INFO": bulk(strings.Replace(fit, "7.0.15", "6.2.19", 1))}, `it is Redis "6.2.19"`},
		"moved":          {map[string]string{"EXISTS": "-MOVED 3999 10.0.0.1:6379\r\n"}, "MOVED 3999 10.0.0.1:6379"},
		"another INFO":   {map[string]string{"INFO": bulk("hello")}, "INFO names no redis_version"},
		"no Redis":       {map[string]string{"PING": "HTTP/1.1 400 Bad Request\r\n\r\n"}, "not RESP2"},
		"another PING":   {map[string]string{"PING": ":1\r\n"}, "not RESP2"},
		"a huge reply":   {map[string]string{"INFO": "$99999999999\r\n"}, "not RESP2"},
		"a long line":    {map[string]string{"PING": "+" + strings.Repeat("x", 10_000)}, "not RESP2"},
		"nested":         {map[string]string{"INFO": strings.Repeat("*2\r\n", 100)}, "not RESP2"},
		"half a reply":   {map[string]string{"PING": "+PO"}, "EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(passwordVariable, "pw")
			address, seen := fakeServer(t, c.answers, fit)
			code, stdout, stderr := lockstep(t.Context(), "run", crash, "--redis", address)
			if code != exitUsage || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, c.want) {
				t.Errorf("exit %d, stdout %q, stderr %q; want %q", code, stdout, stderr, c.want)
			}
			for _, cmd := range seen() {
				if !slices.Contains([]string{"AUTH", "PING", "INFO", "DBSIZE", "EXISTS lockstep:run"}, cmd) && !strings.HasPrefix(cmd, "AUTH ") {
					t.Errorf("sent %q", cmd)
				}
			}
		})
	}
}

// TestZooKeeperStart plays a story on a ZooKeeper of Lockstep's own.
func TestZooKeeperStart(t *testing.T) {
	story := filepath.Join(t.TempDir(), "s.txt")
	commands := []string{"world strategy=zk-sequential clients=A,B", "run A until=in-critical", "run B", "pause A", "advance 8s", "run B", "run A", "check"}
	testkit.OK(t, os.WriteFile(story, []byte(strings.Join(commands, "\n----\n\n")+"\n----\n"), 0o600))
	code, stdout, stderr := lockstep(t.Context(), "run", story, "--zookeeper", ownServer)
	if strings.Contains(stderr, live.ErrNoZooKeeper.Error()) {
		t.Skip(stderr)
	}
	for _, want := range []string{"On a real server: ZooKeeper 3.", "VIOLATED mutual-exclusion", "The same as in the world: "} {
		if code != exitOK || !strings.Contains(stdout, want) {
			t.Fatalf("exit %d, stderr %q, no %q in %s", code, stderr, want, stdout)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if code, _, stderr := lockstep(t.Context(), "run", story, "--zookeeper", ownServer); code != exitUsage || !strings.Contains(stderr, "no ZooKeeper is found") {
		t.Errorf("without java: exit %d, %q", code, stderr)
	}
}

// TestNoRedisServer: nobody has installed Redis.
func TestNoRedisServer(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	code, stdout, stderr := lockstep(t.Context(), "run", crash, "--redis", ownServer)
	if code != exitUsage || stdout != "" || stderr != "lockstep: no redis-server is found on the PATH\n" {
		t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

func bulk(s string) string { return fmt.Sprintf("$%d\r\n%s\r\n", len(s), s) }

// fakeServer answers commands, and remembers what it was sent.
func fakeServer(t *testing.T, answers map[string]string, info string) (address string, seen func() []string) {
	l := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	var cmds []string
	var done sync.WaitGroup
	done.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			in := bufio.NewReader(c)
			for {
				v, err := resp.Read(in)
				cmd, ok := v.Command()
				if err != nil || !ok {
					break
				}
				cmds = append(cmds, strings.Join(cmd, " "))
				answer := map[string]string{"AUTH": "+OK\r\n", "PING": "+PONG\r\n", "INFO": bulk(info), "DBSIZE": ":0\r\n", "EXISTS": ":0\r\n"}[cmd[0]]
				special, is := answers[cmd[0]]
				if is {
					answer = special
				}
				if _, err := io.WriteString(c, answer); err != nil || is {
					break
				}
			}
			_ = c.Close()
		}
	})
	stop := sync.OnceFunc(func() { _ = l.Close(); done.Wait() })
	t.Cleanup(stop)
	return l.Addr().String(), func() []string { stop(); return cmds }
}
