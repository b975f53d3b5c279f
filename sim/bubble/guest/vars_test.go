package guest

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

type ownError struct{ text string }

func (e *ownError) Error() string { return e.text }

type table struct {
	by   map[string]*int
	next *table
	at   time.Time
}

const module = "lockstep/sim"

var (
	counter  int
	names    map[string]int
	list     = []int{1, 2}
	tree     = &table{by: map[string]*int{"x": new(int)}}
	same     = tree
	errOne   = errors.New("one")
	errTwo   = &ownError{"two"}
	location = time.FixedZone("here", 0)
	calls    = make(chan int, 1)
	hook     = func() int { return 1 }
	any1     any
	_        = Own(&counter, module)
	_        = Own(&names, module)
	_        = Own(&list, module)
	_        = Own(&tree, module)
	_        = Own(&same, module)
	_        = Own(&errOne, module)
	_        = Own(&errTwo, module)
	_        = Own(&location, module)
	_        = Own(&calls, module)
	_        = Own(&hook, module)
	_        = Own(&any1, module)
)

func init() {
	names = map[string]int{"init": 1}
	tree.next = tree
}

// TestOwnVars: each run has its own values, in whatever order runs take turns, and
// begins with those after init. Errors and what is of other modules stay the same.
func TestOwnVars(t *testing.T) {
	one, two, zone := errOne, errTwo, location
	runs := map[string]*Vars{}
	had := map[string]int{}
	for _, name := range []string{"a", "b", "a", "a", "c", "b", "a", "c", "b", "b"} {
		if runs[name] == nil {
			runs[name] = &Vars{}
		}
		runs[name].Enter()
		if n := had[name]; n > 0 {
			if got := <-calls; got != n {
				t.Errorf("%s: %d calls, want %d", name, got, n)
			}
		}
		had[name]++
		n := had[name]
		counter++
		names[name]++
		list[0]++
		*tree.by["x"]++
		tree.at = tree.at.Add(time.Second)
		calls <- n
		any1 = name
		got := fmt.Sprint(counter, names, list, *same.by["x"], same.next == tree, same == tree, tree.at.Second(), hook(), any1)
		want := fmt.Sprint(n, map[string]int{"init": 1, name: n}, []int{1 + n, 2}, n, true, true, n, 1, name)
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if errOne != one || errTwo != two || location != zone {
			t.Errorf("%s: an error or a location is a copy", name)
		}
	}
}
