package tui

import (
	"context"
	"slices"

	"lockstep/scenarios"
	"lockstep/scenarios/prose"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// A comparePage is one story, played with two locks, command by command: the
// last part of a chapter, or what somebody asked for who saw a run.
type comparePage struct {
	*shared
	name      func() string
	inChapter bool // it is a part of a chapter
	locks     [2]string
	find      func(context.Context) (*scenarios.Story, error)

	story  *scenarios.Story // nil while both runs are under way
	sides  [2]side
	beat   menu // how far both are shown
	failed error
	reader
}

// A side is one run of a comparison.
type side struct {
	run         *render.Run
	consequence string
	skipped     []bool // by command: the lock gave no occasion for it
}

// compared is what both runs gave.
type compared struct {
	story *scenarios.Story
	sides [2]side
	err   error
}

func newComparePage(s *shared, name func() string, locks [2]string, find func(context.Context) (*scenarios.Story, error)) *comparePage {
	return &comparePage{shared: s, name: name, locks: locks, find: find}
}

// opened plays the story with both locks.
func (p *comparePage) opened() act {
	if p.story != nil || p.failed != nil {
		return nil
	}
	find, locks := p.find, p.locks
	return begin(func(ctx context.Context) any {
		var c compared
		if c.story, c.err = find(ctx); c.err == nil {
			c.sides, c.err = playBoth(ctx, c.story, locks)
		}
		return c
	})
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

func (p *comparePage) told(answer any) act {
	c, ok := answer.(compared)
	if p.failed = c.err; !ok || c.err != nil {
		return nil
	}
	p.story, p.sides, p.beat = c.story, c.sides, menu{0, len(c.story.Steps)}
	return nil
}

func (p *comparePage) settle() act {
	if p.failed != nil {
		p.fit(render.Wrap(p.failed.Error(), p.width), p.room())
	}
	return nil
}

func (p *comparePage) waits(name string) patience {
	if p.story == nil && p.failed == nil && !backKey.is(name) {
		return inTurn
	}
	return atOnce
}

func (p *comparePage) title() (left, right string) { return p.book.Text("side_by_side"), p.name() }

// status says where both runs are.
func (p *comparePage) status() (left, right string) {
	switch {
	case p.failed != nil:
		left = p.theme.Glyphs.Bad + " " + p.book.Text("failed")
		if part := p.count(p.book, render.Wrap(p.failed.Error(), p.width), p.room()); part != "" {
			left = part
		}
	case p.story == nil:
		left = p.running()
	default:
		left = p.book.Fill("at_command", prose.TextFacts{Step: p.beat.at + 1, Steps: p.beat.n})
	}
	return left, ""
}

func (p *comparePage) keys() []key {
	if p.failed != nil {
		return p.reader.keys()
	}
	step := func(k key, by int) key { return k.now(func() { p.beat.move(by) }).when(p.story != nil, "") }
	return []key{step(stepKey, 1), step(stepBackKey, -1), step(firstKey, -far), step(lastKey, far)}
}

func (p *comparePage) explains(keys []string) []string { return p.withLegend(keys) }

// atEnd says whether both are shown to their last command.
func (p *comparePage) atEnd() bool { return p.beat.n > 0 && p.beat.at == p.beat.n-1 }

func (p *comparePage) ends() (start, end, failed bool) {
	return p.beat.at == 0, p.atEnd(), p.failed != nil
}

// body is the command at the cursor with what both locks made of all commands
// so far.
func (p *comparePage) body(w, h int) []string {
	if p.failed != nil {
		return p.show(render.Wrap(p.failed.Error(), w), h)
	}
	if p.beat.n == 0 {
		return nil
	}
	room := p.remarkRoom(w, h)
	out := render.Block(p.remark(p.beat.at).Draw(p.theme, w, room), w, room)
	return append(out, render.Compare(p.side(0), p.side(1), p.labels, p.theme, w, h-room)...)
}

// remark is the command, and at both ends what there is to say of it all.
func (p *comparePage) remark(beat int) render.Caption {
	remark := render.Caption{Hint: p.book.Text("command") + ": " + p.story.Steps[beat].Text}
	switch beat {
	case p.beat.n - 1:
		remark.Text = p.verdictOnBoth()
	case 0:
		remark.Text = p.book.Fill("same_schedule", prose.TextFacts{Said: p.locks[0], What: p.locks[1]})
	}
	return remark
}

// verdictOnBoth is what a comparison came to. A chapter has its own words.
func (p *comparePage) verdictOnBoth() string {
	if p.inChapter {
		return p.book.Chapter(p.locks[0]).After
	}
	id := "breaks_neither"
	switch first, second := len(p.sides[0].run.Found) > 0, len(p.sides[1].run.Found) > 0; {
	case first && second:
		id = "breaks_both"
	case first:
		id = "breaks_first"
	case second:
		id = "breaks_second"
	}
	return p.book.Fill(id, prose.TextFacts{Said: p.locks[0], What: p.locks[1]})
}

// remarkRoom is the same for every command, so that nothing jumps.
func (p *comparePage) remarkRoom(w, h int) int {
	first, last := p.remark(0).Draw(p.theme, w, h), p.remark(p.beat.n-1).Draw(p.theme, w, h)
	return min(max(len(first), len(last)), h/3)
}

// side is how one lock has fared up to the command at the cursor.
func (p *comparePage) side(i int) render.Side {
	s := p.sides[i]
	out := render.Side{Name: p.locks[i], Run: s.run}
	for row := range s.run.Rows {
		if s.run.Rows[row].Beat <= p.beat.at {
			out.At = row
		}
	}
	out.Says, out.Bad = p.fared(s, out.At)
	if p.atEnd() {
		out.Says += ", " + s.consequence
	}
	if n := count(s.skipped[:p.beat.at+1]); n > 0 {
		facts := prose.TextFacts{N: n, Of: p.beat.n, What: p.locks[i]}
		out.Note = p.book.Fill("no_occasions", facts)
		if s.skipped[p.beat.at] {
			out.Note = p.book.Fill("no_occasion", facts)
		}
	}
	return out
}

// fared names the gravest of what a run has violated up to a row.
func (p *comparePage) fared(s side, at int) (says string, bad bool) {
	var met []string
	for _, id := range history.Invariants {
		if slices.ContainsFunc(s.run.Found, func(f render.Found) bool { return f.Invariant == id && f.Row <= at }) {
			met = append(met, id)
		}
	}
	if len(met) == 0 {
		return p.book.Text("none_violated"), false
	}
	return p.book.Fill("violated_so_far", prose.TextFacts{What: met[0], N: len(met) - 1}), true
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
