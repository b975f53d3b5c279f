package strategies

import "context"

// ZKBlind is the recipe with one mistake: it does not look whether the node that it watches is still there.
//
// Claim:  "Fair, no orphan, and a release wakes the next client only."
// Breaks: a node that goes between the list and the watch never wakes anybody.
// See:    stories/a_node_goes_before_the_watch.txt
// Fix:    zk-sequential
type ZKBlind struct{ ZKSequential }

func (l *ZKBlind) Lock(ctx context.Context) (Grant, error) {
	mine, err := l.enqueue(ctx)
	if err != nil {
		return Grant{}, zkOutcome(err)
	}
	for {
		queue, at, err := l.queue(ctx, mine)
		if err != nil {
			return Grant{}, zkOutcome(err)
		}
		if at == 0 {
			return Grant{Token: mine}, nil
		}
		_, gone, err := l.watch(ctx, queue[at-1])
		if err != nil {
			return Grant{}, zkOutcome(err)
		}
		// BUG(lesson): the node may be gone already; then this waits for its creation.
		<-gone
	}
}
