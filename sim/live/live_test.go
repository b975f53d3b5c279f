package live

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"lockstep/internal/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ours starts a server for the test, or skips the test.
func ours(t *testing.T) *Server {
	s, err := Start(t.Context())
	if errors.Is(err, ErrNoRedisServer) {
		t.Skip(err)
	}
	testkit.OK(t, err)
	t.Cleanup(s.Stop)
	return s
}

// foreign takes the same server as if Lockstep had not started it.
func foreign(t *testing.T, s *Server) *Server {
	t.Helper()
	f := testkit.Must(Open(t.Context(), s.target))(t)
	return f
}

// conn returns a connection of a run.
func conn(t *testing.T, s *Server) *Conn {
	t.Helper()
	c := testkit.Must(s.Dial())(t)
	t.Cleanup(s.hangUp)
	return c
}

// ask sends commands beside a run, and returns their replies.
func ask(t *testing.T, s *Server, cmds ...string) string {
	t.Helper()
	w := testkit.Must(dial(t.Context(), s.target))(t)
	defer w.close()
	var texts []string
	for _, cmd := range cmds {
		v := testkit.Must(w.ask(strings.Fields(cmd)...))(t)
		texts = append(texts, v.Shown())
	}
	return strings.Join(texts, "; ")
}

// conversation has commands of locks, what the reply begins with, and the keys then;
// nothing for one that writes none.
const conversation = `SETNX k a | :1 | k=a no TTL
SETNX k b | :0 | k=a no TTL
EXPIRE k 100 | :1 | k=a TTL
GET k | $1 a | k=a TTL
SET k b NX PX 5000 | $-1 | k=a TTL
SET k b | +OK | k=b no TTL
MULTI;SETNX k c;EXPIRE k 9;EXEC | +OK +QUEUED +QUEUED *2 :0 :1 | k=b TTL
MULTI;SET k c;DISCARD | +OK +QUEUED +OK | -
WATCH k | +OK | -
SET k d | +OK | k=d no TTL
MULTI;DEL k;EXEC | +OK +QUEUED *-1 | -
WATCH k | +OK | -
SETNX k e | :0 | k=d no TTL
MULTI;DEL k;EXEC | +OK +QUEUED *1 :1 | 
EVALSHA 8e7bac5a108a6c15735d63c82d7267ea1b9a95fb 1 k | -NOSCRIPT | 
HINCRBY h f 2 | :2 | h={f 2} no TTL
ZADD z 1.5 a 1 b | :2 | h={f 2} no TTL, z={b 1 a 1.5} no TTL
ZRANK z a | :1 | h={f 2} no TTL, z={b 1 a 1.5} no TTL
DEL z | :1 | h={f 2} no TTL
RPUSH l x y | :2 | h={f 2} no TTL, l={x y} no TTL
LPOP l | $1 x | h={f 2} no TTL, l={y} no TTL
DEL h k l | :2 | 
INCR | -ERR | -
MULTI;INCR;EXEC | +OK -ERR | -
INCR h h | -ERR | -`

// TestDo executes the commands of locks on its own server and on a foreign one,
// and compares replies and keys with plain Redis.
func TestDo(t *testing.T) {
	const (
		script = `return redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2])`
		sha    = "8e7bac5a108a6c15735d63c82d7267ea1b9a95fb"
	)
	for _, own := range []bool{true, false} {
		t.Run(fmt.Sprintf("own %v", own), func(t *testing.T) {
			s := ours(t)
			if !own {
				s = foreign(t, s)
			}
			c := conn(t, s)
			for _, row := range strings.Split(conversation, "\n") {
				step := strings.Split(row, " | ")
				var cmds [][]string
				for _, cmd := range strings.Split(step[0], ";") {
					cmds = append(cmds, strings.Fields(cmd))
				}
				a, err := c.Do(cmds, nil)
				if err != nil {
					t.Fatalf("%s: %v", step[0], err)
				}
				reply := strings.Join(strings.Fields(string(a.Reply)), " ")
				if reply = strings.NewReplacer("$1 ", "$1 ").Replace(reply); !strings.HasPrefix(reply, step[1]) {
					t.Errorf("%s: %s, want %s", step[0], reply, step[1])
				}
				if got := keysText(a); got != step[2] && (own || step[1] != "-NOSCRIPT") {
					t.Errorf("%s: keys %q, want %q", step[0], got, step[2])
				}
			}
			for _, cmd := range [][]string{{"EVAL", script, "1", "k", "x", "900"}, {"EVALSHA", sha, "1", "k", "x", "900"}} {
				if a, err := c.Do([][]string{cmd}, nil); err != nil || keysText(a) != "k=x TTL" {
					t.Errorf("%s: %q, %v, %v", cmd[0], a.Reply, keysText(a), err)
				}
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func keysText(a Answer) string {
	if !a.Wrote {
		return "-"
	}
	var texts []string
	for _, k := range a.Keys {
		text := k.Name + "=" + k.Value
		if k.Type != "string" {
			text = fmt.Sprintf("%s={%s}", k.Name, strings.Join(k.Fields, " "))
		}
		if k.Deadline < 0 {
			text += " no TTL"
		} else {
			text += " TTL"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// TestRests: before a command the server has the TTLs of the world, to the
// millisecond, and its own time ends no key.
func TestRests(t *testing.T) {
	s := ours(t)
	c := conn(t, s)
	do := func(rests Rests, cmds ...string) Answer {
		t.Helper()
		var words [][]string
		for _, cmd := range cmds {
			words = append(words, strings.Fields(cmd))
		}
		a := testkit.Must(c.Do(words, rests))(t)
		return a
	}
	do(nil, "SET k a PX 1")
	do(nil, "SET other b")
	time.Sleep(5 * time.Millisecond)
	for rest, want := range map[int64]string{0: ":1\r\n", 1: ":1\r\n", 7000: ":7000\r\n"} {
		a := do(Rests{"k": rest}, "PTTL k")
		for n := 1; string(a.Reply) != want && n < 5; n++ { // before Redis 7.2, a millisecond can begin inside of a transaction
			a = do(Rests{"k": rest}, "PTTL k")
		}
		if string(a.Reply) != want || len(a.Keys) != 2 || !a.Keys[0].Kept {
			t.Errorf("a rest of %d: %q, %+v", rest, a.Reply, a.Keys)
		}
	}
	if a := do(Rests{"k": 500}, "PEXPIRE k 400"); a.Keys[0].Kept || a.Keys[0].Deadline-a.Before > 401 {
		t.Errorf("%+v", a)
	}
	do(Rests{"k": 400}, "WATCH k")
	if _, err := c.Do([][]string{{"PTTL", "k"}}, Rests{"k": 300}); !errors.As(err, new(*RefusedError)) {
		t.Errorf("PTTL: %v", err)
	}
	if a := do(Rests{"k": 300}, "MULTI", "GET k", "EXEC"); !strings.HasSuffix(string(a.Reply), "a\r\n") {
		t.Errorf("time ended the WATCH: %q", a.Reply)
	}
	do(Rests{"k": 300}, "WATCH k")
	if a := do(Rests{"k": -1}, "MULTI", "GET k", "EXEC"); !strings.HasSuffix(string(a.Reply), "*-1\r\n") {
		t.Errorf("the end of the key did not end the WATCH: %q", a.Reply)
	}
	if a := do(nil, "GET k"); string(a.Reply) != "$-1\r\n" || len(a.Keys) != 1 {
		t.Errorf("after its end: %+v", a)
	}
}

const refusedCommands = `KEYS | *
FLUSHALL
SCRIPT | FLUSH
CONFIG | GET | *
PUBLISH | c | m
SORT | k
FLUSHDB
SELECT | 1
MOVE | k | 1
COPY | k | l | DB | 1
SWAPDB | 0 | 1
SET | k | v | PXAT | 1
EVAL | return 1
EVAL | return 1 | 2 | k
EVAL | return 1 | x | k
EVAL | return redis.call("GET", "other") | 0
EVAL | return redis.call("GET", KEYS[1] .. "x") | 1 | k
EVAL | return redis.call("DEL", KEYS[1], "other") | 1 | k
EVAL | local r = redis return r.call("GET", "other") | 0
EVAL | return redis.call("FLUSHALL") | 0
EVAL | return redis.call("SELECT", KEYS[1]) | 1 | 1
EVAL | return redis.call("SELECT", 1) | 1 | k
EVAL | return redis.call(ARGV[1], KEYS[1]) | 1 | k | MOVE
EVAL | return redis.call("KEYS", KEYS[1]) | 1 | *`

// TestRefused: commands that could touch more than the keys that they name are not sent.
func TestRefused(t *testing.T) {
	for _, row := range strings.Split(refusedCommands, "\n") {
		cmd := strings.Split(row, " | ")
		var why *RefusedError
		if _, err := keysOf(cmd); !errors.As(err, &why) {
			t.Errorf("%q: %v", cmd, err)
		}
	}
}

// TestStopEndsTheServer: neither process nor folder is left.
func TestStopEndsTheServer(t *testing.T) {
	s := ours(t)
	s.Stop()
	if _, err := os.Stat(s.process.dir); !os.IsNotExist(err) {
		t.Errorf("its folder: %v", err)
	}
	if _, err := dial(t.Context(), s.target); err == nil {
		t.Error("it still answers")
	}
}
