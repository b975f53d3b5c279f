package world

import (
	"context"

	"lockstep/sim/history"
	"lockstep/sim/live"
	"lockstep/sim/program"
	"lockstep/sim/server"
)

// NewLive builds a world whose nodes are parts of real servers; there may be
// fewer servers than nodes. It is used as any other world is, but that Err has
// to be asked after Close.
func NewLive(ctx context.Context, config history.Config, subject program.Subject, servers []*live.Server) (*World, error) {
	return newWorld(config, subject, func(name string, i int) (node, error) {
		return server.NewReal(ctx, name, config.Lag, servers[i%len(servers)])
	})
}

// Drift returns how far real time has been ahead of the world's when a command
// was executed, at most.
func (w *World) Drift() history.Millis {
	var most history.Millis
	for _, n := range w.nodes {
		if l, ok := n.(*server.Real); ok {
			most = max(most, l.Drift())
		}
	}
	return most
}
