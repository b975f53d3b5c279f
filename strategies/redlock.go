package strategies

import (
	"context"
	"time"
)

// Redlock takes the lock on a majority of independent nodes and counts how
// much of the lease is left when it has it.
//
// Claim:  "A majority and a validity time keep two clients apart, even if a node fails."
// Breaks: a node that restarts empty, or whose clock jumps, votes twice; a pause outlives the validity unseen.
// See:    stories/a_restarted_node_votes_twice.txt
// Fix:    fenced
type Redlock struct{ Env }

func (l *Redlock) Lock(ctx context.Context) (Grant, error) {
	token, start, votes := l.Token(), l.Clock.Now(), 0
	for _, node := range l.Nodes {
		// A node that refuses or does not answer in time gives no vote.
		if node.Do(ctx, "SET", l.Key, token, "NX", "PX", l.TTL.Milliseconds()).Err() == nil {
			votes++
		}
	}
	drift := l.TTL/100 + 2*time.Millisecond
	validity := l.TTL - l.Clock.Now().Sub(start) - drift
	if votes >= l.quorum() && validity > 0 {
		return Grant{Token: token}, nil
	}
	// On all nodes: one whose answer was lost may have set the key.
	l.release(context.WithoutCancel(ctx), token)
	return Grant{}, ErrNotAcquired
}

func (l *Redlock) Unlock(ctx context.Context, g Grant) error {
	released, unknown := l.release(context.WithoutCancel(ctx), g.Token)
	switch {
	case released >= l.quorum():
		return nil
	case released+unknown >= l.quorum():
		return ErrUnknown
	}
	return ErrLost
}

func (l *Redlock) quorum() int { return len(l.Nodes)/2 + 1 }

// release counts the nodes that deleted the key and those that did not say.
func (l *Redlock) release(ctx context.Context, token string) (released, unknown int) {
	for _, node := range l.Nodes {
		n, err := delIfEquals.Run(ctx, node, []string{l.Key}, token).Int()
		if err != nil {
			unknown++
		}
		released += n
	}
	return released, unknown
}
