package pages

import (
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// LabelsOf are the words that the panes need, in the book's language.
func LabelsOf(b *prose.Book) render.Labels {
	text := b.Text
	count := func(id string) func(n int) string {
		return func(n int) string { return b.Fill(id, prose.TextFacts{N: n}) }
	}
	nth := func(id string) func(n, of int) string {
		return func(n, of int) string { return b.Fill(id, prose.TextFacts{N: n, Of: of}) }
	}
	return render.Labels{
		In: b.Language(), Pair: b.Pair, List: func(x, y string) string { return b.List(x, y) }, Invariant: b.InvariantName,
		Violated: func(id string) string { return b.Fill("violates", prose.TextFacts{What: b.InvariantName(id)}) },
		Printed:  func(l history.Line) string { return scenarios.Aloud(b, l) },
		Time:     text("time"),
		NoKeys:   text("no_keys"), Gone: text("gone"), Was: text("was"), New: text("new"), NewTTL: text("new_ttl"),
		NoTTL: text("no_ttl"), TTLOver: text("ttl_over"), More: count("more"),
		Axis: text("axis"), Overlap: text("overlap"), Nobody: text("redis_nobody"),
		Several: count("overlap_several"), Since: count("broken_since"),
		Dead: text("belief_dead"), Hung: text("belief_hung"), Trying: text("belief_trying"),
		Refused: text("belief_refused"), Unknown: text("belief_unknown"), Nothing: text("belief_none"),
		Held: text("belief_held"), AtWork: text("belief_at_work"), Unprotected: text("belief_unprotected"),
		Owned: text("redis_its_own"), LeftBehind: text("redis_left_behind"), Wrong: text("redis_wrong"),
		NoLock: text("redis_no_lock"), OnNodes: nth("on_nodes"),
		Happened: text("happened"), Why: text("why"), Either: text("either"), Replaying: text("replaying"),
		Step:   count("nth_step"),
		Lock:   text("lock"),
		NotYet: text("cell_not_yet"), Working: text("cell_working"), Holds: text("cell_holds"),
		Allowed: text("cell_allowed"), Vacuous: text("cell_vacuous"), Inconclusive: text("cell_inconclusive"),
		Moves: count("branch_moves"), From: count("branch_from"),
		Alive: text("legend_alive"), Inside: text("legend_inside"), Acts: text("legend_acts"),
		Hit: text("legend_hit"), Fault: text("legend_fault"), Bad: text("legend_bad"), Here: text("legend_here"),
		Believes: text("legend_believes"), Initial: text("legend_initial"), Broken: text("legend_broken"), Open: text("legend_open"), Parts: text("legend_parts"),
	}
}
