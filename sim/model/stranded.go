package model

// Listener returns a living client that waits for a message; -1 if there is
// none.
func (m *Model) Listener(clients []int32, env int32) int {
	for who, id := range clients {
		if m.visit(who, id, env).Listens(who, &m.parties) {
			return who
		}
	}
	return -1
}

// Stranded returns a Listener if nothing will happen any more by itself; -1
// otherwise.
func (m *Model) Stranded(clients []int32, env int32) int {
	if m.NextExpiry(env) > 0 || len(m.envs.list[env].abandoned) > 0 {
		return -1
	}
	for who, id := range clients {
		if m.CanStep(who, id, env) || m.Due(who, id, env) > 0 {
			return -1
		}
	}
	return m.Listener(clients, env)
}
