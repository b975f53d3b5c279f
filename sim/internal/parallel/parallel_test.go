package parallel

import "testing"

// TestDo: all calls are made, and a panic reaches the caller.
func TestDo(t *testing.T) {
	for _, n := range []int{1, 5} {
		done := make([]bool, n)
		Do(2, n, func(_, i int) { done[i] = true })
		for i, did := range done {
			if !did {
				t.Errorf("%d of %d was not done", i, n)
			}
		}
		func() {
			defer func() {
				if got := recover(); got != "broken" {
					t.Errorf("of %d, the panic is %v", n, got)
				}
			}()
			Do(2, n, func(_, i int) {
				if i == n-1 {
					panic("broken")
				}
			})
		}()
	}
}
