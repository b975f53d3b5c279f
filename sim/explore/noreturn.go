package explore

import "lockstep/sim/history"

// fromTheStart is the point of no return if no good ending exists.
const fromTheStart = -1

// maxEndings bounds the states in the search for a good ending.
const maxEndings = 200_000

// A noReturn finds the point of no return of a schedule: the action after which
// every ending within the bounds violates the invariant. It considers no faults
// after that action: a crash saves no client.
type noReturn struct {
	*search
	bad    property   // anyEnding for none
	tried  visitedSet // if no good ending was found, none is reached from these
	looked int        // states; more than maxEndings if good gave up
}

// pointOfNoReturn returns the number of actions after which no good ending is
// left, or fromTheStart; 0 if it is unknown. A good ending is a state in which
// all code has ended without the violation.
func (e *search) pointOfNoReturn(p property, s history.Schedule) (int, error) {
	t := e.newNoReturn(p)
	states := []state{e.initial()}
	for _, a := range s[:len(s)-1] {
		next, _, err := e.perform(states[len(states)-1], a)
		if err != nil {
			return 0, err
		}
		states = append(states, next)
	}
	for n := len(states) - 1; n >= 0; n-- {
		good, err := t.good(states[n])
		if err != nil || t.looked > maxEndings {
			return 0, err
		}
		if good {
			return n + 1, nil
		}
	}
	// If there is no ending at all, the question has no answer.
	if ends, err := e.newNoReturn(anyEnding).good(states[0]); !ends || err != nil {
		return 0, err
	}
	return fromTheStart, nil
}

// anyEnding is no property: every ending is good.
const anyEnding property = -1

// newNoReturn returns a search for endings without a violation of a property.
func (e *search) newNoReturn(p property) *noReturn {
	return &noReturn{search: e, bad: p, tried: newVisitedSet(e.states.size)}
}

// good reports whether a good ending can be reached. It searches depth first,
// since most paths lead to one. If it gives up, looked exceeds maxEndings.
func (t *noReturn) good(from state) (bool, error) {
	stack := []state{from}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !t.tried.add(at, noState) {
			continue
		}
		if t.looked++; t.looked > maxEndings || t.looked%1000 == 0 && (t.ctx.Err() != nil || t.overfull(0)) {
			t.looked = maxEndings + 1
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
	return false, nil
}

// ended reports whether no client has anything left to do.
func (t *noReturn) ended(s state) bool {
	for who := range t.Config.Processes() {
		if c := t.Client(who, s.client(who)); !c.Dead && !c.Done && !c.Hung {
			return false
		}
	}
	return true
}

// harmless lists the successors of a state without a fault or the violation.
func (t *noReturn) harmless(from state) ([]state, error) {
	next, err := t.successors(from, false)
	if err != nil {
		return nil, err
	}
	var list []state
	for i := range next {
		if t.bad == anyEnding || !next[i].violates.has(t.bad) || !t.counts(t.caused(from, &next[i])) {
			list = append(list, t.follow(from, &next[i], false))
		}
	}
	return list, nil
}
