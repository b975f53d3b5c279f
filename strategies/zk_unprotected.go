package strategies

import (
	"context"

	"github.com/go-zookeeper/zk"
)

// ZKUnprotected is the recipe with one mistake: the name of its node has no random part.
//
// Claim:  "Fair, no orphan, and a create whose reply was lost is simply sent again."
// Breaks: if the first create took effect, the client waits for its own node, as long as its session lives.
// See:    stories/a_lost_reply_queues_twice.txt
// Fix:    zk-sequential
type ZKUnprotected struct{ ZKSequential }

func (l *ZKUnprotected) Lock(ctx context.Context) (Grant, error) {
	mine, err := l.create(ctx, func(prefix string) (mine string, err error) {
		// BUG(lesson): nobody can tell whether an earlier create took effect.
		err = answered(ctx, func() error {
			mine, err = l.ZooKeeper.Create(prefix, nil, zk.FlagEphemeral|zk.FlagSequence, everybody)
			return err
		})
		return mine, err
	})
	if err != nil {
		return Grant{}, zkOutcome(err)
	}
	return l.await(ctx, mine)
}
