package tui

import (
	"fmt"
	"strconv"
	"strings"

	"lockstep/scenarios"
	"lockstep/scenarios/prose"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// The panes of a game. A wide terminal shows the last two all the time.
const (
	movesPane pane = panes + iota
	branchesPane
)

// gamePane is the pane in which the learner picks, or the tree.
func (m *model) gamePane(w, h int) (name string, lines []string) {
	g := m.game
	if m.pane == branchesPane {
		return m.book.Text("branches"), render.Branches(m.branchLines(), m.labels, m.theme, w, h)
	}
	name = m.book.Text("moves")
	if next := g.next(); next != nil {
		name += " (" + m.book.Fill("moves_later", prose.TextFacts{N: g.tip.depth - g.at.depth}) + ")"
	}
	if g.choice() != nil {
		return name, render.Moves(m.moveLines(), g.chosen, m.theme, w, h)
	}
	lines = render.Wrap(m.book.Text("no_moves"), w)
	return name, append(lines, render.Moves(m.moveLines(), g.chosen, m.theme, w, h-len(lines))...)
}

// leftPane is what a wide terminal shows beside the lanes.
func (m *model) leftPane(w, h int) (name string, lines []string) {
	if m.screen == gameScreen && m.pane != sourcePane {
		return m.gamePane(w, h)
	}
	file, code := m.code()
	return m.book.Text("source") + " " + file, render.Source(code, m.theme, w, h)
}

// gameTitle is the lock, and what is played against it.
func (m *model) gameTitle() (left, right string) {
	left, right = m.book.Lock(m.game.config.Strategy).Name, m.book.Text("you_pick")
	if m.game.level != nil {
		return left, right + ": " + m.book.Level(m.game.level.ID).Name
	}
	return left, right + ": " + m.title
}

func (m *model) moveLines() []render.Move {
	var out []render.Move
	for _, move := range m.game.at.position.Moves {
		line := render.Move{Group: m.book.Text(groupOf(move.Action)), Text: move.Why, Not: move.Why != ""}
		if !line.Not {
			line.Text = m.moveText(move)
		}
		out = append(out, line)
	}
	return out
}

// groupOf is the id of the heading under which an action stands.
func groupOf(a history.Action) string {
	if a.Node != "" {
		return "group_nodes"
	}
	switch a.Verb {
	case history.Step:
		return "group_steps"
	case history.Tick, history.Advance:
		return "group_time"
	case history.Crash, history.Hang:
		return "group_processes"
	case history.Jump, history.Rate, history.Flush:
		return "group_clocks"
	}
	return "group_messages"
}

// moveText says in words what would happen.
func (m *model) moveText(move scenarios.Move) string {
	a := move.Action
	who := a.Who()
	facts := prose.TextFacts{What: move.Text}
	switch a.Verb {
	case history.Step:
		return who + ": " + m.stepText(move)
	case history.Tick, history.Advance:
		parts := []string{m.book.Text("time") + ": " + move.At.String()}
		if a.Verb == history.Advance {
			parts = append(parts, m.book.Text("ends_nothing"))
		}
		for _, d := range move.Ends {
			parts = append(parts, m.deadlineText(d))
		}
		return strings.Join(parts, ", ")
	case history.Flush:
		return m.book.Text("move_flush")
	case history.Cut, history.Heal:
		facts.What = a.Node
	case history.Jump:
		facts.What = fmt.Sprintf("%+ds", a.By/history.Second)
	case history.Rate:
		facts.What = fmt.Sprintf("%d%%", a.By/10)
	}
	return who + ": " + m.book.Fill("move_"+string(a.Verb), facts)
}

// stepText says what a thread does at its next step.
func (m *model) stepText(move scenarios.Move) string {
	facts := prose.TextFacts{What: move.Text}
	switch text := m.book.Text("op_" + move.Doing); {
	case text != "" && move.Doing != "sleep" || move.Doing == "sleep" && move.Due:
		facts.What = m.game.config.Resource
		return m.book.Fill("op_"+move.Doing, facts)
	case move.Sent && move.Due:
		return m.book.Fill("move_gives_up", facts)
	case move.Sent:
		return m.book.Fill("move_reply", facts)
	}
	return move.Text
}

func (m *model) deadlineText(d scenarios.Deadline) string {
	switch {
	case d.Key != "":
		return m.book.Fill("ends_key", prose.TextFacts{What: d.Key})
	case d.Sleeps:
		return m.book.Fill("ends_sleep", prose.TextFacts{What: d.Client})
	}
	return m.book.Fill("ends_patience", prose.TextFacts{What: d.Client})
}

func (m *model) branchLines() []render.Branch {
	var out []render.Branch
	goal := ""
	if l := m.game.level; l != nil {
		goal = l.Goal
	}
	for _, b := range m.game.branches() {
		line := render.Branch{
			Name: m.book.Text([]string{"branch_own", "branch_story", "branch_shortest"}[b.tip.origin]),
			Nest: b.nest, Left: b.left, Steps: b.tip.depth, End: m.book.Text("branch_open"), Here: b.tip == m.game.tip,
		}
		if b.tip.over() {
			line.End = m.book.Text("branch_over")
		}
		if id, more := b.tip.gravest(goal); id != "" {
			if line.End, line.Bad = id, true; more > 0 {
				line.End += fmt.Sprintf(" +%d", more)
			}
		}
		out = append(out, line)
	}
	return out
}

// gameStatus is where the learner is, and what the rules have left.
func (m *model) gameStatus() (left, right string) {
	g := m.game
	left = m.book.Fill("at_move", prose.TextFacts{N: g.at.depth, Of: g.tip.depth}) + "  t=" + m.run.Time(m.player.at).String()
	for _, i := range g.at.fresh() {
		left += "  " + m.theme.Glyphs.Bad + " VIOLATED " + g.at.found[i].Invariant
	}
	if g.busy {
		left += "  " + m.running()
	}
	var parts []string
	if l := g.level; l != nil {
		faults, times := l.Spent(g.at.schedule())
		for _, of := range []struct {
			id     string
			n, all int
		}{{"spent_faults", faults, l.Faults}, {"spent_time", times, l.Times}} {
			if of.all > 0 {
				parts = append(parts, m.book.Fill(of.id, prose.TextFacts{N: of.n, Of: of.all}))
			}
		}
	}
	if list := g.branches(); len(list) > 1 {
		parts = append(parts, m.book.Fill("nth_branch", prose.TextFacts{N: g.branchAt(list) + 1, Of: len(list)}))
	}
	return left, strings.Join(parts, ", ")
}

// spareText lists the learner's moves that could be left out; "" while that
// is not known.
func (m *model) spareText() string {
	g := m.game
	if g.spare == nil {
		return ""
	}
	var words []string
	for i, n := range g.goal.path() {
		if g.spare[i] {
			words = append(words, strconv.Itoa(i+1)+" "+n.words)
		}
	}
	if len(words) == 0 {
		return m.book.Text("spare_none")
	}
	return strings.Join(words, "; ")
}
