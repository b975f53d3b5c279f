package guest

import (
	"errors"
	"slices"
	"testing"
)

var (
	counter int
	names   = map[string]int{}
	errOne  = errors.New("one")
	_       = Own(&counter, nil)
	_       = Own(&names, func() { names = map[string]int{} })
	_       = Own(&errOne, nil)
)

// TestOwnVars: each run has its own values, in whatever order runs take turns, and
// begins with the first ones.
func TestOwnVars(t *testing.T) {
	one := errOne
	runs := map[string]*Vars{}
	had := map[string]int{}
	for _, name := range []string{"a", "b", "a", "a", "c", "b", "a", "c", "b", "b"} {
		if runs[name] == nil {
			runs[name] = &Vars{}
		}
		runs[name].Enter()
		counter++
		names[name]++
		had[name]++
		if counter != had[name] || len(names) != 1 || names[name] != had[name] || errOne != one {
			t.Errorf("%s, for the %dth time: %d, %v, %v", name, had[name], counter, names, errOne)
		}
	}
	if !slices.Equal([]int{had["a"], had["b"], had["c"]}, []int{4, 4, 2}) {
		t.Error(had)
	}
}
