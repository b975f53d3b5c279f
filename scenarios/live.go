package scenarios

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/live"
	"lockstep/sim/program"
	"lockstep/sim/server"
	"lockstep/sim/world"
)

// A LiveResult is the result of a story on real servers.
type LiveResult struct {
	*Result        // on the real server
	Server  string // the first one
	// Difference describes the first difference from the same run in the world;
	// nothing if there is none.
	Difference lang.Message
}

// RunLive plays a story with a lock on real servers, and compares every event with the
// same run in the world. For a lock on Redis, start opens each server; a ZooKeeper is
// always Lockstep's own. The error is a *live.RefusedError if a story cannot be played
// there.
func RunLive(ctx context.Context, s *Story, strategy string, start func(context.Context) (*live.Server, error)) (*LiveResult, error) {
	subject, err := SubjectOf(strategy)
	if err != nil {
		return nil, err
	}
	config, lenient := s.Steps[0].world, strategy != s.Strategy()
	config.Strategy = strategy
	expected, err := play(&stage{ctx: ctx, open: world.New, recover: true}, s, s.Steps, config, lenient)
	if err != nil {
		return nil, err
	}
	kind, first := subject.Server, ""
	on := &stage{ctx: ctx, recover: true}
	on.open = func(c history.Config, subject program.Subject) (*world.World, error) {
		switch {
		case subject.Server == kind:
		case kind == sim.Redis:
			return nil, &live.RefusedError{Why: lang.New("%s is not a lock on Redis", c.Strategy)}
		default:
			return nil, &live.RefusedError{Why: lang.New("%s is not a lock on ZooKeeper", c.Strategy)}
		}
		return world.NewLive(c, subject, func(name string) (world.Node, error) {
			node, about, err := startNode(ctx, name, c, kind, start)
			first = cmp.Or(first, about)
			return node, err
		})
	}
	result, err := play(on, s, s.Steps, config, lenient)
	var refused *live.RefusedError
	switch {
	case errors.As(err, &refused):
		return nil, refused
	case err != nil:
		return nil, err
	}
	return &LiveResult{Result: result, Server: first, Difference: difference(expected, result)}, nil
}

// startNode opens a server for a node, and says which.
func startNode(ctx context.Context, name string, c history.Config, kind sim.ServerKind, redis func(context.Context) (*live.Server, error)) (world.Node, string, error) {
	if kind == sim.ZooKeeper {
		s, err := live.StartZooKeeper(ctx)
		if err != nil {
			return nil, "", err
		}
		node, err := server.NewRealEnsemble(ctx, name, c, s)
		return node, s.String(), err
	}
	s, err := redis(ctx)
	if err != nil {
		return nil, "", err
	}
	node, err := server.NewReal(name, c.Lag, s)
	return node, fmt.Sprintf("Redis %s, %s", s.Version(), s), err
}

// Commands counts the executed commands and the replies read.
func (r *LiveResult) Commands() (commands, replies int) {
	for _, result := range append(slices.Clone(r.replays), r.Result) {
		if result == nil {
			continue
		}
		for _, e := range result.History.Events {
			switch e.Kind {
			case history.Apply:
				commands += len(e.Cmds)
			case history.Reply:
				replies += len(e.Cmds)
			}
		}
	}
	return commands, replies
}

// A stage builds the worlds in which stories are played.
type stage struct {
	ctx     context.Context // see Run
	open    func(history.Config, program.Subject) (*world.World, error)
	recover bool // ask each world at the end whether its lock can be acquired again
	worked  *int // see runner.work; shared with the stages of replays
}

// ask lets a world recover if a story checks anything; nil if that was not asked, or
// could not be decided.
func (st *stage) ask(w *world.World, steps []Step) (*bool, error) {
	if !st.recover || !slices.ContainsFunc(steps, func(s Step) bool { return s.name == "check" }) {
		return nil, nil
	}
	recovers, _, err := w.Recovers()
	if errors.Is(err, sim.ErrUndecided) {
		return nil, nil
	}
	return &recovers, err
}

// other is the stage for a replay of a run. Of such a replay only the verdict is
// shown; where a real server's run is compared with the world's, so are its lines of code.
func (st *stage) other() *stage {
	other := *st
	if !st.recover {
		other.open = world.NewUnread
	}
	return &other
}
