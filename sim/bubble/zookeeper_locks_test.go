package bubble_test

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/go-zookeeper/zk"

	"lockstep/sim"
	"lockstep/sim/bubble"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/strategies"
)

// This file has locks on ZooKeeper, by the unmodified go-zookeeper/zk, and what the
// explorer finds in them. They are not in the catalogue yet.

// ZKEphemeral is one ephemeral node: whoever creates it has the lock, and everybody else watches it.
//
// Claim:  "The node goes with its holder's session: no orphan, no TTL to choose."
// Breaks: each release wakes all who wait, and all but one wait again; a pause ends the session under its holder.
// See:    stories/a_release_wakes_the_herd.txt
// Fix:    zk-sequential
type ZKEphemeral struct{ strategies.Env }

func (l *ZKEphemeral) Lock(ctx context.Context) (strategies.Grant, error) {
	for {
		_, err := l.ZooKeeper.(*zk.Conn).Create(l.Key, nil, zk.FlagEphemeral, zk.WorldACL(zk.PermAll))
		if err == nil {
			return strategies.Grant{Token: l.Key}, nil
		}
		if !errors.Is(err, zk.ErrNodeExists) {
			return strategies.Grant{}, zkOutcome(err)
		}
		// BUG(lesson): everybody watches the same node.
		exists, _, gone, err := l.ZooKeeper.(*zk.Conn).ExistsW(l.Key)
		if err != nil {
			return strategies.Grant{}, zkOutcome(err)
		}
		if exists {
			<-gone
		}
	}
}

func (l *ZKEphemeral) Unlock(ctx context.Context, _ strategies.Grant) error {
	return zkOutcome(l.ZooKeeper.(*zk.Conn).Delete(l.Key, -1))
}

// zkOutcome wraps an error of the library: after a lost connection nobody knows
// what the server has done, and with the session its ephemeral nodes are gone.
func zkOutcome(err error) error {
	switch {
	case errors.Is(err, zk.ErrConnectionClosed):
		return errors.Join(strategies.ErrUnknown, err)
	case errors.Is(err, zk.ErrSessionExpired), errors.Is(err, zk.ErrNoNode):
		return errors.Join(strategies.ErrLost, err)
	}
	return err
}

// ZKSequential queues by the recipe: a numbered ephemeral node each, and each client watches the one before its own.
//
// Claim:  "Fair, no orphan, and a release wakes the next client only."
// Breaks: a pause that outlasts the session ends the lock under its holder, who does not know.
// See:    stories/a_pause_ends_the_session.txt
// Fix:    zk-sequential-fenced
type ZKSequential struct{ strategies.Env }

func (l *ZKSequential) Lock(ctx context.Context) (strategies.Grant, error) {
	mine, err := l.enqueue()
	if err != nil {
		return strategies.Grant{}, zkOutcome(err)
	}
	for {
		_, before, err := l.place(mine)
		if err != nil {
			return strategies.Grant{}, zkOutcome(err)
		}
		if before == "" {
			return strategies.Grant{Token: mine}, nil
		}
		exists, _, gone, err := l.ZooKeeper.(*zk.Conn).ExistsW(path.Join(l.Key, before))
		if err != nil {
			return strategies.Grant{}, zkOutcome(err)
		}
		if exists { // otherwise it went before the watch was set
			<-gone
		}
	}
}

// enqueue creates the client's node. Its name has a random part, by which the
// library finds it if the reply is lost.
func (l *ZKSequential) enqueue() (string, error) {
	acl := zk.WorldACL(zk.PermAll)
	mine, err := l.ZooKeeper.(*zk.Conn).CreateProtectedEphemeralSequential(l.Key+"/n-", nil, acl)
	if !errors.Is(err, zk.ErrNoNode) {
		return mine, err
	}
	if _, err := l.ZooKeeper.(*zk.Conn).Create(l.Key, nil, 0, acl); err != nil && !errors.Is(err, zk.ErrNodeExists) {
		return "", err
	}
	return l.ZooKeeper.(*zk.Conn).CreateProtectedEphemeralSequential(l.Key+"/n-", nil, acl)
}

// place returns the first node of the queue, and the one before the client's
// own; "" if it is the first.
func (l *ZKSequential) place(mine string) (first, before string, err error) {
	queue, _, err := l.ZooKeeper.(*zk.Conn).Children(l.Key)
	if err != nil {
		return "", "", err
	}
	number := func(node string) string { return node[strings.LastIndex(node, "-")+1:] }
	slices.SortFunc(queue, func(a, b string) int { return strings.Compare(number(a), number(b)) })
	at := slices.Index(queue, path.Base(mine))
	if at < 0 {
		return "", "", zk.ErrSessionExpired // the node went with its session
	}
	if at == 0 {
		return queue[0], "", nil
	}
	return queue[0], queue[at-1], nil
}

func (l *ZKSequential) Unlock(ctx context.Context, g strategies.Grant) error {
	return zkOutcome(l.ZooKeeper.(*zk.Conn).Delete(g.Token, -1))
}

// ZKBlind is the recipe with one mistake: it does not look whether the node that it watches is still there.
//
// Claim:  "Fair, no orphan, and a release wakes the next client only."
// Breaks: a node that goes between the list and the watch never wakes anybody.
// See:    stories/a_node_goes_before_the_watch.txt
// Fix:    zk-sequential
type ZKBlind struct{ ZKSequential }

func (l *ZKBlind) Lock(ctx context.Context) (strategies.Grant, error) {
	mine, err := l.enqueue()
	if err != nil {
		return strategies.Grant{}, zkOutcome(err)
	}
	for {
		_, before, err := l.place(mine)
		if err != nil {
			return strategies.Grant{}, zkOutcome(err)
		}
		if before == "" {
			return strategies.Grant{Token: mine}, nil
		}
		_, _, gone, err := l.ZooKeeper.(*zk.Conn).ExistsW(path.Join(l.Key, before))
		if err != nil {
			return strategies.Grant{}, zkOutcome(err)
		}
		// BUG(lesson): the node may be gone already; then this waits for its creation.
		<-gone
	}
}

// ZKUnprotected is the recipe with one mistake: the name of its node has no random part.
//
// Claim:  "Fair, no orphan, and a create whose reply was lost is simply sent again."
// Breaks: the first create took effect: the client then waits for its own node, as long as its session lives.
// See:    stories/a_lost_reply_queues_twice.txt
// Fix:    zk-sequential
type ZKUnprotected struct{ ZKSequential }

func (l *ZKUnprotected) Lock(ctx context.Context) (strategies.Grant, error) {
	mine, err := l.enqueue()
	if errors.Is(err, zk.ErrConnectionClosed) {
		// BUG(lesson): nobody knows whether the first one was created.
		mine, err = l.enqueue()
	}
	if err != nil {
		return strategies.Grant{}, zkOutcome(err)
	}
	for {
		_, before, err := l.place(mine)
		if err != nil {
			return strategies.Grant{}, zkOutcome(err)
		}
		if before == "" {
			return strategies.Grant{Token: mine}, nil
		}
		exists, _, gone, err := l.ZooKeeper.(*zk.Conn).ExistsW(path.Join(l.Key, before))
		if err != nil {
			return strategies.Grant{}, zkOutcome(err)
		}
		if exists {
			<-gone
		}
	}
}

// enqueue creates the client's node under a plain name.
func (l *ZKUnprotected) enqueue() (string, error) {
	acl, flags := zk.WorldACL(zk.PermAll), int32(zk.FlagEphemeral|zk.FlagSequence)
	mine, err := l.ZooKeeper.(*zk.Conn).Create(l.Key+"/n-", nil, flags, acl)
	if !errors.Is(err, zk.ErrNoNode) {
		return mine, err
	}
	if _, err := l.ZooKeeper.(*zk.Conn).Create(l.Key, nil, 0, acl); err != nil && !errors.Is(err, zk.ErrNodeExists) {
		return "", err
	}
	return l.ZooKeeper.(*zk.Conn).Create(l.Key+"/n-", nil, flags, acl)
}

// ZKLock is the lock of the library itself, go-zookeeper/zk.
//
// Claim:  "The recipe, from the library's authors: nothing to get wrong."
// Breaks: a pause that outlasts the session ends the lock under its holder, who does not know.
// See:    stories/the_librarys_lock_after_a_pause.txt
// Fix:    zk-sequential-fenced
type ZKLock struct {
	strategies.Env
	held *zk.Lock
}

func (l *ZKLock) Lock(ctx context.Context) (strategies.Grant, error) {
	held := zk.NewLock(l.ZooKeeper.(*zk.Conn), l.Key, zk.WorldACL(zk.PermAll))
	if err := held.Lock(); err != nil {
		return strategies.Grant{}, zkOutcome(err)
	}
	l.held = held
	return strategies.Grant{}, nil
}

func (l *ZKLock) Unlock(ctx context.Context, _ strategies.Grant) error {
	return zkOutcome(l.held.Unlock())
}

// ZKSequentialFenced numbers each lease by the transaction that created its node, and the resource refuses an older number.
//
// Claim:  "A session may end under its holder: no stale write is accepted."
// Breaks: two clients can still work at once; only what they write is ordered.
// See:    stories/the_creation_number_fences.txt
// Fix:    optimistic-version
type ZKSequentialFenced struct{ ZKSequential }

func (l *ZKSequentialFenced) Lock(ctx context.Context) (strategies.Grant, error) {
	g, err := l.ZKSequential.Lock(ctx)
	if err != nil {
		return strategies.Grant{}, err
	}
	exists, stat, err := l.ZooKeeper.(*zk.Conn).Exists(g.Token)
	if err != nil {
		return strategies.Grant{}, zkOutcome(err)
	}
	if !exists {
		return strategies.Grant{}, strategies.ErrLost
	}
	g.Fence = stat.Czxid
	return g, nil
}

// zkSubject is a lock on ZooKeeper.
func zkSubject(make func(strategies.Env) strategies.Lock) program.Subject {
	return program.Subject{New: make, Nodes: 1, Server: sim.ZooKeeper, Key: "/lock", Start: bubble.Start}
}

// TestZooKeeperLocks: what the explorer finds in locks on ZooKeeper.
func TestZooKeeperLocks(t *testing.T) {
	for _, test := range []struct {
		name, hazard string
		make         func(strategies.Env) strategies.Lock
		violates     []string // in the order of history.Invariants
	}{
		{"ephemeral", "contention", func(e strategies.Env) strategies.Lock { return &ZKEphemeral{e} }, nil},
		{"blind", "contention", func(e strategies.Env) strategies.Lock { return &ZKBlind{ZKSequential{Env: e}} }, []string{history.LockRecovers}},
		{"sequential", "contention", func(e strategies.Env) strategies.Lock { return &ZKSequential{Env: e} }, nil},
	} {
		t.Run(test.name+" "+test.hazard, func(t *testing.T) {
			h, _ := explore.FindHazard(test.hazard)
			lock := explore.Lock{ID: "zk-" + test.name, Subject: zkSubject(test.make)}
			report, err := explore.Explore(t.Context(), h.Config(lock, "A", "B"), lock.Subject, h.Bounds, explore.Options{Jobs: 1})
			if err != nil {
				t.Fatal(err)
			}
			var violates []string
			for _, f := range report.Found {
				violates = append(violates, f.Violation.Invariant)
			}
			if report.Limit != "" || !slices.Equal(violates, test.violates) {
				t.Errorf("violates %q, want %q; limit %q, %d states", violates, test.violates, report.Limit, report.States)
			}
		})
	}
}
