package guest

import (
	"context"
	"fmt"
	"net"
	"testing"

	"github.com/redis/go-redis/v9"
)

// What is made before any run.
var (
	made  int
	value = OnceValue(func() int { made++; return made })
	pair  = OnceValues(func() (int, error) { made++; return made, nil })
	does  = OnceFunc(func() { made++ })

	dialed []string
	_      = func() bool {
		Options = func(o *redis.Options) *redis.Options {
			return &redis.Options{DialerRetries: 1, MaxRetries: -1, Dialer: func(context.Context, string, string) (net.Conn, error) {
				dialed = append(dialed, o.Addr)
				return nil, net.ErrClosed
			}}
		}
		return true
	}()
	plain     = NewClient(&redis.Options{Addr: "plain:1", MinIdleConns: 8})
	universal = NewUniversalClient(&redis.UniversalOptions{Addrs: []string{"universal:1"}})
	failover  = NewUniversalClient(&redis.UniversalOptions{MasterName: "master", Addrs: []string{"sentinel:1", "sentinel:2"}})
)

// TestOnceInEachRun: a function of sync's runs once in each run, in whatever order runs take turns.
func TestOnceInEachRun(t *testing.T) {
	var a, b Vars
	for i, step := range []struct {
		run  *Vars
		want string
	}{
		{&a, "1 2 3"}, {&a, "1 2 3"}, {&b, "4 5 6"}, {&a, "1 2 6"}, {&b, "4 5 6"},
	} {
		step.run.Enter()
		n := value()
		m, _ := pair()
		does()
		if got := fmt.Sprint(n, m, made); got != step.want {
			t.Errorf("step %d: %s, want %s", i, got, step.want)
		}
	}
}

// TestClientOfEachRun: a client that is made before any run has a pool of its own in each, and dials
// as Options says, only when it is used. One with a dialer of its own is left alone.
func TestClientOfEachRun(t *testing.T) {
	var a, b Vars
	for _, run := range []*Vars{&a, &b, &a} {
		run.Enter()
		for _, c := range []redis.UniversalClient{plain, universal, failover} {
			_ = c.Get(t.Context(), "x").Err() // it is not connected
		}
	}
	if got, want := fmt.Sprint(dialed), "[plain:1 universal:1 master "; got[:len(want)] != want || len(dialed) != 9 {
		t.Errorf("%d, %s", len(dialed), got)
	}
	kept := NewClient(&redis.Options{Dialer: func(context.Context, string, string) (net.Conn, error) { return nil, context.Canceled }, MaxRetries: -1, DialerRetries: 1})
	_ = kept.Get(t.Context(), "x").Err()
	if len(dialed) != 9 {
		t.Error("its dialer was replaced")
	}
	a.Enter()
	pool := plain.PoolStats().Misses
	b.Enter()
	if other := plain.PoolStats().Misses; pool != 2 || other != 1 {
		t.Errorf("%d and %d connections were asked for", pool, other)
	}
}
