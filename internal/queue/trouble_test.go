//go:build unix

package queue

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"lockstep/sim/live"
)

// fake is a Redis that answers SET with a reply, and is closed or silent where that is "" or
// "silent". It returns its address as a URL.
func fake(t *testing.T, reply string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var served sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); served.Wait() })
	served.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			served.Go(func() {
				defer func() { _ = conn.Close() }()
				defer context.AfterFunc(t.Context(), func() { _ = conn.Close() })() // before Cleanup
				for in := bufio.NewReader(conn); ; {
					var words []string
					n := 0
					for line := "*"; line[0] == '*' || len(words) < n; { // *2, $3, SET, $1, x
						if line, err = in.ReadString('\n'); err != nil {
							return
						}
						switch line = strings.TrimSpace(line); line[0] {
						case '*':
							_, _ = fmt.Sscanf(line, "*%d", &n)
						case '$':
							word, _ := in.ReadString('\n')
							words = append(words, strings.ToUpper(strings.TrimSpace(word)))
						}
					}
					said := map[string]string{"HELLO": "-ERR unknown command", "SET": reply}[words[0]]
					switch {
					case reply == "silent":
						continue
					case words[0] == "SET" && reply == "":
						return
					case said == "":
						said = "+OK"
					}
					if _, err := fmt.Fprintf(conn, "%s\r\n", said); err != nil {
						return
					}
				}
			})
		}
	})
	return "redis://" + l.Addr().String() + "/0"
}

// TestUnable: a Redis that cannot keep jobs is refused at the start, in a sentence that says
// why and which one it is.
func TestUnable(t *testing.T) {
	for reply, want := range map[string]string{
		"-READONLY You can't write against a read only replica.": "ADDR is a replica, and takes no writes (READONLY)",
		"-OOM command not allowed":                               "ADDR has no memory left, and takes no writes (OOM)",
		"-MISCONF Redis is configured to save RDB snapshots":     "ADDR cannot write to its disk, and takes no writes (MISCONF)",
		"-LOADING Redis is loading the dataset in memory":        "ADDR refuses: LOADING Redis is loading the dataset in memory",
		"-NOREPLICAS Not enough good replicas to write.":         "ADDR refuses: NOREPLICAS Not enough good replicas to write.",
		"-MASTERDOWN Link with MASTER is down":                   "ADDR refuses: MASTERDOWN Link with MASTER is down",
		"-BUSY Redis is busy running a script.":                  "ADDR refuses: BUSY Redis is busy running a script.",
		"-NOAUTH Authentication required.":                       "ADDR: the server lets nobody in without the right password",
		"-WRONGPASS invalid username-password pair":              "ADDR: the server lets nobody in without the right password",
		"-NOPERM this user has no permissions":                   "ADDR refuses: NOPERM this user has no permissions",
		"silent":                                                 "ADDR does not answer; it may be stopped, or busy",
		"":                                                       "ADDR ends the connection; it may want TLS, as rediss://, or not be a Redis",
		"$-1":                                                    "", // it can
	} {
		url := fake(t, reply)
		address := strings.TrimSuffix(strings.TrimPrefix(url, "redis://"), "/0")
		q, err := Open(t.Context(), url+"?read_timeout=200ms", "")
		if err == nil {
			q.Close()
		}
		if got := strings.ReplaceAll(fmt.Sprint(err), address, "ADDR"); got != want && (err != nil || want != "") {
			t.Errorf("%s: %q, want %q", reply, got, want)
		}
		if errors.Is(err, live.ErrLocked) != strings.Contains(want, "password") {
			t.Errorf("%s: %v", reply, err)
		}
	}
}

// TestNoTLS: a Redis without TLS is asked for it.
func TestNoTLS(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	_, err = Open(t.Context(), "rediss://"+l.Addr().String()+"/0?dial_timeout=100ms", "")
	if want := l.Addr().String() + " does not answer in TLS; use redis:// if it has none"; fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestExplain: asynq says some words before Redis does.
func TestExplain(t *testing.T) {
	q := &Queue{at: "ADDR"}
	err := errors.New("UNKNOWN: redis eval error: MISCONF Errors writing to the AOF file: File too large script: 98d2, on @user_script:1.")
	if got, want := fmt.Sprint(q.explain(err)), "ADDR cannot write to its disk, and takes no writes (MISCONF)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestUnableMidway: a client that asks and a worker both say what is wrong with Redis, once, and go on
// when that is over. Where it is not, both end all the same.
func TestUnableMidway(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	hasty := func() *Queue {
		q, err := Open(t.Context(), s.url()+"?read_timeout=200ms", "")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(q.Close)
		return q
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	asker, worker1 := hasty(), hasty()
	w := worker("w", "other")
	told := make(chan error, 10)
	w.Tell = func(trouble error) { told <- trouble }
	worked := make(chan error)
	go func() { worked <- worker1.Work(ctx, w) }()
	_, o := collect()
	shown := make(chan error, 1000)
	o.Progress = func(p Progress) { shown <- p.Trouble }
	asked := make(chan error)
	go func() { // nobody does them
		_, err := asker.Do(ctx, jobs(5), o)
		asked <- err
	}()
	stop := func(with syscall.Signal) {
		if err := s.cmd.Process.Signal(with); err != nil {
			t.Error(err)
		}
	}
	for _, step := range []struct {
		do   func()
		want string
	}{
		{func() { s.ask("REPLICAOF", "127.0.0.1", "1") }, "is a replica, and takes no writes (READONLY)"},
		{func() { s.ask("REPLICAOF", "NO", "ONE") }, ""},
		{func() { s.ask("CONFIG", "SET", "maxmemory", "1") }, "has no memory left, and takes no writes (OOM)"},
		{func() { s.ask("CONFIG", "SET", "maxmemory", "0") }, ""},
		{s.kill, "cannot be reached: "},
		{func() {
			if !s.start() {
				t.Error("Redis does not come back")
			}
		}, ""},
		{func() { stop(syscall.SIGSTOP) }, "does not answer; it may be stopped, or busy"},
	} {
		step.do()
		// The worker has said nothing else in between, so each was said once.
		if got := <-told; got == nil != (step.want == "") || got != nil && !strings.Contains(got.Error(), step.want) {
			t.Errorf("the worker says %v, want %q", got, step.want)
		}
		for got := range shown {
			if got == nil && step.want == "" || got != nil && step.want != "" && strings.Contains(got.Error(), step.want) {
				break
			}
		}
	}
	able := func(q *Queue) bool { return !errors.Is(q.redis.Ping(t.Context()).Err(), context.Canceled) }
	cancel()
	if err := <-worked; err != nil || able(worker1) {
		t.Errorf("the worker has waited for Redis: %v", err)
	}
	if err := <-asked; !errors.Is(err, context.Canceled) || able(asker) {
		t.Errorf("who asks has waited for Redis: %v", err)
	}
	stop(syscall.SIGCONT)
}

// TestLostQueue: what Redis has lost is sent again, also beyond the first jobs, of which there
// are no more in Redis at a time.
func TestLostQueue(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	list := jobs(window + 20)
	for i := window; i < len(list); i++ {
		list[i].Version = "w"
	}
	got, o := collect()
	beats := 0
	o.Progress = func(p Progress) {
		if beats++; beats == 2 { // when asynq knows the queue of the first version only
			s.ask("FLUSHALL")
			t.Cleanup(workers(t, s, 2, "v", "w"))
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	if p, err := open(t, s).Do(ctx, list, o); err != nil || p.Done != len(list) {
		t.Errorf("%+v, %v", p, err)
	}
	slices.SortFunc(list, func(a, b Job) int { return strings.Compare(a.ID, b.ID) })
	right(t, list, got)
}
