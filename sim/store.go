package sim

import "lockstep/sim/history"

// InMemory is the Store that is the State itself.
type InMemory struct{}

// Do is Store's.
func (InMemory) Do(r ResourceState, a *Access) (ResourceState, error) {
	a.Do(&r)
	return r, nil
}

// openStore opens the store that a configuration names, and returns how to
// close it.
func openStore(c history.Config, first ResourceState) (Store, func(), error) {
	if c.Store != history.InSQL {
		return InMemory{}, func() {}, nil
	}
	t, err := openTable(c.Resource, first)
	if err != nil {
		return nil, nil, err
	}
	return t, t.close, nil
}
