package parallel

import "testing"

// TestDo: all calls are made, whatever the number of workers, and a panic reaches the caller.
func TestDo(t *testing.T) {
	for _, test := range []struct{ workers, n int }{{0, 2}, {2, 0}, {2, 1}, {2, 5}} {
		done := make([]bool, test.n)
		Do(test.workers, test.n, func(i int) { done[i] = true })
		for i, did := range done {
			if !did {
				t.Errorf("%d of %d was not done", i, test.n)
			}
		}
		func() {
			defer func() {
				if got := recover(); got != "broken" && test.n > 0 {
					t.Errorf("of %d, the panic is %v", test.n, got)
				}
			}()
			Do(test.workers, test.n, func(i int) {
				if i == test.n-1 {
					panic("broken")
				}
			})
		}()
	}
}
