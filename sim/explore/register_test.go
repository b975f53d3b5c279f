package explore_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/server"
	"lockstep/sim/world"
	"lockstep/strategies"
)

// This file follows "To add a kind of server" in CONTRIBUTING.md with a toy: a
// register with compare-and-set, as Kubernetes' Lease, DynamoDB and SQL have one.

const register sim.ServerKind = "register"

func init() {
	server.Register(register, func(history.Config) server.Value { return cells{} })
	program.Register(register, func() program.Dialect { return lines{} })
}

// cells is a node as a value. It understands
//
//	get KEY                   none, or VERSION VALUE
//	create KEY VALUE          ok, or exists
//	update KEY VERSION VALUE  ok, or conflict; any version is -1
type cells struct {
	list   []cell // sorted by key
	health sim.Health
}

type cell struct {
	key, value string
	version    int
}

func (c cells) find(key string) (int, bool) {
	return slices.BinarySearchFunc(c.list, key, func(x cell, key string) int { return strings.Compare(x.key, key) })
}

// shown returns a cell as a history shows it; an empty one is a free lock.
func (x cell) shown() *history.KeyState {
	if x.value == "" {
		return nil
	}
	return &history.KeyState{Type: "string", Value: x.value}
}

// Execute is Value's.
func (c cells) Execute(_, _ string, units []sim.Unit, _ history.Millis) (server.Value, []sim.Executed, error) {
	var done []sim.Executed
	for _, u := range units {
		var x sim.Executed
		c, x = c.execute(u.Cmds[0])
		x.Raw = []byte(x.Reply + "\n")
		done = append(done, x)
	}
	return c, done, nil
}

func (c cells) execute(cmd []string) (cells, sim.Executed) {
	i, there := c.find(cmd[1])
	var before cell
	if there {
		before = c.list[i]
	}
	after := cell{cmd[1], cmd[len(cmd)-1], before.version + 1}
	switch {
	case cmd[0] == "get" && !there:
		return c, sim.Executed{Reply: "none"}
	case cmd[0] == "get":
		return c, sim.Executed{Reply: fmt.Sprint(before.version, " ", before.value)}
	case cmd[0] == "create" && there:
		return c, sim.Executed{Reply: "exists"}
	case cmd[0] == "update" && (!there || cmd[2] != "-1" && cmd[2] != strconv.Itoa(before.version)):
		return c, sim.Executed{Reply: "conflict"}
	}
	c.list = slices.Clone(c.list)
	if !there {
		c.list = slices.Insert(c.list, i, cell{})
	}
	c.list[i] = after
	x := sim.Executed{Reply: "ok"}
	if was, is := before.shown(), after.shown(); was != nil || is != nil {
		x.Changes = []history.Change{{Key: after.key, Before: was, After: is}}
	}
	return c, x
}

// Append is Value's.
func (c cells) Append(b []byte) []byte { return fmt.Appendf(b, "%#v", c) }

// List is Value's.
func (c cells) List() (views []server.KeyView) {
	for _, x := range c.list {
		if s := x.shown(); s != nil {
			views = append(views, server.KeyView{Key: x.key, State: *s})
		}
	}
	return views
}

// Fault is Value's. What it stores survives a restart.
func (c cells) Fault(a history.Action, _ history.Millis) (server.Value, sim.Happened) {
	switch a.Verb {
	case history.Restart, history.Down, history.Up:
		c.health.Life++
		c.health.Down = a.Verb == history.Down
	case history.Wipe:
		c = cells{health: c.health}
		c.health.Life++
	case history.Slow, history.Fast:
		c.health.Slow = a.Verb == history.Slow
	}
	return c, sim.Happened{}
}

// The rest is Value's. It has no replica, evicts nothing, sends nothing by itself
// and knows no time.
func (c cells) Same(server.Value) bool                           { return false }
func (c cells) Condition() sim.Health                            { return c.health }
func (c cells) Missed() int                                      { return 0 }
func (c cells) Has(string) bool                                  { return false }
func (c cells) Timed([]sim.Unit, func(string) bool) bool         { return false }
func (c cells) NextExpiry() (history.Millis, bool)               { return 0, false }
func (c cells) Pass(history.Millis) (server.Value, sim.Happened) { return c, sim.Happened{} }
func (c cells) Unread(string) (sim.Message, bool)                { return sim.Message{}, false }
func (c cells) Take(string) server.Value                         { return c }
func (c cells) Broken(string) bool                               { return false }
func (c cells) Forget(func(string) bool) server.Value            { return c }
func (c cells) Attend(string, sim.Attendance) server.Value       { return c }
func (c cells) Shift(history.Millis) server.Value                { return c }

// lines is the Dialect: a request is a line of words.
type lines struct{}

// Requests is Dialect's.
func (lines) Requests(written *bytes.Buffer) (units []sim.Unit, answered []byte, err error) {
	for {
		line, rest, whole := bytes.Cut(written.Bytes(), []byte("\n"))
		if !whole {
			return units, nil, nil
		}
		cmds := [][]string{strings.Split(string(line), " ")}
		written.Next(written.Len() - len(rest))
		units = append(units, sim.Unit{Cmds: cmds, Shown: cmds})
	}
}

// Replies is Dialect's.
func (lines) Replies(sent []byte) []byte { return sent }

// A registerLock is a lease in a register: its value is the token of its owner
// and the end of the lease on the owner's clock, or empty.
type registerLock struct {
	strategies.Env
	blind bool // it updates whatever the version is
	conn  net.Conn
}

// ask sends a request over a connection of its own, and returns the words of the
// reply.
func (l *registerLock) ask(words ...any) ([]string, error) {
	if l.conn == nil {
		l.conn = l.Dial()
	}
	line, err := "", error(nil)
	if _, err = fmt.Fprintln(l.conn, words...); err == nil {
		line, err = bufio.NewReader(l.conn).ReadString('\n')
	}
	if err != nil {
		_ = l.conn.Close()
		l.conn = nil
		return nil, strategies.Outcome(err)
	}
	return strings.Split(strings.TrimSuffix(line, "\n"), " "), nil
}

// Lock is strategies.Lock's.
func (l *registerLock) Lock(context.Context) (strategies.Grant, error) {
	is, err := l.ask("get", l.Key)
	if err != nil {
		return strategies.Grant{}, err
	}
	token, now := l.Token(), l.Clock.Now()
	value := fmt.Sprint(token, "@", now.Add(l.TTL).UnixMilli())
	request := []any{"create", l.Key, value}
	if is[0] != "none" {
		if _, until, held := strings.Cut(is[1], "@"); held && until >= strconv.FormatInt(now.UnixMilli(), 10) {
			return strategies.Grant{}, strategies.ErrNotAcquired
		}
		request = []any{"update", l.Key, is[0], value}
		if l.blind {
			request[2] = -1
		}
	}
	done, err := l.ask(request...)
	if err == nil && done[0] != "ok" {
		err = strategies.ErrNotAcquired
	}
	return strategies.Grant{Token: token}, err
}

// Unlock is strategies.Lock's.
func (l *registerLock) Unlock(_ context.Context, g strategies.Grant) error {
	is, err := l.ask("get", l.Key)
	if err != nil {
		return err
	}
	if len(is) < 2 || !strings.HasPrefix(is[1], g.Token+"@") {
		return strategies.ErrLost
	}
	done, err := l.ask("update", l.Key, is[0], "")
	if err == nil && done[0] != "ok" {
		err = strategies.ErrLost
	}
	return err
}

// TestRegister: a lock that updates without the version breaks mutual exclusion
// under contention, once the register exists; with the version it holds.
func TestRegister(t *testing.T) {
	for _, blind := range []bool{true, false} {
		lock := explore.Lock{ID: map[bool]string{true: "register-blind", false: "register"}[blind], Subject: program.Subject{Nodes: 1, Server: register, New: func(env strategies.Env) strategies.Lock {
			return &registerLock{Env: env, blind: blind}
		}}}
		h, _ := explore.FindHazard("contention")
		h.Set = func(c *history.Config) { c.Rounds = 2 }
		report := testkit.Must(explore.Check(t.Context(), h, lock, explore.Options{}, "A", "B"))(t)
		broken := slices.ContainsFunc(report.Found, func(f explore.Found) bool { return f.Violation.Invariant == history.MutualExclusion })
		if broken != blind || report.Limit != "" {
			t.Errorf("%s: breaks mutual exclusion: %t; limit %q, %d states, %+v", lock.ID, broken, report.Limit, report.States, report.Found)
		}
		for _, f := range report.Found { // also in a world, whose code and node are live
			w, err := world.New(report.Config, lock.Subject)
			if err == nil {
				err = w.Run(f.Schedule)
			}
			testkit.OK(t, err)
			if found := history.Check(w.History()); f.Violation.Invariant == history.MutualExclusion && len(found) == 0 {
				t.Errorf("%s: nothing is violated by %v", lock.ID, f.Schedule)
			}
			w.Close()
		}
		t.Logf("%s: %d states, %d violations", lock.ID, report.States, len(report.Found))
	}
}
