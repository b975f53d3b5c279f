//go:build unix

package queue

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"lockstep/internal/testkit"
)

// TestTortured: workers die, Redis dies, its disk is full and it refuses to write, a worker
// is of another version, clocks are an hour off, jobs come twice. The answers are the same.
func TestTortured(t *testing.T) {
	testkit.Long(t, "asynq notices a worker's death after up to two minutes; TestDo and TestStop have the usual way")
	s := startServer(t)
	s.kill()
	if s.off = "+1h"; !s.start() {
		t.Fatal("redis-server does not start with a clock that is off")
	}
	now, _ := strconv.ParseInt(s.ask("TIME").([]any)[0].(string), 10, 64)
	if ahead := time.Until(time.Unix(now, 0)); s.faketime() != "" && ahead < 59*time.Minute {
		t.Errorf("the server's clock is only %v ahead", ahead)
	}
	q := open(t, s)
	list := jobs(7000)
	for range 3 {
		process(t, s, "v")
	}
	other := process(t, s, "old")
	victims := []*exec.Cmd{process(t, s, "v"), process(t, s, "v")}
	got, o := collect()
	shown := Progress{}
	began := time.Now()
	step := 0
	o.Progress = func(p Progress) {
		shown = p
		t.Logf("%v: %d of %d, %d workers, trouble %v, others %q", time.Since(began).Round(time.Second), p.Done, p.Of, p.Workers, p.Trouble, p.Others)
		for at, do := range []func(){
			1: func() { _ = victims[0].Process.Kill() },
			2: func() { // every job comes twice
				client := asynq.NewClientFromRedisClient(q.redis)
				for _, j := range list {
					if _, err := client.Enqueue(asynq.NewTask(kind, j.Payload), asynq.Queue(queueOf("v"))); err != nil {
						t.Error(err)
					}
				}
			},
			3: func() { // a clock is an hour off: every lease ended long ago
				lease := "asynq:{" + queueOf("v") + "}:lease"
				for _, z := range q.redis.ZRangeWithScores(t.Context(), lease, 0, -1).Val() {
					q.redis.ZAddXX(t.Context(), lease, redis.Z{Score: z.Score - 3600*float64(1-2*rand.IntN(2)), Member: z.Member})
				}
			},
			4: func() {
				s.kill()
				if s.off = "-1h"; !s.start() {
					t.Error("Redis does not come back")
				}
			},
			5: func() { s.ask("CONFIG", "SET", "min-replicas-to-write", "1") },
			6: func() { s.ask("CONFIG", "SET", "min-replicas-to-write", "0") },
			7: func() { s.fill(true) },
			9: func() { s.fill(false) },
			8: func() { _ = victims[1].Process.Signal(syscall.SIGSTOP) },
		} {
			if at == step && do != nil {
				do()
			}
		}
		step++
	}
	p, err := q.Do(t.Context(), list, o)
	if err != nil || p.Done != len(list) {
		t.Errorf("%+v, %v", p, err)
	}
	if step < 10 {
		t.Errorf("it ended after step %d: more jobs are needed", step)
	}
	right(t, list, got)
	if len(shown.Others) != 1 || !strings.HasSuffix(shown.Others[0], fmt.Sprint(":", other.Process.Pid)) {
		t.Errorf("others: %q, and it is %d", shown.Others, other.Process.Pid)
	}
}

// fill has the kernel refuse whatever the server adds to its file, as on a full disk, and
// allow it again.
func (s *server) fill(full bool) {
	s.t.Helper()
	limit := "unlimited:unlimited"
	if full {
		// After each write it would rather end than reply without having written.
		s.ask("CONFIG", "SET", "appendfsync", "everysec")
		limit = "1000:unlimited"
	}
	if out, err := exec.Command("prlimit", "--pid", fmt.Sprint(s.cmd.Process.Pid), "--fsize="+limit).CombinedOutput(); err != nil {
		s.t.Logf("the disk is never full: prlimit: %v %s", err, out)
		return
	}
	if full {
		for range 3000 {
			if strings.Contains(fmt.Sprint(s.ask("INFO", "persistence")), "aof_last_write_status:err") {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		s.t.Error("the server can still write")
	}
}
