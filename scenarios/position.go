package scenarios

import (
	"cmp"
	"context"
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim"
	"lockstep/sim/history"
	"lockstep/sim/world"
)

// A Position is a paused run: what happened so far, and what may happen next.
type Position struct {
	*Result
	Moves []Move     // in a fixed order: steps, time, messages, processes, clocks, scripts
	Ahead []Deadline // of Play: what time alone will bring about, in its order
}

// A Move is one action that may happen next, with its description.
type Move struct {
	Action history.Action
	Doing  string         // what its strand is about to do, in one word: a command, read, sleep ...
	Text   lang.Message   // the same in full
	Sent   bool           // its command has been sent
	Due    bool           // what it waited for is due: it wakes, or times out
	At     history.Millis // of a move that lets time pass: the time afterwards
	Ends   []Deadline     // what happens when time passes
	Why    lang.Message   // why it is not possible; none if it is
}

// A Deadline is something that time alone brings about: the expiry of a key, or the
// end of a client's sleep or wait.
type Deadline struct {
	At     history.Millis
	Key    string
	Client string
	Sleeps bool
}

// messageVerbs and processVerbs are the faults of one strand's command and of one
// client.
var (
	messageVerbs = []history.Verb{history.Send, history.Arrive, history.LoseRequest, history.LoseReply, history.LosePush}
	processVerbs = []history.Verb{history.Crash, history.Hang, history.Pause}
)

// ClockJump is how far a learner turns a clock, either way. It is longer than the
// leases of the stories.
const ClockJump = 10 * history.Second

// clockRates are the rates that a learner may give a clock, in thousandths of true
// speed.
var clockRates = []history.Millis{250, 4000}

// Leap is how much time passes when nothing waits for it: longer than a lease, which
// a lock may keep in a value.
func Leap(c history.Config) history.Millis { return c.TTL + history.Millisecond }

// Look replays a schedule and lists what may happen next; in a level, only what its
// rules allow. For ctx see Run.
func Look(ctx context.Context, config history.Config, schedule history.Schedule, level *Level) (*Position, error) {
	r, err := replayed(ctx, config, schedule, nil)
	if err != nil {
		return nil, err
	}
	defer r.w.Close()
	moves := r.moves(schedule, level)
	if err := r.checkRecovery(); err != nil {
		return nil, err
	}
	return &Position{Result: r.result(), Moves: moves}, nil
}

// Play lets the clients that turns names go on, one after the other: each until it waits,
// has ended, or is about to release. "" lets time pass. For ctx see Run.
func Play(ctx context.Context, config history.Config, turns []string) (*Position, error) {
	r, err := replayed(ctx, config, nil, nil)
	if err != nil {
		return nil, err
	}
	defer r.w.Close()
	for _, who := range turns {
		began := r.releasing(who)
		for first := true; first || who != "" && r.releasing(who) == began; first = false {
			moves := slices.Concat(r.strandSteps(), r.time())
			i := slices.IndexFunc(moves, func(m Move) bool { return m.Action.Client == who && m.Why.None() })
			if i < 0 {
				break
			}
			if err := r.perform(moves[i].Action); err != nil {
				return nil, err
			}
		}
	}
	return &Position{r.result(), r.moves(nil, nil), r.ahead()}, nil
}

// moves lists what may happen after a schedule; in a level, only what its rules allow.
func (r *runner) moves(schedule history.Schedule, level *Level) []Move {
	moves := slices.Concat(r.strandSteps(), r.time(), r.messages(), r.faults())
	if level != nil {
		faults, ticks := level.Spent(schedule)
		moves = slices.DeleteFunc(moves, func(m Move) bool { return !level.allows(m.Action, faults, ticks) })
		if level.Waits {
			moves = r.limitTime(moves, level)
		}
	}
	return moves
}

// refuses returns the function for replayed that refuses what the rules of a level do not
// allow; nil without a level.
func (level *Level) refuses(schedule history.Schedule) func(*runner, int) error {
	if level == nil {
		return nil
	}
	return func(r *runner, next int) error {
		a := schedule[next]
		if !slices.ContainsFunc(r.moves(schedule[:next], level), func(m Move) bool { return m.Action == a && m.Why.None() }) {
			return lang.Errorf("the rules of the level do not allow it")
		}
		return nil
	}
}

// replayed plays a schedule, unless refuses returns an error before an action. The caller
// closes the runner's world.
func replayed(ctx context.Context, config history.Config, schedule history.Schedule, refuses func(r *runner, next int) error) (*runner, error) {
	r, err := newRunner(&stage{ctx: ctx, open: world.New}, config)
	if err != nil {
		return nil, err
	}
	for i, a := range schedule {
		if refuses != nil {
			err = refuses(r, i)
		}
		if err == nil {
			err = r.perform(a)
		}
		if err != nil {
			r.w.Close()
			return nil, lang.Errorf("action %d of the schedule: %w", i+1, err)
		}
	}
	return r, nil
}

// limitTime lets time pass only to a deadline, and only while no client that has begun
// can take a step, as in an exploration (explore.Bounds.Anywhere). Where requests may
// be late, a client that has sent one may wait.
func (r *runner) limitTime(moves []Move, level *Level) []Move {
	delayed := slices.Contains(level.Moves, history.Send)
	busy := slices.ContainsFunc(moves, func(m Move) bool {
		strands := r.w.Strands(m.Action.Client)
		return m.Action.Verb == history.Step && m.Why.None() && strands[0].Begun && !r.w.Paused(m.Action.Client) && !(delayed && m.Sent && !m.Due)
	})
	moves = slices.DeleteFunc(moves, func(m Move) bool { return m.Action.Verb == history.Advance })
	for i := range moves {
		if m := &moves[i]; m.Action.Verb == history.Tick && m.Why.None() && busy {
			m.Why = lang.New("not while a client can take a step")
		}
	}
	return moves
}

// strandSteps lists the next step of each strand, or why it is not possible.
func (r *runner) strandSteps() []Move {
	var out []Move
	for _, c := range r.config.Clients {
		for _, t := range r.w.Strands(c) {
			if t.Ended && t.ID > 0 {
				continue
			}
			m := r.ofStrand(history.Step, c, t)
			m.Why = r.w.Refusal(m.Action).Message
			out = append(out, m)
		}
	}
	return out
}

// ofStrand describes an action of a strand.
func (r *runner) ofStrand(v history.Verb, client string, t world.StrandView) Move {
	return Move{
		Action: history.Action{Verb: v, Client: client, Strand: t.ID}, Doing: t.Pending, Text: t.Text,
		Sent: t.Sent, Due: t.Waits && t.Until <= r.w.Now(),
	}
}

// time lists the one way in which time passes: to the next deadline or, if nothing
// waits for it, by a leap.
func (r *runner) time() []Move {
	tick := history.Action{Verb: history.Tick}
	if !r.w.Refusal(tick).No() {
		by := Leap(r.config)
		leap := history.Action{Verb: history.Advance, By: by}
		return []Move{{Action: leap, At: r.w.Now() + by, Why: r.w.Refusal(leap).Message}}
	}
	m := Move{Action: tick}
	for _, d := range r.ahead() {
		if m.Ends == nil || d.At == m.At {
			m.At, m.Ends = d.At, append(m.Ends, d)
		}
	}
	return []Move{m}
}

// ahead lists the deadlines that are still to come.
func (r *runner) ahead() (list []Deadline) {
	for _, k := range r.w.Keys() {
		if d := k.State.Deadline; d > 0 {
			list = append(list, Deadline{At: d + history.Millisecond, Key: k.Key}) // the key still exists at its deadline
		}
	}
	for _, c := range r.config.Clients {
		for _, t := range r.w.Strands(c) {
			if t.Waits {
				list = append(list, Deadline{At: t.Until, Client: history.StrandName(c, t.ID), Sleeps: t.Pending == string(history.Sleep)})
			}
		}
	}
	list = slices.DeleteFunc(list, func(d Deadline) bool { return d.At <= r.w.Now() })
	slices.SortStableFunc(list, func(a, b Deadline) int { return cmp.Compare(a.At, b.At) })
	return list
}

// messages lists what may happen to the commands of each client.
func (r *runner) messages() []Move {
	var out []Move
	for _, a := range r.w.Enabled(kinds(append(messageVerbs, history.Late)...)...) {
		m := Move{Action: a}
		if a.Verb != history.Late {
			m = r.ofStrand(a.Verb, a.Client, r.w.Strands(a.Client)[a.Strand])
		}
		if a.Verb != history.Arrive || m.Sent {
			out = append(out, m)
		}
	}
	return out
}

// faults lists what may happen to processes, clocks and nodes. Only a session ends
// while a process stands still; elsewhere it would be one that takes no step. And
// ZooKeeper loses no data.
func (r *runner) faults() []Move {
	var out []Move
	for _, some := range faultKinds {
		for _, a := range r.w.Enabled(some...) {
			if zookeeper := r.subject.Server == sim.ZooKeeper; a.Verb == history.Pause && !zookeeper || a.Verb == history.Wipe && zookeeper {
				continue
			}
			out = append(out, Move{Action: a})
		}
	}
	return out
}

// faultKinds lists all faults but those of messages, each with all its targets.
var faultKinds = [][]history.Action{
	kinds(processVerbs...),
	kinds(history.Cancel),
	clocks(""),
	kinds(history.Flush),
	slices.Concat(
		kinds(history.Restart, history.Wipe, history.Down, history.Up, history.Slow, history.Fast, history.Evict),
		clocks("any"),
		[]history.Action{{Verb: history.Promote, By: 1}},
	),
	kinds(history.Cut, history.Heal),
}

func kinds(verbs ...history.Verb) (list []history.Action) {
	for _, v := range verbs {
		list = append(list, history.Action{Verb: v})
	}
	return list
}

// clocks lists the clock faults, of clients or of nodes.
func clocks(node string) (list []history.Action) {
	for _, by := range []history.Millis{ClockJump, -ClockJump} {
		list = append(list, history.Action{Verb: history.Jump, Node: node, By: by})
	}
	for _, by := range clockRates {
		list = append(list, history.Action{Verb: history.Rate, Node: node, By: by})
	}
	return list
}
