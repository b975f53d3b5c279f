package scenarios

import (
	"context"
	"slices"

	"lockstep/internal/lang"
	"lockstep/sim/history"
	"lockstep/sim/world"
)

// A Position is a paused run: its history, and what can happen next.
type Position struct {
	*Result
	Moves []Move // in a fixed order: steps, time, messages, processes, clocks, scripts
}

// A Move is an action that can happen next, with its description.
type Move struct {
	Action history.Action
	Doing  string         // what its strand is about to do, in one word: a command's name, read, sleep ...
	Text   string         // the same in full
	Sent   bool           // its command has been sent
	Due    bool           // it wakes or times out
	At     history.Millis // of a move that lets time pass: the time after it
	Ends   []Deadline     // what happens when time passes
	Why    lang.Message   // why it is impossible; none if it is not
}

// A Deadline is an event of time: a key expires, a client wakes or times out.
type Deadline struct {
	Key    string
	Client string
	Sleeps bool
}

// messageVerbs and processVerbs are the faults of one strand's command and of
// one client.
var (
	messageVerbs = []history.Verb{history.Send, history.Arrive, history.LoseRequest, history.LoseReply}
	processVerbs = []history.Verb{history.Crash, history.Hang}
)

// ClockJump is the learner's jump of a clock, forward or back. It is longer than
// the leases of the stories.
const ClockJump = 10 * history.Second

// clockRates are the learner's rates of a clock, in thousandths.
var clockRates = []history.Millis{250, 4000}

// Leap is how much time passes if there is no deadline. It is longer than a
// lease, since a lease can be kept in a value.
func Leap(c history.Config) history.Millis { return c.TTL + history.Millisecond }

// Look plays a schedule and lists what can happen next; in a level, only what
// its rules allow. For ctx see Run.
func Look(ctx context.Context, config history.Config, schedule history.Schedule, level *Level) (*Position, error) {
	r, err := replayed(ctx, config, schedule)
	if err != nil {
		return nil, err
	}
	defer r.w.Close()
	moves := slices.Concat(r.strandSteps(), r.time(), r.messages(), r.faults())
	if level != nil {
		faults, ticks := level.Spent(schedule)
		moves = slices.DeleteFunc(moves, func(m Move) bool { return !level.allows(m.Action, faults, ticks) })
		if level.Waits {
			moves = r.patient(moves, level)
		}
	}
	if err := r.checkRecovery(); err != nil {
		return nil, err
	}
	return &Position{r.result(), moves}, nil
}

// patient lets time pass only to a deadline and only while no client that has
// begun can take a step, as an exploration without explore.Bounds.Anywhere does.
// If requests can be late, a sent request does not keep time from passing.
func (r *runner) patient(moves []Move, level *Level) []Move {
	delayed := slices.Contains(level.Moves, history.Send)
	busy := slices.ContainsFunc(moves, func(m Move) bool {
		strands := r.w.Strands(m.Action.Client)
		return m.Action.Verb == history.Step && m.Why.None() && strands[0].Pending != "start" && !(delayed && m.Sent && !m.Due)
	})
	moves = slices.DeleteFunc(moves, func(m Move) bool { return m.Action.Verb == history.Advance })
	for i := range moves {
		if m := &moves[i]; m.Action.Verb == history.Tick && m.Why.None() && busy {
			m.Why = lang.New("somebody can step")
		}
	}
	return moves
}

// strandSteps lists what each strand does next, or why it cannot.
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

// time returns the move that lets time pass: to the next deadline or, without
// one, by a leap.
func (r *runner) time() []Move {
	tick := history.Action{Verb: history.Tick}
	if !r.w.Refusal(tick).No() {
		by := Leap(r.config)
		leap := history.Action{Verb: history.Advance, By: by}
		return []Move{{Action: leap, At: r.w.Now() + by, Why: r.w.Refusal(leap).Message}}
	}
	m := Move{Action: tick}
	consider := func(at history.Millis, d Deadline) {
		switch {
		case at <= r.w.Now() || m.At > 0 && at > m.At:
			return
		case at != m.At:
			m.At, m.Ends = at, nil
		}
		m.Ends = append(m.Ends, d)
	}
	for _, k := range r.w.Keys() {
		if d := k.State.Deadline; d > 0 {
			consider(d+history.Millisecond, Deadline{Key: k.Key}) // it is still there at its deadline
		}
	}
	for _, c := range r.config.Clients {
		for _, t := range r.w.Strands(c) {
			if t.Waits {
				consider(t.Until, Deadline{Client: history.StrandName(c, t.ID), Sleeps: t.Pending == "sleep"})
			}
		}
	}
	return []Move{m}
}

// messages lists the moves of each client's commands.
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

// faults lists the faults of clients, clocks and nodes.
func (r *runner) faults() []Move {
	var out []Move
	for _, some := range faultKinds {
		for _, a := range r.w.Enabled(some...) {
			out = append(out, Move{Action: a})
		}
	}
	return out
}

// faultKinds lists all faults but those of messages.
var faultKinds = [][]history.Action{
	kinds(processVerbs...),
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

// clocks lists a learner's changes of the clocks of clients, or of nodes if any
// is named.
func clocks(node string) (list []history.Action) {
	for _, by := range []history.Millis{ClockJump, -ClockJump} {
		list = append(list, history.Action{Verb: history.Jump, Node: node, By: by})
	}
	for _, by := range clockRates {
		list = append(list, history.Action{Verb: history.Rate, Node: node, By: by})
	}
	return list
}
