package pages

import (
	"context"
	"slices"

	"lockstep/internal/lesson"
	"lockstep/internal/prose"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// A comparePage shows two runs with a common beginning side by side, step by step: of
// two locks, or the original and a changed one.
type comparePage struct {
	*shared
	pair   pair
	sides  [2]side
	step   menu // how far both are shown; none while they are under way
	parts  int  // the first step at which they differ; -1 for none
	failed error
	reader
}

// A pair is a source of two runs to compare.
type pair interface {
	title() (left, right string)
	play(ctx context.Context) ([2]side, error)
	name(i int) string
	remark(p *comparePage, step int) render.Caption // what stands above both
	note(p *comparePage, i int) string              // what else there is to say of one
	at(p *comparePage) string                       // where both are
	partsAt(p *comparePage) string                  // where they part
}

// A side is one run of a comparison.
type side struct {
	run     *lesson.Run
	picture picture
	upTo    []int    // the row up to which it is shown, by step
	skipped []bool   // by step: the lock gave no occasion for it; nil for none
	texts   []string // by step: the command, where there are some
}

// compared is the result of both runs.
type compared struct {
	sides [2]side
	err   error
}

var partKey = newKey(moving, 90, "part", "p")

func newComparePage(s *shared, p pair) *comparePage {
	return &comparePage{shared: s, pair: p, parts: -1}
}

// opened plays both.
func (p *comparePage) opened() act {
	if p.step.n > 0 || p.failed != nil {
		return nil
	}
	play := p.pair.play
	return begin(func(ctx context.Context) any {
		sides, err := play(ctx)
		return compared{sides, err}
	})
}

func (p *comparePage) told(answer any) act {
	c, ok := answer.(compared)
	if p.failed = c.err; !ok || c.err != nil {
		return nil
	}
	p.sides, p.step.n = c.sides, len(c.sides[0].upTo)
	p.step.move(0) // no further than there is
	p.parts = partAt(p.sides)
	return nil
}

// partAt returns the first step at which the results of the two runs differ. Different
// commands with the same result are no difference.
func partAt(sides [2]side) int {
	for step := range sides[0].upTo {
		if !lesson.Alike(sides[0].run, sides[0].upTo[step], sides[1].run, sides[1].upTo[step]) {
			return step
		}
	}
	return -1
}

func (p *comparePage) settle() act {
	if p.failed != nil {
		p.fit(render.Wrap(p.in(p.failed), p.width), p.room())
	}
	return nil
}

func (p *comparePage) waits(name string) patience {
	if p.step.n == 0 && p.failed == nil && !backKey.is(name) {
		return inTurn
	}
	return atOnce
}

func (p *comparePage) title() (left, right string) { return p.pair.title() }

// status returns the positions in both runs, and where they diverge.
func (p *comparePage) status() (left, right string) {
	switch {
	case p.failed != nil:
		left = p.theme.Glyphs.Bad + " " + p.book.Text("failed")
		if part := p.count(p.book, render.Wrap(p.in(p.failed), p.width), p.room()); part != "" {
			left = part
		}
	case p.step.n == 0:
		left = p.running()
	default:
		left = p.pair.at(p)
		if right = p.book.Text("parts_nowhere"); p.parts >= 0 {
			right = p.theme.Glyphs.Parts + " " + p.book.Fill("parts_at", prose.TextFacts{What: p.pair.partsAt(p)})
		}
	}
	return left, right
}

func (p *comparePage) keys() []key {
	if p.failed != nil {
		return p.reader.keys()
	}
	step := func(k key, by int) key { return k.now(func() { p.step.move(by) }).when(p.step.n > 0, "") }
	return []key{landmarkKey.now(func() { p.step.at = p.landmark() }).when(p.step.n > 0 && !p.atEnd(), ""), step(stepKey, 1), step(stepBackKey, -1), step(firstKey, -far), step(lastKey, far),
		partKey.now(func() { p.step.at = p.parts }).when(p.parts >= 0, "parts_nowhere")}
}

// landmark returns the next step at which the runs diverge or one of them first violates
// an invariant, or the last step.
func (p *comparePage) landmark() int {
	for at := p.step.at + 1; at < p.step.n; at++ {
		if at == p.parts {
			return at
		}
		for _, s := range p.sides {
			for i, f := range s.run.Found {
				if s.run.FirstOf(f.Invariant) == i && f.Row > s.upTo[at-1] && f.Row <= s.upTo[at] {
					return at
				}
			}
		}
	}
	return p.step.n - 1
}

func (p *comparePage) explains(keys []render.Line) []render.Line { return p.withLegend(keys) }

// atEnd reports whether both runs are shown to their last step.
func (p *comparePage) atEnd() bool { return p.step.n > 0 && p.step.at == p.step.n-1 }

func (p *comparePage) ends() (start, end, failed bool) {
	return p.step.at == 0, p.atEnd(), p.failed != nil
}

func (p *comparePage) turn(by int) (act, bool) {
	if p.failed != nil {
		return nil, p.scroll(render.Wrap(p.in(p.failed), p.width), p.room(), by)
	}
	before := p.step.at
	p.step.move(by)
	return nil, p.step.at != before
}

func (p *comparePage) toEnd() { p.step.at = far }

// body draws both runs up to the current step.
func (p *comparePage) body(w, h int) []render.Line {
	if p.failed != nil {
		return p.show(render.Wrap(p.in(p.failed), w), h)
	}
	if p.step.n == 0 {
		return nil
	}
	room := p.remarkRoom(w, h)
	out := render.Block(p.pair.remark(p, p.step.at).Draw(w, room), w, room)
	return append(out, render.Compare(p.side(0), p.side(1), p.labels, p.theme, w, h-room)...)
}

// remarkRoom is the same for every step, so that nothing jumps.
func (p *comparePage) remarkRoom(w, h int) int {
	first, last := p.pair.remark(p, 0).Draw(w, h), p.pair.remark(p, p.step.n-1).Draw(w, h)
	return min(max(len(first), len(last)), h/3)
}

// side returns one run up to the current step.
func (p *comparePage) side(i int) render.Side {
	s := &p.sides[i]
	out := render.Side{Name: p.pair.name(i), Run: s.picture.of(s.run), At: s.upTo[p.step.at], Parts: -1, Note: p.pair.note(p, i)}
	if p.parts >= 0 {
		out.Parts = s.firstOf(p.parts) // or of the step after, if it adds none
	}
	out.Says, out.Bad = p.fared(*s, out.At)
	if p.atEnd() {
		facts := prose.TextFacts{What: out.Says, Said: p.effect(s.run.At(len(s.run.Rows) - 1).Effect)}
		out.Says = p.book.Fill("fared_finally", facts)
	}
	return out
}

// firstOf returns the first row that a step adds.
func (s side) firstOf(step int) int {
	if step == 0 {
		return 0
	}
	return s.upTo[step-1] + 1
}

// fared returns the gravest violation of a run up to a row.
func (p *comparePage) fared(s side, at int) (says string, bad bool) {
	var met []string
	for _, id := range history.Invariants() {
		if slices.ContainsFunc(s.run.Found, func(f lesson.Found) bool { return f.Invariant == id && f.Row <= at }) {
			met = append(met, id)
		}
	}
	if len(met) == 0 {
		return p.book.Text("none_violated"), false
	}
	return p.book.Fill("violated_so_far", prose.TextFacts{What: p.book.InvariantName(met[0]), N: len(met) - 1}), true
}

// flows: it draws columns.
func (p *comparePage) flows() bool { return false }
