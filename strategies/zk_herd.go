package strategies

import "context"

// ZKHerd is the recipe with one mistake: everybody watches the first node of the queue.
//
// Claim:  "Fair, no orphan, and a release wakes the next client only."
// Breaks: each release wakes all who wait, and all but one of them list, watch and wait again.
// See:    stories/a_release_wakes_the_herd.txt
// Fix:    zk-sequential
type ZKHerd struct{ ZKSequential }

func (l *ZKHerd) Lock(ctx context.Context) (Grant, error) {
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
		// BUG(lesson): only the second in the queue has anything to do when the first goes.
		exists, gone, err := l.watch(ctx, queue[0])
		if err != nil {
			return Grant{}, zkOutcome(err)
		}
		if exists {
			<-gone
		}
	}
}
