package scenarios

import (
	"context"

	"lockstep/internal/lang"
	"lockstep/sim/history"
	"lockstep/sim/live"
	"lockstep/sim/program"
	"lockstep/sim/world"
)

// A place is the real servers that a run of a story takes.
type place struct {
	shared  []*live.Server // the nodes are parts of them
	own     bool           // instead, each node of each world is a process of its own
	started []*live.Server
}

// placeFor says where a story can be played. One in which a server ends or
// falls behind needs servers of its own, and takes them only where the server
// that it was given is one already.
func placeFor(s *Story, strategy string, servers []*live.Server) (*place, error) {
	on := &place{shared: servers}
	config := s.Steps[0].world
	config.Strategy = strategy
	if _, err := SubjectOf(strategy); err != nil {
		return nil, err
	}
	on.own = config.Lag > 0
	for _, step := range s.Steps {
		for _, a := range step.acts {
			switch a.Verb {
			case history.Restart, history.Wipe, history.Down, history.Up, history.Promote:
				on.own = true
			case history.Jump, history.Rate:
				if a.Node != "" {
					return nil, &NotLiveError{lang.New("the clock of a server cannot be turned from here")}
				}
			}
		}
	}
	if on.own && !servers[0].Own() {
		return nil, &NotLiveError{lang.New("%s is not Lockstep's own, to be killed or given a replica", servers[0])}
	}
	return on, nil
}

// world builds a world on the servers of the place.
func (on *place) world(ctx context.Context, c history.Config, subject program.Subject) (*world.World, error) {
	servers := on.shared
	if on.own {
		servers = nil
		for range subject.In(c).Nodes {
			server, err := live.Start(ctx, live.Persistent)
			if err != nil {
				return nil, err
			}
			on.started = append(on.started, server)
			servers = append(servers, server)
		}
	}
	return world.NewLive(ctx, c, subject, servers)
}

func (on *place) stop() {
	for _, server := range on.started {
		server.Stop()
	}
}

// margins are how close to the end of a TTL a command may come, run by run: a
// machine that was too busy for one is given a longer lease. A server that is
// started again takes its time.
func (on *place) margins() []history.Millis {
	if on.own {
		return []history.Millis{400, 2 * history.Second}
	}
	return []history.Millis{10, 50, 250, history.Second}
}
