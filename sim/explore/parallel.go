package explore

import (
	"sync"
	"sync/atomic"
)

// parallel calls do with 0 to n-1, as many at a time as there are workers, and
// waits. Whoever is free takes the next; do is told which worker that is. A
// panic in one of them becomes the caller's, who can do something about it.
func parallel(workers, n int, do func(worker, i int)) {
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
