package explore

import "sync"

// parallel calls do with 0 to n-1, all at a time, and waits. A panic in one of
// them becomes the caller's, who can do something about it.
func parallel(n int, do func(int)) {
	if n == 1 {
		do(0)
		return
	}
	var group sync.WaitGroup
	panics := make([]any, n)
	for i := range n {
		group.Go(func() {
			defer func() { panics[i] = recover() }()
			do(i)
		})
	}
	group.Wait()
	for _, reason := range panics {
		if reason != nil {
			panic(reason)
		}
	}
}
