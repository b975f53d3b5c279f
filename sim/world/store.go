package world

import (
	"lockstep/sim"
	"lockstep/sim/history"
)

// openStore opens the store that a configuration names, and returns how to
// close it.
func openStore(c history.Config, first sim.ResourceState) (sim.Store, func(), error) {
	if c.Store != history.InSQL {
		return sim.InMemory{}, func() {}, nil
	}
	t, err := openTable(c.Resource, first)
	if err != nil {
		return nil, nil, err
	}
	return t, t.close, nil
}
