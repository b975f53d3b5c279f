// Package parallel lets several workers share a list of independent tasks.
package parallel

import (
	"sync"
	"sync/atomic"
)

// Do calls do with 0 to n-1 and waits. It runs a number of workers, at least one; a
// free one takes the next call. It panics in the caller's goroutine if do
// panics.
func Do(workers, n int, do func(i int)) {
	var next atomic.Int64
	panics := make([]any, min(max(1, workers), n))
	var group sync.WaitGroup
	for worker := range panics {
		group.Go(func() {
			defer func() { panics[worker] = recover() }()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	group.Wait()
	for _, reason := range panics {
		if reason != nil {
			panic(reason)
		}
	}
}
