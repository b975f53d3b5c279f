package strategies

import (
	"context"
	"errors"

	"github.com/go-zookeeper/zk"
)

// ZKEphemeral is one ephemeral node: the client that creates it has the lock, and everybody else watches it.
//
// Claim:  "The node goes with its holder's session: no orphan, no TTL to choose."
// Breaks: a holder whose session has ended deletes the next holder's node; and each release wakes all who wait.
// See:    stories/a_late_delete_hits_the_next_node.txt
// Fix:    zk-sequential
type ZKEphemeral struct{ Env }

func (l *ZKEphemeral) Lock(context.Context) (Grant, error) {
	for {
		_, err := l.ZooKeeper.Create(l.Key, nil, zk.FlagEphemeral, everybody)
		if err == nil {
			return Grant{Token: l.Key}, nil
		}
		if !errors.Is(err, zk.ErrNodeExists) {
			return Grant{}, zkOutcome(err)
		}
		// BUG(lesson): everybody watches the same node.
		exists, _, gone, err := l.ZooKeeper.ExistsW(l.Key)
		if err != nil {
			return Grant{}, zkOutcome(err)
		}
		if exists {
			<-gone
		}
	}
}

func (l *ZKEphemeral) Unlock(_ context.Context, g Grant) error {
	// BUG(lesson): after a pause, the node of this name may be somebody else's.
	return zkOutcome(l.ZooKeeper.Delete(g.Token, -1))
}
