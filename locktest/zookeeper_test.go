package locktest

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"lockstep/internal/testkit"
	"lockstep/strategies"
)

// A znodeLock is one ephemeral node, below a parent that it makes: whoever creates
// it has the lock.
type znodeLock struct {
	zk    *zk.Conn
	path  string
	wrong znodeMistake
}

type znodeMistake string

const (
	noMistake     znodeMistake = "none"
	persistent    znodeMistake = "a node that outlives its session"
	deletesAnyway znodeMistake = "a refusal that deletes"
	ofItsOwn      znodeMistake = "every client has a node of its own"
)

func (l *znodeLock) Lock(context.Context) error {
	var flags int32 = zk.FlagEphemeral
	switch l.wrong {
	case persistent:
		flags = 0
	case ofItsOwn:
		flags |= zk.FlagSequence
	}
	_, err := l.zk.Create(path.Dir(l.path), nil, 0, zk.WorldACL(zk.PermAll))
	if err != nil && !errors.Is(err, zk.ErrNodeExists) {
		return err
	}
	_, err = l.zk.Create(l.path, nil, flags, zk.WorldACL(zk.PermAll))
	if errors.Is(err, zk.ErrNodeExists) && l.wrong == deletesAnyway {
		_ = l.zk.Delete(l.path, -1)
	}
	return err
}

func (l *znodeLock) Unlock(context.Context) error { return l.zk.Delete(l.path, -1) }

// TestZnodes: a lock of an ephemeral node holds where nothing fails; each mistake
// in it is found.
func TestZnodes(t *testing.T) {
	testkit.Single(t)
	for _, test := range testkit.Some(t, []struct {
		wrong  znodeMistake
		hazard Hazard
		want   string // among what is found; "" for nothing at all
	}{
		{noMistake, Reentry, ""},
		{noMistake, Overrun, ""},
		{noMistake, Contention, ""},
		{noMistake, Hang, ""},
		{noMistake, LostReply, "lost-reply self-deadlock"},
		{noMistake, Crash, ""},
		{deletesAnyway, Contention, "contention foreign-release"},
		{persistent, Crash, "crash phantom-hold"}, // the search ends at it, before the lock is seen not to recover
		{ofItsOwn, Contention, "contention phantom-hold"},
	}, 4, 4) {
		t.Run(string(test.wrong)+" "+test.hazard.String(), func(t *testing.T) {
			found := foundOnZooKeeper(t, func(c Client) (Lock, error) {
				return &znodeLock{c.ZooKeeper, c.Key, test.wrong}, nil
			}, RefusedBy(zk.ErrNodeExists), Hazards(test.hazard))
			if test.want == "" && len(found) > 0 || test.want != "" && !slices.Contains(found, test.want) {
				t.Errorf("found %s, want %q", strings.Join(found, ", "), test.want)
			}
		})
	}
}

// foundOnZooKeeper lists what the contract of a lock on ZooKeeper does not allow, as
// violations does.
func foundOnZooKeeper(t *testing.T, f Factory, opts ...Option) []string {
	t.Helper()
	o := defaults()
	for _, opt := range append([]Option{ZooKeeper("/locks/stock")}, opts...) {
		opt(&o)
	}
	if o.settle(); o.err != nil {
		t.Fatal(o.err)
	}
	return violationsOf(t, f, &o)
}

// TestStrategyOnZooKeeper: so is a lock of the catalogue.
func TestStrategyOnZooKeeper(t *testing.T) {
	testkit.Single(t)
	info, _ := strategies.Find("zk-sequential")
	for _, addresses := range []int{1, 3} {
		if found := foundOnZooKeeper(t, Strategy(info.New), ZooKeeper("/lock"), Addresses(addresses), Hazards(Contention)); len(found) > 0 {
			t.Errorf("%d addresses: found %v", addresses, found)
		}
	}
}

// TestZooKeeperOptions: what does not fit is told with what would.
func TestZooKeeperOptions(t *testing.T) {
	at := ZooKeeper("/locks/stock")
	for _, test := range []struct {
		options []Option
		want    string // "" for no error
	}{
		{[]Option{at}, ""},
		{[]Option{Addresses(3), at, TTL(4 * time.Second), Strict()}, ""},
		{[]Option{ZooKeeper("lock:stock")}, `ZooKeeper: "lock:stock" is not the path of a lock; use one such as /locks/stock`},
		{[]Option{ZooKeeper("/")}, `ZooKeeper: "/" is not the path of a lock; use one such as /locks/stock`},
		{[]Option{ZooKeeper("")}, `ZooKeeper: "" is not the path of a lock; use one such as /locks/stock`},
		{[]Option{ZooKeeper("/locks/")}, `ZooKeeper: "/locks/" is not the path of a lock; use one such as /locks/stock`},
		{[]Option{ZooKeeper("/locks/..")}, `ZooKeeper: "/locks/.." is not the path of a lock; use one such as /locks/stock`},
		{[]Option{at, Addresses(2)}, "Addresses: 2; use 1 or 3"},
		{[]Option{Addresses(3)}, "Addresses: 3, and the lock is on Redis; use Nodes, or say with ZooKeeper where the lock is"},
		{[]Option{at, Nodes(3)}, "Nodes: 3, and the lock is on ZooKeeper, which is one ensemble; use Addresses"},
		{[]Option{at, Key("/locks/stock")}, `Key: "/locks/stock", and ZooKeeper: "/locks/stock"; use ZooKeeper for a lock on ZooKeeper, Key for one on Redis`},
		{[]Option{at, Retries(2)}, "Retries: 2, and the lock is on ZooKeeper; only go-redis retries commands"},
		{[]Option{at, TTL(time.Second)}, "TTL: 1s; a session lasts 4s to 40s"},
	} {
		o := defaults()
		for _, opt := range test.options {
			opt(&o)
		}
		o.settle()
		got := ""
		if o.err != nil {
			got = o.err.Error()
		}
		if got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// TestContractOfSessions: with ZooKeeper, the contract is that of a session, whatever
// the order of the options.
func TestContractOfSessions(t *testing.T) {
	at, own := ZooKeeper("/locks/stock"), Allow(Leak, "a test", Crash)
	for _, test := range []struct {
		options []Option
		usual   bool
	}{
		{[]Option{own, at}, true},
		{[]Option{at, own}, true},
		{[]Option{at, Strict(), own}, false},
		{[]Option{own, Strict(), at}, false},
	} {
		o := defaults()
		for _, opt := range test.options {
			opt(&o)
		}
		o.settle()
		has := map[string]bool{}
		for _, a := range o.plan.Contract {
			has[a.Hazard+" "+a.Invariant] = true
		}
		if has["hang lock-recovers"] != test.usual || has["hang mutual-exclusion"] || !has["crash leak"] {
			t.Errorf("%v", o.plan.Contract)
		}
	}
}
