package sim

import (
	"slices"

	"lockstep/sim/history"
)

// Candidates lists the actions of some kinds, for each client, strand and node
// that they can concern, whatever the kinds name. The clients come first, each
// with the actions of its strands, its own, and those of it and a node; then the
// nodes; then the rest. Actions that concern the same come in the order of the
// kinds.
func (s *State) Candidates(names []string, kinds ...history.Action) (list []history.Action) {
	add := func(a history.Action, strand bool) {
		for _, kind := range kinds {
			client, node := kind.Concerns()
			if client == (a.Client != "") && node == (a.Node != "") && kind.Verb.OfStrand() == strand {
				a.Verb, a.By = kind.Verb, kind.By
				list = append(list, a)
			}
		}
	}
	for i, name := range names {
		for id := range s.Clients[i].Strands {
			add(history.Action{Client: name, Strand: id}, true)
		}
		add(history.Action{Client: name}, false)
		for _, node := range s.nodeNames() {
			add(history.Action{Client: name, Node: node}, false)
		}
	}
	for _, node := range s.nodeNames() {
		add(history.Action{Node: node}, false)
	}
	add(history.Action{}, false)
	return list
}

// Enabled lists the candidates that are possible.
func (s *State) Enabled(p *Parties, kinds ...history.Action) []history.Action {
	return slices.DeleteFunc(s.Candidates(p.Names, kinds...), func(a history.Action) bool { return !s.Refusal(a, p).No() })
}
