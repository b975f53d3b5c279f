package world

import (
	"slices"
	"sync"

	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/program"
	"lockstep/sim/server"
)

// scripts are those of the locks whose code is written for Lockstep, by id.
var scripts sync.Map

// scriptsOf returns the scripts that the nodes know after an earlier run of the clients, in which
// nothing fails and the work takes two leases, so that a lease is renewed if it ever is.
func scriptsOf(config history.Config, subject program.Subject) (texts []string) {
	if subject.Start == nil {
		if known, ok := scripts.Load(config.Strategy); ok {
			return known.([]string)
		}
		defer func() { scripts.Store(config.Strategy, texts) }()
	}
	usual := history.Default()
	usual.Strategy, usual.Nodes, usual.Work = config.Strategy, config.Nodes, 2*usual.TTL
	w, err := NewUnread(usual, subject)
	if err != nil {
		return nil
	}
	defer w.Close()
	for f, n := w.fair(), 0; n < maxEarlier; n++ {
		steps, err := f.fairRound()
		next, timed := f.Next()
		if err != nil || steps == 0 && (!timed || f.Pass(next) != nil) {
			break
		}
	}
	for _, n := range w.nodes {
		for _, text := range n.(server.Node).At(0).(server.NodeState).Scripts {
			if !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

// maxEarlier bounds the rounds of the earlier run.
const maxEarlier = 300

// load makes all nodes know scripts.
func (w *World) load(texts []string) error {
	for i, n := range w.nodes {
		for _, text := range texts {
			at, _, err := n.Execute(w.state.Nodes[i], "earlier", sim.Units([][]string{{"SCRIPT", "LOAD", text}}), 0)
			if err != nil {
				return err
			}
			w.state.Nodes[i] = at
		}
	}
	return nil
}
