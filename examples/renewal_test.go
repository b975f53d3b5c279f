package examples

import (
	"context"
	"time"
)

// A renewal renews a lease in the background, thrice in its time, as READMEs
// advise. The work has a context that ends with the first renewal that fails.
type renewal struct {
	work context.Context
	stop context.CancelFunc
}

func (r *renewal) begin(ctx context.Context, ttl time.Duration, renew func(context.Context) bool) {
	work, cancel := context.WithCancel(ctx)
	r.work, r.stop = work, cancel
	go func() {
		t := time.NewTicker(ttl / 3)
		defer t.Stop()
		for {
			select {
			case <-work.Done():
				return
			case <-t.C:
				if !renew(work) {
					cancel()
					return
				}
			}
		}
	}()
}

// Context makes a lock that renews a locktest.Watcher.
func (r *renewal) Context() context.Context { return r.work }
