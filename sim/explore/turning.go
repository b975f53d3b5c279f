package explore

import "lockstep/sim/history"

// fromTheStart is the point of no return where there never was a good ending.
const fromTheStart = -1

// maxTurning bounds how many states are looked at for a good ending.
const maxTurning = 200_000

// A turning finds the point of no return of a schedule: the action after which
// every ending within the bounds violates the invariant. Faults are not
// counted on: nobody is saved by a crash.
type turning struct {
	*search
	invariant string
	hopeless  map[string]bool // by tuple: no good ending can be reached from it
	looked    int
}

// pointOfNoReturn returns how many actions of a schedule it takes until no good
// ending is left; 0 if that could not be found out. A good ending is a state in
// which all code has come to its end, reached without the violation.
func (e *search) pointOfNoReturn(invariant string, s history.Schedule) (int, error) {
	t := e.newTurning(invariant)
	tuples := [][]int32{e.first()}
	for _, a := range s[:len(s)-1] {
		next, _, err := e.perform(tuples[len(tuples)-1], a)
		if err != nil {
			return 0, err
		}
		tuples = append(tuples, next)
	}
	for n := len(tuples) - 1; n >= 0; n-- {
		good, err := t.good(tuples[n])
		if err != nil || t.looked > maxTurning {
			return 0, err
		}
		if good {
			return n + 1, nil
		}
	}
	// Where there is no ending at all, nothing can be said of endings.
	if ends, err := e.newTurning("").good(tuples[0]); !ends || err != nil {
		return 0, err
	}
	return fromTheStart, nil
}

// newTurning asks about endings without a violation of an invariant; "" is for
// any ending.
func (e *search) newTurning(invariant string) *turning {
	return &turning{search: e, invariant: invariant, hopeless: map[string]bool{}}
}

// good says whether a good ending can be reached, looking deep first: most
// ways lead to one.
func (t *turning) good(tuple []int32) (bool, error) {
	stack := [][]int32{tuple}
	seen := map[string]bool{}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		key := keyOf(at)
		if seen[key] || t.hopeless[key] {
			continue
		}
		seen[key] = true
		if t.looked++; t.looked > maxTurning || t.looked%1000 == 0 && (t.ctx.Err() != nil || t.overfull(0)) {
			t.looked = maxTurning + 1
			return false, nil
		}
		if t.ended(at) {
			return true, nil
		}
		next, err := t.harmless(at)
		if err != nil {
			return false, err
		}
		stack = append(stack, next...)
	}
	for key := range seen {
		t.hopeless[key] = true
	}
	return false, nil
}

// ended says whether nobody has anything left to do.
func (t *turning) ended(tuple []int32) bool {
	for who := range t.config.Clients {
		if c := t.clients[who].list[tuple[who]]; !c.Dead && !c.Done && !c.Hung {
			return false
		}
	}
	return true
}

// harmless lists what follows a state without a fault and without the
// violation.
func (t *turning) harmless(tuple []int32) ([][]int32, error) {
	w := t.learner()
	if _, err := w.successors(tuple, false); err != nil {
		return nil, err
	}
	var list [][]int32
	for i := range w.next {
		s := &w.next[i]
		bad := false
		for _, v := range t.foundAt(t.monitorOf(tuple), s) {
			bad = bad || v.Invariant == t.invariant
		}
		if !bad {
			list = append(list, t.follow(nil, tuple, s, false))
		}
	}
	return list, nil
}
