package strategies

import (
	"context"

	"github.com/go-zookeeper/zk"
)

// ZKSuspended is the recipe whose holder stops as soon as its client has lost its connection, before the session can end.
//
// Claim:  "A holder that ZooKeeper may no longer hear stops its work while its session still lasts."
// Breaks: a process that is paused reads no such news before it goes on.
// See:    stories/a_cut_off_holder_stops_in_time.txt
// Fix:    zk-sequential-fenced
type ZKSuspended struct {
	ZKSequential
	stop map[string]context.CancelFunc // by the node
}

func (l *ZKSuspended) Lock(ctx context.Context) (Grant, error) {
	g, err := l.ZKSequential.Lock(ctx)
	if err != nil {
		return Grant{}, err
	}
	held, cancel := context.WithCancel(ctx)
	if l.stop == nil {
		l.stop = map[string]context.CancelFunc{}
	}
	l.stop[g.Token] = cancel
	l.Go("session", func() { l.watchSession(held, cancel) })
	g.Context = held
	return g, nil
}

// watchSession cancels the grant once the client is not connected. Each change of its state is an
// event; those from before the grant only make it look once more.
func (l *ZKSuspended) watchSession(held context.Context, cancel context.CancelFunc) {
	defer cancel()
	for l.ZooKeeper.State() == zk.StateHasSession {
		select {
		case <-l.Session:
		case <-held.Done():
			return
		}
	}
}

func (l *ZKSuspended) Unlock(ctx context.Context, g Grant) error {
	if stop, ok := l.stop[g.Token]; ok {
		stop()
		delete(l.stop, g.Token)
	}
	return l.ZKSequential.Unlock(ctx, g)
}
