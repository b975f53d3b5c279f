package sim

import (
	"slices"

	"lockstep/sim/history"
)

// Candidates lists what actions of some kinds may be: the client, the strand
// and the node are those that each kind is found with, whatever it names. First
// come the clients in turn, each with what concerns one of its strands, itself,
// and it and a node; then the nodes, and what concerns nobody in particular.
// What happens to the same comes in the order of the kinds.
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

// Enabled lists the candidates that nothing is to be said against.
func (s *State) Enabled(p *Parties, kinds ...history.Action) []history.Action {
	return slices.DeleteFunc(s.Candidates(p.Names, kinds...), func(a history.Action) bool { return !s.Refusal(a, p).No() })
}
