package lesson

import (
	"lockstep/internal/lang"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// Labels are the words that panes write beside the data, in the learner's
// language.
type Labels struct {
	In        lang.Language
	Invariant func(id string) string      // its name
	Violated  func(id string) string      // that it is violated
	Printed   func(l history.Line) string // a line that a command printed

	Pair, List func(a, b string) string // a name and what it is; one thing and the next

	Time string // above the rows' times

	NoKeys, Gone, New, NewTTL, NoTTL, TTLOver string
	Session                                   string                            // how long an ephemeral znode remains
	More                                      func(n int) string                // so many keys are not shown
	Rest                                      func(hold, open, more int) string // of invariants that have no row

	Axis, Overlap  string             // names of the ruler and a band
	Nobody         string             // owns the lock
	Several, Since func(n int) string // so many believe; an invariant is broken from that step on
	// What a client believes.
	Dead, Hung, Trying, Refused, Unknown, Nothing, Held, AtWork, Unprotected string
	// What Redis says about it.
	Owned, LeftBehind, Wrong, NoLock string
	OnNodes                          func(n, of int) string

	// The labels of a violation's card.
	Why, Replaying string
	Step           func(n int) string

	Lock                                                   string // above the locks' names
	NotYet, Working, Holds, Allowed, Vacuous, Inconclusive string // what a cell of the matrix says
	Harm                                                   func(history.Harm) string

	Picture Words

	Moves, From func(n int) string // of a branch: so many, and where it left another

	// What the marks mean: of the lanes, of the bands, of the strip.
	Here, WasThere, ACause, LongerLease, Alive, Inside, Acts, OnItsWay, Passes, Fault, Bad, Believes, Initial, Broken, Open, Parts, RightAnswer, OtherAnswer, Won string
}

// Words are what a picture writes among its shapes.
type Words struct {
	Crowd string                   // where several clients are in the critical section
	Stuck string                   // where somebody waits in vain
	NoTTL string                   // in a lease without an end
	Lease func(what string) string // at the end of a longer lease
	Sign  func(id string) string   // what a shape means
}

// LabelsOf returns the labels in the book's language.
func LabelsOf(b *prose.Book) Labels {
	text := b.Text
	count := func(id string) func(n int) string {
		return func(n int) string { return b.Fill(id, prose.TextFacts{N: n}) }
	}
	nth := func(id string) func(n, of int) string {
		return func(n, of int) string { return b.Fill(id, prose.TextFacts{N: n, Of: of}) }
	}
	return Labels{
		In: b.Language(), Pair: b.Pair, List: func(x, y string) string { return b.List(x, y) }, Invariant: b.InvariantName,
		Violated: func(id string) string { return b.Fill("violates", prose.TextFacts{What: b.InvariantName(id)}) },
		Printed:  func(l history.Line) string { return scenarios.PlainLine(b, l) },
		Time:     text("time"),
		NoKeys:   text("no_keys"), Gone: text("gone"), New: text("new"), NewTTL: text("new_ttl"),
		NoTTL: text("no_ttl"), Session: text("session"), TTLOver: text("ttl_over"), More: count("more"),
		Rest: func(hold, open, more int) string {
			return b.Fill("rest", prose.TextFacts{N: hold, Of: open, From: more})
		},
		Axis: text("axis"), Overlap: text("overlap"), Nobody: text("redis_nobody"),
		Several: count("overlap_several"), Since: count("broken_since"),
		Dead: text("belief_dead"), Hung: text("belief_hung"), Trying: text("belief_trying"),
		Refused: text("belief_refused"), Unknown: text("belief_unknown"), Nothing: text("belief_none"),
		Held: text("belief_held"), AtWork: text("belief_at_work"), Unprotected: text("belief_unprotected"),
		Owned: text("redis_its_own"), LeftBehind: text("redis_left_behind"), Wrong: text("redis_wrong"),
		NoLock: text("redis_no_lock"), OnNodes: nth("on_nodes"),
		Why: text("why"), Replaying: text("replaying"),
		Step:   count("nth_step"),
		Lock:   text("lock"),
		NotYet: text("cell_not_yet"), Working: text("cell_working"), Holds: text("cell_holds"),
		Allowed: text("cell_allowed"), Vacuous: text("cell_vacuous"), Inconclusive: text("cell_inconclusive"),
		Harm: func(h history.Harm) string { return text("harm_" + string(h)) },
		Picture: Words{
			Crowd: text("harm_inside"), Stuck: text("harm_stuck"), NoTTL: text("no_ttl"),
			Lease: func(what string) string { return b.Fill("picture_longer", prose.TextFacts{What: what}) },
			Sign:  func(id string) string { return text("picture_" + id) },
		},
		Moves: count("branch_moves"), From: count("branch_from"),
		Alive: text("legend_alive"), Inside: text("legend_inside"), Acts: text("legend_acts"),
		OnItsWay: text("legend_way"), Passes: text("legend_passes"), Fault: text("legend_fault"), Bad: text("legend_bad"), Here: text("legend_here"),
		WasThere: text("legend_was"), ACause: text("legend_cause"), LongerLease: text("legend_ghost"),
		Believes: text("legend_believes"), Initial: text("legend_initial"), Broken: text("legend_broken"), Open: text("legend_open"), Parts: text("legend_parts"), RightAnswer: text("legend_right"), OtherAnswer: text("legend_wrong"), Won: text("legend_won"),
	}
}
