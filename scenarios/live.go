package scenarios

import (
	"context"
	"errors"
	"fmt"
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
	*Result // on the real server
	Story   *Story
	Server  string         // the first one
	Lease   history.Millis // how long a lease lasts there
	// Difference describes the first difference from the same run in the world;
	// nothing if there is none.
	Difference lang.Message
	// Drift is how far a ZooKeeper's time was ahead of the story's, at most. If it exceeds
	// Margin, the time between the story's requests and the ends of its sessions, a
	// difference says nothing about ZooKeeper.
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

// RunLive plays a story with a lock on real Redis servers, which start opens, and compares
// every event with the same run in the world.
func RunLive(ctx context.Context, s *Story, strategy string, start func(context.Context) (*live.Server, error)) (*LiveResult, error) {
	config, lenient := s.Steps[0].world, strategy != s.Strategy()
	config.Strategy = strategy
	expected, err := play(&stage{ctx: ctx, open: world.New, recover: true}, s, s.Steps, config, lenient)
	if err != nil {
		return nil, err
	}
	var server string
	on := &stage{ctx: ctx, recover: true, expected: expected}
	on.open = func(c history.Config, subject program.Subject) (*world.World, error) {
		if subject.Server != sim.Redis {
			return nil, &NotLiveError{lang.New("%s is no lock on Redis", c.Strategy)}
		}
		return world.NewLive(c, subject, func() (*live.Server, error) {
			s, err := start(ctx)
			if err == nil && server == "" {
				server = fmt.Sprintf("Redis %s, %s", s.Version(), s)
			}
			return s, err
		})
	}
	result, err := play(on, s, s.Steps, config, lenient)
	if err != nil {
		return nil, refusedAsNotLive(err)
	}
	return &LiveResult{Result: result, Server: server, Lease: config.TTL, Difference: difference(expected, result)}, nil
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
	return !r.Difference.None() && r.Drift > 0 && r.Drift >= near
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
	// unless that took too long in the world.
	recover  bool
	expected *Result        // the same run in the world
	speed    history.Millis // of the real server's time; 0 if it does not wait
	worked   *int           // see runner.work; shared with the stages of replays
}

// A recovery is what a world itself found about lock-recovers.
type recovery struct {
	asked, recovers bool
	took            history.Millis
}

// longestRecovery is how much time recovering may take on a real ZooKeeper.
const longestRecovery = 2 * history.Second

// ask lets a world recover if a story checks anything.
func (st *stage) ask(w *world.World, steps []Step) (recovery, error) {
	asks := false
	for _, step := range steps {
		asks = asks || step.name == "check"
	}
	if !st.recover || !asks || st.expected != nil && (!st.expected.recovery.asked || st.speed > 0 && st.expected.recovery.took > longestRecovery*st.speed) {
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
	if st.expected != nil {
		other.expected = &Result{}
		if n < len(st.expected.replays) {
			other.expected = st.expected.replays[n]
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
