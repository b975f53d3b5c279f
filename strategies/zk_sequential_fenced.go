package strategies

import (
	"context"

	"github.com/go-zookeeper/zk"
)

// ZKSequentialFenced is the recipe with a fencing token: the transaction that created the holder's node, a number that only grows.
//
// Claim:  "A session may end under its holder: no stale write is accepted."
// Breaks: two clients can still work at once; only what they write is ordered.
// See:    stories/the_creation_number_fences.txt
// Fix:    optimistic-version
type ZKSequentialFenced struct{ ZKSequential }

func (l *ZKSequentialFenced) Lock(ctx context.Context) (Grant, error) {
	g, err := l.ZKSequential.Lock(ctx)
	if err != nil {
		return Grant{}, err
	}
	var node *zk.Stat
	if err := answered(ctx, func() error { _, node, err = l.ZooKeeper.Get(g.Token); return err }); err != nil {
		return Grant{}, zkOutcome(err)
	}
	g.Fence = node.Czxid
	return g, nil
}
