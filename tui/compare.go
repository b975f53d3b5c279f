package tui

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"lockstep/scenarios"
	"lockstep/scenarios/prose"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// A comparison is one story, played with two locks: the last part of a chapter,
// or what somebody asked for who saw a run (against.go).
type comparison struct {
	from  screen // to which it goes back: courseScreen for a part of a chapter
	title string
	locks [2]string
	story *scenarios.Story // nil while both runs are under way
	sides [2]side
	beat  menu // how far both are shown
	err   error
}

// A side is one run of a comparison.
type side struct {
	run         *render.Run
	consequence string
	skipped     []bool // by command: the lock gave no occasion for it
}

// compared is what both runs of a comparison gave.
type compared struct {
	generation int
	story      *scenarios.Story
	sides      [2]side
	err        error
}

// compare plays a story with both locks.
func (m *model) compare(c comparison, story func(context.Context) (*scenarios.Story, error)) tea.Cmd {
	m.screen, m.scroll, m.comparison = compareScreen, 0, c
	m.generation++
	ctx, generation := m.background.ctx, m.generation
	return func() tea.Msg {
		msg := compared{generation: generation}
		if msg.story, msg.err = story(ctx); msg.err == nil {
			msg.sides, msg.err = playBoth(ctx, msg.story, c.locks)
		}
		return msg
	}
}

func playBoth(ctx context.Context, story *scenarios.Story, locks [2]string) (sides [2]side, err error) {
	for i, lock := range locks {
		result, err := scenarios.RunAgainst(ctx, story.For(lock), lock)
		if err != nil {
			return sides, err
		}
		sides[i] = side{run: newRun(result), consequence: result.Consequence}
		for _, b := range result.Beats {
			sides[i].skipped = append(sides[i].skipped, b.Skipped)
		}
	}
	return sides, nil
}

func (m *model) isCompared(msg compared) {
	if msg.generation != m.generation {
		return
	}
	c := &m.comparison
	if c.err = msg.err; c.err != nil {
		return
	}
	c.story, c.sides, c.beat = msg.story, msg.sides, menu{0, len(msg.story.Steps)}
}

// atEnd says whether both are shown to their last command.
func (c *comparison) atEnd() bool { return c.beat.n > 0 && c.beat.at == c.beat.n-1 }

// compareBody is the command at the cursor with what both locks made of all
// commands so far.
func (m *model) compareBody(w, h int) []string {
	if m.comparison.beat.n == 0 {
		return nil
	}
	room := m.remarkRoom(w, h)
	out := render.Block(m.remark(m.comparison.beat.at).Draw(m.theme, w, room), w, room)
	return append(out, render.Compare(m.side(0), m.side(1), m.labels, m.theme, w, h-room)...)
}

// remark is the command, and at both ends what there is to say of it all.
func (m *model) remark(beat int) render.Caption {
	c := &m.comparison
	remark := render.Caption{Hint: m.book.Text("command") + ": " + c.story.Steps[beat].Text}
	switch beat {
	case c.beat.n - 1:
		remark.Text = m.verdictOnBoth()
	case 0:
		remark.Text = m.book.Fill("same_schedule", prose.TextFacts{Said: c.locks[0], What: c.locks[1]})
	}
	return remark
}

// verdictOnBoth is what a comparison came to. A chapter has its own words.
func (m *model) verdictOnBoth() string {
	c := &m.comparison
	if c.from == courseScreen {
		return m.book.Chapter(c.locks[0]).After
	}
	id := "breaks_neither"
	switch first, second := len(c.sides[0].run.Found) > 0, len(c.sides[1].run.Found) > 0; {
	case first && second:
		id = "breaks_both"
	case first:
		id = "breaks_first"
	case second:
		id = "breaks_second"
	}
	return m.book.Fill(id, prose.TextFacts{Said: c.locks[0], What: c.locks[1]})
}

// remarkRoom is the same for every command, so that nothing jumps.
func (m *model) remarkRoom(w, h int) int {
	first, last := m.remark(0).Draw(m.theme, w, h), m.remark(m.comparison.beat.n-1).Draw(m.theme, w, h)
	return min(max(len(first), len(last)), h/3)
}

// side is how one lock has fared up to the command at the cursor.
func (m *model) side(i int) render.Side {
	c := &m.comparison
	s := c.sides[i]
	out := render.Side{Name: c.locks[i], Run: s.run}
	for row := range s.run.Rows {
		if s.run.Rows[row].Beat <= c.beat.at {
			out.At = row
		}
	}
	out.Says, out.Bad = m.fared(s, out.At)
	if c.atEnd() {
		out.Says += ", " + s.consequence
	}
	if n := count(s.skipped[:c.beat.at+1]); n > 0 {
		facts := prose.TextFacts{N: n, Of: c.beat.n, What: c.locks[i]}
		out.Note = m.book.Fill("no_occasions", facts)
		if s.skipped[c.beat.at] {
			out.Note = m.book.Fill("no_occasion", facts)
		}
	}
	return out
}

// fared names the gravest of what a run has violated up to a row.
func (m *model) fared(s side, at int) (says string, bad bool) {
	var met []string
	for _, id := range history.Invariants {
		if slices.ContainsFunc(s.run.Found, func(f render.Found) bool { return f.Invariant == id && f.Row <= at }) {
			met = append(met, id)
		}
	}
	if len(met) == 0 {
		return m.book.Text("none_violated"), false
	}
	return m.book.Fill("violated_so_far", prose.TextFacts{What: met[0], N: len(met) - 1}), true
}

func count(list []bool) int {
	n := 0
	for _, b := range list {
		if b {
			n++
		}
	}
	return n
}
