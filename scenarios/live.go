package scenarios

import (
	"context"
	"errors"
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/live"
	"lockstep/sim/program"
	"lockstep/sim/world"
)

// A LiveResult is the result of a story on real servers.
type LiveResult struct {
	*Result                // on the real server
	Story   *Story         // as it was played: scaled, on Redis
	Server  string         // if RunOnZooKeeper started it
	Lease   history.Millis // how long a lease lasts there
	// Difference describes the first difference from the same run in the world;
	// nothing if there is none.
	Difference lang.Message
	// Drift is how far real time was ahead of the story's, at most. If it exceeds
	// Margin, the time between the story's commands and the ends of its TTLs, a
	// difference says nothing about Redis.
	Drift, Margin history.Millis
	Runs          int // how often it was played
}

// A NotLiveError explains why a story cannot be played on a real server.
type NotLiveError struct{ Why lang.Message }

func (e *NotLiveError) Error() string { return e.In(nil) }

// In returns the message in a language.
func (e *NotLiveError) In(l lang.Language) string {
	return lang.New("not on a real server: %v", e.Why).In(l)
}

// RunLive plays a story with a lock on real servers and compares every event with the
// same run in the world. If there are fewer servers than nodes, the nodes share them.
func RunLive(ctx context.Context, s *Story, strategy string, servers []*live.Server) (*LiveResult, error) {
	config, lenient := s.Steps[0].world, strategy != s.Strategy()
	config.Strategy = strategy
	var last *LiveResult
	on, err := testbedFor(s, strategy, servers)
	if err != nil {
		return nil, err
	}
	defer on.stop()
	for i, margin := range on.margins() {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		rehearsed, err := rehearse(ctx, s, config, lenient, margin)
		if err != nil {
			if last != nil { // no longer lease is possible
				return last, nil
			}
			return nil, err
		}
		if last, err = perform(ctx, rehearsed, config.Strategy, on); err != nil {
			return nil, err
		}
		last.Margin, last.Runs = margin, i+1
		if !last.TooBusy() {
			break
		}
	}
	return last, nil
}

// perform plays a rehearsed story on real servers.
func perform(ctx context.Context, rehearsed *rehearsal, strategy string, on *testbed) (*LiveResult, error) {
	s := rehearsed.story
	config := s.Steps[0].world
	config.Strategy = strategy
	result, err := play(&stage{
		ctx: ctx,
		open: func(c history.Config, subject program.Subject) (*world.World, error) {
			return on.world(ctx, c, subject)
		},
		recover: true, rehearsed: rehearsed.result,
	}, s, s.Steps, config, true)
	if err != nil {
		return nil, refusedAsNotLive(err)
	}
	return &LiveResult{
		Result: result, Story: s, Lease: rehearsed.lease, Difference: difference(rehearsed.result, result), Drift: result.ahead(),
	}, nil
}

// refusedAsNotLive returns the error of a run on a real server.
func refusedAsNotLive(err error) error {
	var refused *live.RefusedError
	if errors.As(err, &refused) {
		return &NotLiveError{refused.Why}
	}
	return err
}

// TooBusy reports that the run differs from the world only because real time ran
// ahead: the difference says nothing about the server.
func (r *LiveResult) TooBusy() bool {
	near := r.Margin / 2
	if r.recovery.asked { // while recovering, leases may be renewed nearer to their ends than in the story
		near = min(near, r.Lease/10)
	}
	return !r.Difference.None() && r.Drift >= near
}

// ahead is how far real time was ahead, at most, in a run and its replays.
func (r *Result) ahead() history.Millis {
	most := r.drift
	for _, other := range r.replays {
		most = max(most, other.ahead())
	}
	return most
}

// Commands counts the executed commands and the replies read.
func (r *LiveResult) Commands() (commands, replies int) {
	for _, result := range append(slices.Clone(r.replays), r.Result) {
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
	ctx  context.Context // see Run
	open func(history.Config, program.Subject) (*world.World, error)
	// recover asks each world at the end whether its lock can be acquired again,
	// unless that took too long in rehearsal.
	recover   bool
	rehearsed *Result
	speed     history.Millis // of the real server's time; 0 is 1
	worked    *int           // see runner.work; shared with the stages of replays
}

// A recovery is what a world itself found about lock-recovers.
type recovery struct {
	asked, recovers bool
	took            history.Millis
}

// longestRecovery is how much time recovering may take on a real server.
const longestRecovery = 2 * history.Second

// ask lets a world recover if a story checks anything.
func (st *stage) ask(w *world.World, steps []Step) (recovery, error) {
	asks := false
	for _, step := range steps {
		asks = asks || step.name == "check"
	}
	if !st.recover || !asks || st.rehearsed != nil && (!st.rehearsed.recovery.asked || st.rehearsed.recovery.took > longestRecovery*max(st.speed, 1)) {
		return recovery{}, nil
	}
	from := w.Now()
	ok, _, err := w.Recovers()
	if errors.Is(err, sim.ErrUndecided) {
		return recovery{}, nil
	}
	return recovery{true, ok, w.Now() - from}, err
}

// other is the stage for the n-th replay of a run. Of such a replay only the verdict is
// shown; where a real server's run is compared with the world's, so are its lines of code.
func (st *stage) other(n int) *stage {
	other := *st
	if !st.recover {
		other.open = world.NewUnread
	}
	if st.rehearsed != nil {
		other.rehearsed = &Result{}
		if n < len(st.rehearsed.replays) {
			other.rehearsed = st.rehearsed.replays[n]
		}
	}
	return &other
}

// liveOnly reports whether an error concerns one replay only, and why.
func liveOnly(err error) (why lang.Message, is bool) {
	var not *NotLiveError
	if errors.As(refusedAsNotLive(err), &not) {
		return lang.New("%v", not), true
	}
	return why, false
}

// A testbed is the real servers that a story is played on.
type testbed struct {
	shared  []*live.Server // their parts are the nodes
	own     bool           // instead, each node of each world is its own process
	started []*live.Server
}

// testbedFor decides where a story can be played. A story in which a server stops or
// lags needs servers of its own. It gets them only if the given server is Lockstep's
// own.
func testbedFor(s *Story, strategy string, servers []*live.Server) (*testbed, error) {
	on := &testbed{shared: servers}
	config := s.Steps[0].world
	config.Strategy = strategy
	subject, err := SubjectOf(strategy)
	if err != nil {
		return nil, err
	}
	if subject.Server != sim.Redis {
		return nil, &NotLiveError{lang.New("%s is no lock on Redis", strategy)}
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

// world builds a world on the servers of the testbed.
func (on *testbed) world(ctx context.Context, c history.Config, subject program.Subject) (*world.World, error) {
	servers := on.shared
	if subject.Server != sim.Redis {
		return nil, &NotLiveError{lang.New("%s is no lock on Redis", c.Strategy)}
	}
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

func (on *testbed) stop() {
	for _, server := range on.started {
		server.Stop()
	}
}

// margins are how close to the end of a TTL a command may come, run by run: after
// each run on a machine that was too busy, the lease gets longer. Restarting a server
// takes more time.
func (on *testbed) margins() []history.Millis {
	if on.own {
		return []history.Millis{400, 2 * history.Second}
	}
	return []history.Millis{10, 50, 250, history.Second}
}
