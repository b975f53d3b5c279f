package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ours starts a server for the test, or skips the test.
func ours(t *testing.T) *Server {
	s, err := Start(t.Context(), Fleeting)
	if errors.Is(err, ErrNoRedisServer) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// foreign returns the same server as if Lockstep had not started it.
func foreign(s *Server) *Server { return &Server{target: s.target, version: s.version} }

func space(t *testing.T, s *Server) (*Space, *Conn) {
	sp, err := s.Space(t.Context(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sp.Close() })
	c, err := sp.Dial()
	if err != nil {
		t.Fatal(err)
	}
	return sp, c
}

// TestDo executes the commands of locks on its own server and on a foreign one,
// and compares replies and keys with plain Redis.
func TestDo(t *testing.T) {
	const script = `return redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2])`
	own := ours(t)
	for _, s := range []*Server{own, foreign(own)} {
		t.Run(fmt.Sprintf("own %v", s.Own()), func(t *testing.T) {
			_, c := space(t, s)
			for _, step := range []struct {
				cmds  string // separated by ;
				reply string
				keys  string
			}{
				{"SETNX k a", ":1", "k=a no TTL"},
				{"SETNX k b", ":0", "k=a no TTL"},
				{"EXPIRE k 100", ":1", "k=a TTL"},
				{"GET k", "$1 a", "-"},
				{"SET k b NX PX 5000", "$-1", "k=a TTL"},
				{"SET k b", "+OK", "k=b no TTL"},
				{"MULTI;SETNX k c;EXPIRE k 9;EXEC", "+OK +QUEUED +QUEUED *2 :0 :1", "k=b TTL"},
				{"MULTI;SET k c;DISCARD", "+OK +QUEUED +OK", "-"},
				{"WATCH k", "+OK", "-"},
				{"SET k d", "+OK", "k=d no TTL"},
				{"MULTI;DEL k;EXEC", "+OK +QUEUED *-1", "k=d no TTL"},
				{"WATCH k", "+OK", "-"},
				{"SETNX k e", ":0", "k=d no TTL"},
				{"MULTI;DEL k;EXEC", "+OK +QUEUED *1 :1", ""},
				{"EVALSHA " + sha(script) + " 1 k", "-NOSCRIPT", ""},
				{"HINCRBY h f 2", ":2", "h={f 2} no TTL"},
				{"ZADD z 1.5 a 1 b", ":2", "h={f 2} no TTL, z={b 1 a 1.5} no TTL"},
				{"ZRANK z a", ":1", "-"},
				{"DEL z", ":1", "h={f 2} no TTL"},
				{"RPUSH l x y", ":2", "h={f 2} no TTL, l={x y} no TTL"},
				{"LPOP l", "$1 x", "h={f 2} no TTL, l={y} no TTL"},
				{"DEL h k l", ":2", ""},
				{"INCR", "-ERR", ""},
			} {
				var cmds [][]string
				for _, cmd := range strings.Split(step.cmds, ";") {
					cmds = append(cmds, strings.Fields(cmd))
				}
				a, err := c.Do(cmds)
				if err != nil {
					t.Fatalf("%s: %v", step.cmds, err)
				}
				reply := strings.Join(strings.Fields(string(a.Reply)), " ")
				if reply = strings.NewReplacer("$1 ", "$1 ").Replace(reply); !strings.HasPrefix(reply, step.reply) {
					t.Errorf("%s: %s, want %s", step.cmds, reply, step.reply)
				}
				if got := keysText(a); got != step.keys {
					t.Errorf("%s: keys %q, want %q", step.cmds, got, step.keys)
				}
			}
			if a, err := c.Do([][]string{{"EVAL", script, "1", "k", "x", "900"}}); err != nil || keysText(a) != "k=x TTL" {
				t.Errorf("EVAL: %q, %v, %v", a.Reply, keysText(a), err)
			}
			if a, err := c.Do([][]string{{"EVALSHA", sha(script), "1", "k", "x", "900"}}); err != nil || string(a.Reply) != "$-1\r\n" {
				t.Errorf("EVALSHA: %q, %v", a.Reply, err)
			}
			const named = `redis.call("RPUSH", KEYS[1], KEYS[1] .. "-1") return redis.call("SET", KEYS[2], KEYS[1])`
			if a, err := c.Do([][]string{{"EVAL", named, "2", "l", "k"}}); err != nil || keysText(a) != "k=l no TTL, l={l-1} no TTL" {
				t.Errorf("the names of keys as values: %v, %v", keysText(a), err)
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

// TestGuard: on a foreign server each key has a TTL, and no key is outside the
// prefix.
func TestGuard(t *testing.T) {
	s := foreign(ours(t))
	sp, c := space(t, s)
	w, err := dial(t.Context(), s.target)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	for _, cmd := range []string{"SET k a", "WATCH k", "SET other b", "UNWATCH", "HSET h f 1", "INCR n"} {
		if _, err := c.Do([][]string{strings.Fields(cmd)}); err != nil {
			t.Fatal(err)
		}
	}
	all, err := w.ask("KEYS", "*")
	if err != nil || len(all.Items) != 4 {
		t.Fatalf("%d keys, %v", len(all.Items), err)
	}
	for _, key := range all.Items {
		left, _ := w.ask("PTTL", key.Text)
		if n, _ := left.Number(); n < 1 || n > guardTTL || !strings.HasPrefix(key.Text, sp.prefix) {
			t.Errorf("%s: PTTL %d", key.Text, n)
		}
	}
	if err := sp.Close(); err != nil {
		t.Fatal(err)
	}
	if size, err := w.ask("DBSIZE"); err != nil || size.Text != "0" {
		t.Errorf("DBSIZE after Close: %q, %v", size.Text, err)
	}
}

// TestRefused: commands that could touch other keys, or reveal a guard, are not
// sent.
func TestRefused(t *testing.T) {
	sp := &Space{server: &Server{}, prefix: "p:", scripts: scripts{"", map[string]string{}}}
	for _, cmd := range [][]string{
		{"KEYS", "*"}, {"FLUSHALL"}, {"SCRIPT", "FLUSH"}, {"CONFIG", "GET", "*"}, {"PUBLISH", "c", "m"}, {"SORT", "k"},
		{"TTL", "k"}, {"PERSIST", "k"}, {"SET", "k", "v", "PXAT", "1"}, {"SET", "k", "v", "KEEPTTL"}, {"EXPIRE", "k", "5", "NX"},
		{"EVAL", "return 1"}, {"EVAL", "return 1", "2", "k"}, {"EVAL", "return 1", "x", "k"},
		{"EVAL", `return redis.call("GET", "other")`, "0"},
		{"EVAL", `return redis.call("GET", KEYS[1] .. "x")`, "1", "k"},
		{"EVAL", `return redis.call("DEL", KEYS[1], "other")`, "1", "k"},
		{"EVAL", `local r = redis return r.call("GET", "other")`, "0"},
		{"EVAL", `KEYS[1] = "other" return redis.call("GET", KEYS[1])`, "1", "k"},
		{"EVAL", `table.insert(KEYS, 1, "other") return redis.call("GET", KEYS[1])`, "1", "k"},
		{"EVAL", `return _G["red" .. "is"].call("GET", "other")`, "0"},
		{"EVAL", `return redis.call("FLUSHALL")`, "0"},
		{"EVAL", `return redis.call("KEYS", KEYS[1])`, "1", "*"},
		{"EVAL", `return redis.call("TTL", KEYS[1])`, "1", "k"},
		{"EVAL", "--[[ ]] return 1", "0"},
	} {
		var why *RefusedError
		if _, _, err := sp.own([][]string{cmd}); !errors.As(err, &why) {
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
	if _, err := Open(t.Context(), s.target); err == nil {
		t.Error("it still answers")
	}
}

// TestInterrupted: a space whose context has ended still deletes its keys.
func TestInterrupted(t *testing.T) {
	s := foreign(ours(t))
	ctx, cancel := context.WithCancel(t.Context())
	sp, err := s.Space(ctx, "r1")
	if err != nil {
		t.Fatal(err)
	}
	c, err := sp.Dial()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Do([][]string{{"SET", "k", "a"}}); err != nil {
		t.Fatal(err)
	}
	cancel()
	for range 100 { // until the connection is closed
		if _, err = c.Do([][]string{{"GET", "k"}}); err != nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if err == nil {
		t.Error("the connection goes on")
	}
	if err := sp.Close(); err != nil {
		t.Fatal(err)
	}
	w, err := dial(t.Context(), s.target)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	if size, err := w.ask("DBSIZE"); err != nil || size.Text != "0" {
		t.Errorf("DBSIZE: %q, %v", size.Text, err)
	}
}
