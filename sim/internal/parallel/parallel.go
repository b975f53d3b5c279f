// Package parallel lets several workers share a list of independent tasks.
package parallel

import (
	"sync"
	"sync/atomic"
)

// Do calls do with 0 to n-1 and waits. It runs a number of workers; a
// free one takes the next call. It panics in the caller's goroutine if do
// panics.
func Do(workers, n int, do func(worker, i int)) {
	var next atomic.Int64
	panics := make([]any, min(workers, n))
	work := func(worker int) {
		defer func() { panics[worker] = recover() }()
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			do(worker, i)
		}
	}
	var group sync.WaitGroup
	for worker := 1; worker < len(panics); worker++ {
		group.Go(func() { work(worker) })
	}
	if n > 0 {
		work(0)
	}
	group.Wait()
	for _, reason := range panics {
		if reason != nil {
			panic(reason)
		}
	}
}
