package queue

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"lockstep/internal/testkit"
)

// The test binary is also a worker.
const (
	envURL     = "LOCKSTEP_QUEUE_URL"
	envVersion = "LOCKSTEP_QUEUE_VERSION"
)

func TestMain(m *testing.M) {
	if url := os.Getenv(envURL); url != "" {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		q, err := Open(ctx, url, "")
		if err == nil {
			err = q.Work(ctx, worker(fmt.Sprint("process ", os.Getpid()), os.Getenv(envVersion)))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	redis.SetLogger(quiet{})
	// It sleeps for a second before it notices that the client is closed.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial"))
}

// quiet drops what go-redis says of servers that are down, as they are here on purpose.
type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}

// work is what the tests have computed: a sum that takes a few milliseconds.
func work(_ context.Context, payload []byte) ([]byte, error) {
	sum := sha256.Sum256(payload)
	for range 20_000 {
		sum = sha256.Sum256(sum[:])
	}
	return fmt.Appendf(nil, "%x", sum), nil
}

func worker(name string, versions ...string) Worker {
	return Worker{Name: name, Versions: versions, Jobs: 1, Done: func() {}, Tell: func(error) {}, Run: work}
}

// A server is a redis-server that writes everything to its disk before it replies.
type server struct {
	t    testing.TB
	dir  string
	port int
	cmd  *exec.Cmd
	off  string // how far its clock is ahead, as -1h, where there is libfaketime
}

func startServer(t testing.TB) *server {
	t.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		t.Skip("no redis-server")
	}
	s := &server{t: t, dir: t.TempDir()}
	t.Cleanup(s.kill)
	for range 5 { // another process may take the port first
		l := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
		s.port = l.Addr().(*net.TCPAddr).Port
		_ = l.Close()
		if s.start() {
			return s
		}
	}
	t.Fatal("redis-server does not answer")
	return nil
}

func (s *server) url() string { return fmt.Sprintf("redis://:secret@127.0.0.1:%d/3", s.port) }

// start reports whether the server answers.
func (s *server) start() bool {
	s.t.Helper()
	// A file that is as large as it may be is an error to the server, and not its end.
	s.cmd = exec.Command("sh", "-c", `trap '' XFSZ; LD_PRELOAD="$1"; export LD_PRELOAD; shift; exec redis-server "$@"`, "sh", s.faketime(), "--port", strconv.Itoa(s.port), "--bind", "127.0.0.1", "--requirepass", "secret", "--dir", s.dir,
		"--appendonly", "yes", "--appendfsync", "always", "--save", "")
	s.cmd.Env = append(os.Environ(), "FAKETIME="+s.off, "FAKETIME_DONT_FAKE_MONOTONIC=1")
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	for range 3000 { // a minute, as other tests can keep the machine busy
		if q, err := Open(context.Background(), s.url(), ""); err == nil {
			q.Close()
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
	s.kill()
	return false
}

// faketime is what a server loads first whose clock is off. libc comes before jemalloc,
// which asks for the time before libfaketime works.
func (s *server) faketime() string {
	found, _ := filepath.Glob("/usr/lib/*/faketime/libfaketimeMT.so.1") // the pattern is valid
	switch {
	case s.off == "":
		return ""
	case len(found) == 0:
		s.t.Log("there is no libfaketime, so the server's clock is right")
		return ""
	}
	return found[0] + " libc.so.6"
}

func (s *server) kill() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	}
	s.cmd = nil
}

// ask sends a command and returns the reply.
func (s *server) ask(args ...any) any {
	s.t.Helper()
	o, err := redis.ParseURL(s.url())
	if err != nil {
		s.t.Fatal(err)
	}
	c := redis.NewClient(o)
	defer func() { _ = c.Close() }()
	reply, err := c.Do(s.t.Context(), args...).Result()
	if err != nil {
		s.t.Fatal(err)
	}
	return reply
}

func open(t testing.TB, s *server) *Queue {
	t.Helper()
	q := testkit.Must(Open(t.Context(), s.url(), ""))(t)
	t.Cleanup(q.Close)
	return q
}

// process starts a worker as a process of its own.
func process(t *testing.T, s *server, version string) *exec.Cmd {
	t.Helper()
	exe := testkit.Must(os.Executable())(t)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), envURL+"="+s.url(), envVersion+"="+version)
	testkit.OK(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

func jobs(n int) (list []Job) {
	for i := range n {
		list = append(list, Job{Version: "v", ID: fmt.Sprint("run/", i), Payload: fmt.Appendf(nil, "job %d", i)})
	}
	return list
}

// collect is a run's Options, and where its answers go.
func collect() (map[string]string, Options) {
	got := map[string]string{}
	return got, Options{
		Answered: func(job Job, answer []byte) (bool, error) {
			got[job.ID] = string(answer)
			return false, nil
		},
		Progress: func(Progress) {},
	}
}

// right fails unless each answer is what the job makes here.
func right(t *testing.T, list []Job, got map[string]string) {
	t.Helper()
	want := map[string]string{}
	for _, j := range list {
		answer, _ := work(t.Context(), j.Payload)
		want[j.ID] = string(answer)
	}
	if !maps.Equal(got, want) {
		t.Errorf("%d answers of %d, or wrong ones", len(got), len(want))
	}
}

// empty fails unless nothing of a run is in the queue.
func empty(t *testing.T, q *Queue) {
	t.Helper()
	for _, list := range []string{"pending", "active"} {
		if n := q.redis.LLen(t.Context(), "asynq:{"+queueOf("v")+"}:"+list).Val(); n > 0 {
			t.Errorf("%d jobs are %s", n, list)
		}
	}
	for _, set := range []string{"scheduled", "retry", "archived", "completed"} {
		if n := q.redis.ZCard(t.Context(), "asynq:{"+queueOf("v")+"}:"+set).Val(); n > 0 {
			t.Errorf("%d jobs are %s", n, set)
		}
	}
}

// workers has so many in this process, until the function returned is called.
func workers(t testing.TB, s *server, n int, versions ...string) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	for i := range n {
		q := open(t, s)
		go func() { ended <- q.Work(ctx, worker(fmt.Sprint("worker ", i), versions...)) }()
	}
	return func() {
		cancel()
		for range n {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	}
}

// TestDo: every job is answered once, and a later call finds the answers.
func TestDo(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	stop := workers(t, s, 2, "v")
	list := jobs(60)
	got, o := collect()
	q := open(t, s)
	p, err := q.Do(t.Context(), list, o)
	if err != nil || p.Done != 60 || p.Of != 60 || p.Workers != 2 || len(p.Others)+len(p.Lacking) > 0 {
		t.Errorf("%+v, %v", p, err)
	}
	right(t, list, got)
	empty(t, q)

	// The same again finds all answers in Redis: there is no worker.
	stop()
	got, o = collect()
	if _, err := q.Do(t.Context(), list, o); err != nil {
		t.Error(err)
	}
	right(t, list, got)
}

// TestVersions: jobs of several versions are done by workers that have one or both, and a
// version that no worker has is named until one comes.
func TestVersions(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	defer workers(t, s, 1, "v", "of nothing")()
	list := jobs(40)
	for i := range list {
		if i%2 == 1 {
			list[i].Version = "w"
		}
	}
	got, o := collect()
	named := false
	o.Progress = func(p Progress) {
		if len(p.Others) > 0 {
			t.Errorf("of no use: %v", p.Others)
		}
		if !named && len(p.Lacking) > 0 && p.Done == 20 {
			if named = true; p.Lacking[0] != "w" || len(p.Lacking) > 1 {
				t.Errorf("lacking: %v", p.Lacking)
			}
			t.Cleanup(workers(t, s, 1, "w", "v"))
		}
	}
	if p, err := open(t, s).Do(t.Context(), list, o); err != nil || !named || p.Done != 40 {
		t.Errorf("%+v, %v", p, err)
	}
	right(t, list, got)
}

// TestStop: the first answer that is enough ends a run, and an interrupt does; nothing is
// left in the queue, and a later call goes on.
func TestStop(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	stop := workers(t, s, 1, "v")
	q := open(t, s)
	got, o := collect()
	answered := o.Answered
	o.Answered = func(job Job, answer []byte) (bool, error) {
		_, _ = answered(job, answer)
		return len(got) == 5, nil
	}
	if _, err := q.Do(t.Context(), jobs(300), o); err != nil || len(got) != 5 {
		t.Errorf("%d answers, %v", len(got), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	more := 0
	o.Answered = func(job Job, answer []byte) (bool, error) {
		if more++; more == 20 {
			cancel()
		}
		return answered(job, answer)
	}
	if p, err := q.Do(ctx, jobs(300), o); !errors.Is(err, context.Canceled) || p.Done < 20 || p.Done > 250 {
		t.Errorf("%+v, %v", p, err)
	}
	for q.redis.LLen(t.Context(), "asynq:{"+queueOf("v")+"}:active").Val() > 0 {
		time.Sleep(time.Millisecond) // a worker that ends before its job puts it back
	}
	stop()
	empty(t, q)
}

// TestTrouble: a job that cannot be run ends the run, with the worker and the reason, also if
// it panics. So does an answer that is refused. A later call has the job done anew.
func TestTrouble(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	q := open(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	w := worker("w", "v")
	w.Run = func(ctx context.Context, payload []byte) ([]byte, error) {
		switch string(payload) {
		case "large":
			return make([]byte, maxAnswer+1), nil
		case "oops":
			panic("oops")
		}
		return work(ctx, payload)
	}
	ended := make(chan error)
	go func() { ended <- q.Work(ctx, w) }()
	for payload, want := range map[string]string{
		"oops": "worker w cannot do run/oops: a job panicked: oops", "large": "worker w cannot do run/large: the answer has 1048577 bytes; at most 1048576 fit",
		"wrong": "the answer of worker w to run/wrong is refused: it is wrong",
	} {
		list := []Job{{ID: "run/" + payload, Version: "v", Payload: []byte(payload)}}
		_, o := collect()
		o.Answered = func(Job, []byte) (bool, error) { return false, errors.New("it is wrong") }
		if p, err := open(t, s).Do(ctx, list, o); fmt.Sprint(err) != want || p.Done != 0 {
			t.Errorf("%v, want %s", err, want)
		}
		if n := q.redis.Exists(ctx, keyOf("run/"+payload)).Val(); n != 0 {
			t.Errorf("%s: the answer is still there", payload)
		}
	}
	list := []Job{{ID: "run/wrong", Version: "v", Payload: []byte("wrong")}}
	got, o := collect()
	if _, err := open(t, s).Do(ctx, list, o); err != nil {
		t.Error(err)
	}
	right(t, list, got)
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestForeign: what is not the answer of a worker ends the run, and its job is done anew.
func TestForeign(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	q := open(t, s)
	testkit.OK(t, q.redis.Set(t.Context(), keyOf("run/1"), "nonsense", 0).Err())
	list := jobs(3)
	_, o := collect()
	if _, err := q.Do(t.Context(), list, o); err == nil || !strings.Contains(err.Error(), "the answer to run/1 is not the answer of a worker") {
		t.Error(err)
	}
	defer workers(t, s, 1, "v")()
	got, o := collect()
	if p, err := q.Do(t.Context(), list, o); err != nil || p.Done != 3 {
		t.Errorf("%+v, %v", p, err)
	}
	right(t, list, got)
}

// TestAddress: an error shows no password.
func TestAddress(t *testing.T) {
	for _, address := range []string{"", "nonsense", "redis://user:hunter2@[::1", "http://user:hunter2@host", "redis://user:hunter2@127.0.0.1:1"} {
		if _, err := Open(t.Context(), address, ""); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// BenchmarkJob is what the queue costs: jobs that take no time, with one worker.
func BenchmarkJob(b *testing.B) {
	s := startServer(b)
	q := open(b, s)
	ctx, cancel := context.WithCancel(b.Context())
	w := worker("w", "v")
	w.Run = func(context.Context, []byte) ([]byte, error) { return nil, nil }
	ended := make(chan error)
	go func() { ended <- q.Work(ctx, w) }()
	_, o := collect()
	before := commands(b, q)
	b.ResetTimer()
	if _, err := q.Do(ctx, jobs(b.N), o); err != nil {
		b.Error(err)
	}
	b.ReportMetric(float64(commands(b, q)-before)/float64(b.N), "commands/op")
	cancel()
	<-ended
}

// commands is how many commands Redis has processed.
func commands(b *testing.B, q *Queue) (n int) {
	b.Helper()
	for line := range strings.Lines(q.redis.Info(b.Context(), "stats").Val()) {
		if text, ok := strings.CutPrefix(line, "total_commands_processed:"); ok {
			n, _ = strconv.Atoi(strings.TrimSpace(text))
		}
	}
	return n
}
