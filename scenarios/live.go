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

// A LiveResult is what became of a story on real servers.
type LiveResult struct {
	*Result                // on the real server
	Story   *Story         // as it was played: scaled
	Lease   history.Millis // that it was scaled to
	// Difference says where the run differs from the same run in the world; nothing
	// if nowhere.
	Difference lang.Message
	// Drift is how far real time was ahead of the story's, at most. Where that
	// is more than the margin between the story's commands and the ends of its
	// TTLs, a difference says nothing about Redis.
	Drift, Margin history.Millis
	Runs          int // how often it was played until it was as it should be
}

// A NotLiveError says why a story cannot be played on a real server.
type NotLiveError struct{ Why lang.Message }

func (e *NotLiveError) Error() string { return e.In(nil) }

// In says it in a language.
func (e *NotLiveError) In(l lang.Language) string {
	return lang.New("not on a real server: %v", e.Why).In(l)
}

// RunLive plays a story, or a story against another lock than its own, on real
// servers, and holds every event against the same run in the world. If there
// are fewer servers than nodes, the nodes are parts of them.
func RunLive(ctx context.Context, s *Story, strategy string, servers []*live.Server) (*LiveResult, error) {
	config, lenient := s.Steps[0].world, strategy != s.Strategy()
	config.Strategy = strategy
	var last *LiveResult
	on, err := placeFor(s, strategy, servers)
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
			if last != nil { // no lease is longer than that
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

// perform plays what was rehearsed.
func perform(ctx context.Context, rehearsed *rehearsal, strategy string, on *place) (*LiveResult, error) {
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
	var refused *live.RefusedError
	switch {
	case errors.As(err, &refused):
		return nil, &NotLiveError{refused.Why}
	case err != nil:
		return nil, err
	}
	return &LiveResult{
		Result: result, Story: s, Lease: rehearsed.lease, Difference: difference(rehearsed.result, result), Drift: result.ahead(),
	}, nil
}

// TooBusy says that the run differs from that in the world, but that real time
// ran away from it, so that it says nothing about Redis.
func (r *LiveResult) TooBusy() bool {
	near := r.Margin / 2
	if r.recovery.asked { // meanwhile leases may be renewed again and again, nearer to their ends than in the story
		near = min(near, r.Lease/10)
	}
	return !r.Difference.None() && r.Drift >= near
}

// ahead is how far real time was ahead in a run or one of its replays.
func (r *Result) ahead() history.Millis {
	most := r.drift
	for _, other := range r.replays {
		most = max(most, other.ahead())
	}
	return most
}

// Commands counts the commands that were executed, and the replies that were
// read.
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

// A stage is where stories are played: in worlds of its kind.
type stage struct {
	ctx  context.Context // see Run
	open func(history.Config, program.Subject) (*world.World, error)
	// recover asks each world in the end whether its lock can be acquired
	// again, but for one that took too long to say in rehearsal.
	recover   bool
	rehearsed *Result
	worked    *int // see runner.work; the stages of replays share it
}

// A recovery is what a world itself said of lock-recovers.
type recovery struct {
	asked, recovers bool
	took            history.Millis
}

// longestRecovery is how much time a real run may be made to wait for that.
const longestRecovery = 2 * history.Second

// ask lets a world recover, if a story asks whether it does.
func (st *stage) ask(w *world.World, steps []Step) (recovery, error) {
	asks := false
	for _, step := range steps {
		asks = asks || step.name == "check"
	}
	if !st.recover || !asks || st.rehearsed != nil && (!st.rehearsed.recovery.asked || st.rehearsed.recovery.took > longestRecovery) {
		return recovery{}, nil
	}
	from := w.Now()
	ok, _, err := w.Recovers()
	if errors.Is(err, sim.ErrUndecided) {
		return recovery{}, nil
	}
	return recovery{true, ok, w.Now() - from}, err
}

// other is the stage for the replay with that number in a run.
func (st *stage) other(n int) *stage {
	other := *st
	if st.rehearsed != nil {
		other.rehearsed = &Result{}
		if n < len(st.rehearsed.replays) {
			other.rehearsed = st.rehearsed.replays[n]
		}
	}
	return &other
}

// liveOnly says whether an error of a replay concerns that replay only.
func liveOnly(err error) (why lang.Message, is bool) {
	var refused *live.RefusedError
	if errors.As(err, &refused) {
		return lang.New("%v", &NotLiveError{refused.Why}), true
	}
	return why, false
}
