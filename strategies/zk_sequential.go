package strategies

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/go-zookeeper/zk"
)

// ZKSequential is ZooKeeper's recipe: each client queues with a numbered ephemeral node, and watches the node before its own.
//
// Claim:  "Fair, no orphan, and a release wakes the next client only."
// Breaks: a pause that outlasts the session ends the lock under its holder, who does not know.
// See:    stories/a_pause_ends_the_session.txt
// Fix:    zk-sequential-fenced
type ZKSequential struct{ Env }

func (l *ZKSequential) Lock(ctx context.Context) (Grant, error) {
	mine, err := l.enqueue(ctx)
	if err != nil {
		return Grant{}, zkOutcome(err)
	}
	return l.await(ctx, mine)
}

// await returns when the client's node is the first of the queue.
func (l *ZKSequential) await(ctx context.Context, mine string) (Grant, error) {
	for {
		queue, at, err := l.queue(ctx, mine)
		if err != nil {
			return Grant{}, zkOutcome(err)
		}
		if at == 0 {
			return Grant{Token: mine}, nil
		}
		exists, gone, err := l.watch(ctx, queue[at-1])
		if err != nil {
			return Grant{}, zkOutcome(err)
		}
		if exists { // otherwise it went before the watch was set
			<-gone
		}
	}
}

// enqueue creates the client's node. Its name has a random part, by which the
// library finds it if the reply is lost.
func (l *ZKSequential) enqueue(ctx context.Context) (mine string, err error) {
	return l.create(ctx, func(prefix string) (string, error) {
		return l.ZooKeeper.CreateProtectedEphemeralSequential(prefix, nil, everybody)
	})
}

// create calls make for a node below the lock's, which it makes first if there is none.
func (l *ZKSequential) create(ctx context.Context, make func(prefix string) (string, error)) (string, error) {
	mine, err := make(l.Key + "/n-")
	if !errors.Is(err, zk.ErrNoNode) {
		return mine, err
	}
	err = answered(ctx, func() error { _, err := l.ZooKeeper.Create(l.Key, nil, 0, everybody); return err })
	if err != nil && !errors.Is(err, zk.ErrNodeExists) {
		return "", err
	}
	return make(l.Key + "/n-")
}

// queue returns all nodes in the order of their numbers, and where the client's is.
func (l *ZKSequential) queue(ctx context.Context, mine string) (queue []string, at int, err error) {
	err = answered(ctx, func() error { queue, _, err = l.ZooKeeper.Children(l.Key); return err })
	number := func(node string) string { return node[strings.LastIndexByte(node, '-')+1:] }
	slices.SortFunc(queue, func(a, b string) int { return strings.Compare(number(a), number(b)) })
	at = slices.Index(queue, path.Base(mine))
	if err == nil && at < 0 {
		err = zk.ErrSessionExpired // the node went with its session
	}
	return queue, at, err
}

// watch says whether a node exists, and returns what comes when it goes.
func (l *ZKSequential) watch(ctx context.Context, node string) (exists bool, gone <-chan zk.Event, err error) {
	err = answered(ctx, func() error { exists, _, gone, err = l.ZooKeeper.ExistsW(path.Join(l.Key, node)); return err })
	return exists, gone, err
}

func (l *ZKSequential) Unlock(ctx context.Context, g Grant) error {
	return zkOutcome(answered(ctx, func() error { return l.ZooKeeper.Delete(g.Token, -1) }))
}
