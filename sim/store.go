package sim

import "lockstep/sim/history"

// A store keeps the resource of a world.
type store interface {
	// do carries out an access as Access.Do does, and returns the state after it.
	do(*Access) (ResourceState, error)
	close()
}

func openStore(c history.Config, first ResourceState) (store, error) {
	if c.Store == history.InSQL {
		return openTable(c.Resource, first)
	}
	return &memory{first}, nil
}

// A memory is the store by default.
type memory struct{ resource ResourceState }

func (m *memory) do(a *Access) (ResourceState, error) {
	a.Do(&m.resource)
	return m.resource, nil
}

func (*memory) close() {}
