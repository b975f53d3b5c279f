package live

import (
	"context"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

// TestOpenTakesOnlyAnEmptyDatabase: where there is a key, nothing is written.
func TestOpenTakesOnlyAnEmptyDatabase(t *testing.T) {
	s := ours(t)
	for name, test := range map[string]struct{ before, want, after string }{
		"a key":       {"SET mine 1", "database 0 is not empty (keys: 1); use another one", "KEYS *; GET mine"},
		"a marker":    {"SET " + marker + " x", "another run of Lockstep uses database 0, or was killed", "KEYS *; GET " + marker},
		"many keys":   {"MSET a 1 b 2 c 3", "database 0 is not empty (keys: 3)", "DBSIZE; GET a"},
		"not allowed": {"ACL SETUSER default -dbsize", "DBSIZE and EXISTS, which show whether the database is empty: NOPERM", "KEYS *"},
		"no DEL":      {"ACL SETUSER default -del", "take the empty database: NOPERM", "DBSIZE"},
		"no MULTI":    {"ACL SETUSER default -multi", "take the empty database: NOPERM", "DBSIZE"},
		"no SET":      {"ACL SETUSER default -set", "take the empty database: NOPERM", "DBSIZE"},
		"other keys":  {"ACL SETUSER default resetkeys ~app:*", "NOPERM", "DBSIZE"},
	} {
		t.Run(name, func(t *testing.T) {
			ask(t, s, test.before)
			looks := strings.Split(test.after, "; ")
			before := ask(t, s, looks...)
			if _, err := Open(t.Context(), s.target); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
			if after := ask(t, s, looks...); after != before {
				t.Errorf("before it %q, after it %q", before, after)
			}
			ask(t, s, "ACL SETUSER default +@all allkeys", "FLUSHDB")
		})
	}
}

// TestOneRunAtATime: of runs that begin at the same time at most one gets the
// database, and the next one gets it when that has ended.
func TestOneRunAtATime(t *testing.T) {
	s := ours(t)
	const runs = 8
	opened := make(chan *Server, runs)
	for range runs {
		go func() {
			f, _ := Open(t.Context(), s.target)
			opened <- f
		}()
	}
	var first *Server
	for range runs {
		if f := <-opened; f != nil && first != nil {
			t.Error("two runs have the database")
		} else if f != nil {
			first = f
		}
	}
	if first == nil {
		first = foreign(t, s) // all saw another one
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if err := foreign(t, s).Close(); err != nil {
		t.Error(err)
	}
}

// TestCloseDeletesItsKeys and nothing else: neither what came while the run went
// on nor what is in other databases.
func TestCloseDeletesItsKeys(t *testing.T) {
	for name, interrupted := range map[string]bool{"at the end": false, "interrupted": true} {
		t.Run(name, func(t *testing.T) {
			s := ours(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			f := testkit.Must(Open(ctx, s.target))(t)
			c := conn(t, f)
			for _, cmd := range []string{"SET k a", "HSET h f 1", "SET gone b PX 1", "WATCH never"} {
				testkit.Must(c.Do([][]string{strings.Fields(cmd)}, nil))(t)
			}
			ask(t, s, "SET theirs 1")
			if interrupted {
				cancel()
				if _, err := c.Do([][]string{{"SET", "k", "b"}}, nil); err == nil {
					t.Error("it goes on")
				}
			}
			if err := f.Close(); err == nil || !strings.Contains(err.Error(), "others have put keys into database 0 of "+s.String()+", and they are left as they are (1)") {
				t.Errorf("%v", err)
			}
			if left := ask(t, s, "KEYS *", "GET theirs"); left != `["theirs"]; "1"` && left != `[theirs]; 1` {
				t.Errorf("%q", left)
			}
		})
	}
}

// TestBrokenConnection: the error names the keys that may be left.
func TestBrokenConnection(t *testing.T) {
	s := ours(t)
	f := foreign(t, s)
	c := conn(t, f)
	testkit.Must(c.Do([][]string{{"SET", "k", "a"}}, nil))(t)
	s.Stop()
	if _, err := c.Do([][]string{{"GET", "k"}}, nil); err == nil {
		t.Error("the connection outlived its server")
	}
	if err := f.Close(); err == nil || !strings.Contains(err.Error(), "database 0 of "+s.String()+" may still have keys of the run, k, "+marker+": no server") {
		t.Errorf("%v", err)
	}
}

// TestScriptsOfEarlierRuns: a run has to load its scripts, although the server has
// them.
func TestScriptsOfEarlierRuns(t *testing.T) {
	s := ours(t)
	const (
		script = `return redis.call("GET", KEYS[1])`
		sha    = "d1ad8397c172dc0a63e271f0c4c4250ca8d5d1fb"
	)
	for range 2 {
		f := foreign(t, s)
		c := conn(t, f)
		for _, step := range []struct{ cmd, code, want string }{{"EVALSHA", sha, "-NOSCRIPT"}, {"EVAL", script, "$-1"}, {"EVALSHA", sha, "$-1"}} {
			if a, err := c.Do([][]string{{step.cmd, step.code, "1", "k"}}, nil); err != nil || !strings.HasPrefix(string(a.Reply), step.want) {
				t.Errorf("%s: %q, %v; want %s", step.cmd, a.Reply, err, step.want)
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}
