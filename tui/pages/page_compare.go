package pages

import (
	"context"
	"slices"
	"strings"

	"lockstep/internal/lesson"
	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// A comparePage shows two runs with a common beginning side by side, step by step: of
// two locks, or the original and a changed one.
type comparePage struct {
	failing
	pair  pair
	sides [2]side
	step  menu // how far both are shown; none while they are under way
	parts int  // the first step at which they differ; -1 for none
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
	upTo    []int             // the row up to which it is shown, by step
	skipped []bool            // by step: the lock gave no occasion for it; nil for none
	steps   []*scenarios.Step // of the story; nil for none
	told    []bool            // by step: the story says something of it; nil for none
}

func newComparePage(s *shared, p pair) *comparePage {
	return &comparePage{failing: failing{shared: s}, pair: p, parts: -1, step: menu{at: -1}}
}

// begins returns the step at which the comparison opens: two before the runs part. A class sees all
// of it.
func (p *comparePage) begins() int {
	if p.talk != nil {
		return 0
	}
	return max(0, p.parts-2)
}

// opened plays both.
func (p *comparePage) opened() act {
	if p.step.n > 0 || p.failed != nil {
		return nil
	}
	play := p.pair.play
	return begin(func(ctx context.Context) act {
		sides, err := play(ctx)
		return func(*Shell) Cmd {
			if p.failed = err; err != nil {
				return nil
			}
			p.sides, p.step.n = sides, len(sides[0].upTo)
			for p.parts = 0; p.parts < p.step.n && alike(sides, p.parts); p.parts++ {
			}
			if p.parts == p.step.n {
				p.parts = -1
			}
			if p.step.at < 0 {
				p.step.at = p.begins()
			}
			p.step.move(0) // no further than there is
			return nil
		}
	})
}

func alike(sides [2]side, step int) bool {
	a, b := sides[0].upTo[step], sides[1].upTo[step]
	return lesson.Alike(sides[0].run, a, sides[1].run, b) && slices.Equal(sides[0].violates(a), sides[1].violates(b))
}

// violates returns which invariants a run violates up to a row.
func (s side) violates(at int) []string {
	return slices.DeleteFunc(history.Invariants(), func(id string) bool {
		return !slices.ContainsFunc(s.run.Found, func(f lesson.Found) bool { return f.Invariant == id && f.Row <= at })
	})
}

// refuses reports whether the resource refuses a write at a row.
func (s side) refuses(row int) bool {
	r := s.run.Rows[row]
	return slices.ContainsFunc(s.run.History.Events[r.From:r.To], func(e history.Event) bool { return e.Op == history.Refuse })
}

// partRow returns the row of one run that differs from the other run at a step: the first
// with a result, a violation or a refused write that the other does not have there, or
// else with another text. A command that Redis did not know does not count as one.
func partRow(sides [2]side, i, step int) int {
	one, other := sides[i], sides[1-i]
	from, to := one.firstOf(step), one.upTo[step]
	if from > to {
		return from
	}
	began, end := max(0, other.firstOf(step)-1), other.upTo[step]
	var texts []string
	refused := false
	for row := other.firstOf(step); row <= end; row++ {
		texts = append(texts, other.run.Rows[row].Text.String())
		refused = refused || other.refuses(row)
	}
	for row := from; row <= to; row++ {
		met := false
		for at := began; at <= end; at++ {
			met = met || lesson.Alike(one.run, row, other.run, at)
		}
		fails := slices.ContainsFunc(one.run.Rows[row].Found, func(n int) bool {
			return !slices.Contains(other.violates(end), one.run.Found[n].Invariant)
		})
		if !met || fails || !refused && one.refuses(row) {
			return row
		}
	}
	for row := from; row <= to; row++ {
		if text := one.run.Rows[row].Text.String(); !slices.Contains(texts, text) && !strings.Contains(text, "NOSCRIPT") {
			return row
		}
	}
	return to
}

func (p *comparePage) settle() act {
	p.fit(p.failure(), p.room())
	return nil
}

func (p *comparePage) waits(name string) patience {
	return until(p.step.n > 0 || p.failed != nil, name)
}

func (p *comparePage) title() (left, right string) { return p.pair.title() }

// status returns the positions in both runs, and where they diverge.
func (p *comparePage) status() (left, right string) {
	if trouble := p.trouble(p.step.n > 0); trouble != "" {
		return trouble, ""
	}
	switch {
	case p.parts < 0:
		right = p.Text("parts_nowhere")
	case p.step.at >= p.parts: // before, it is for the learner to see where
		right = p.Glyphs.Parts + " " + p.Gap("parts_at", p.pair.partsAt(p))
	}
	return p.pair.at(p), right
}

func (p *comparePage) keys() []key {
	if p.failed != nil {
		return p.reader.keys()
	}
	step := func(k key, by int) key { return k.by(by, p.step.move).when(p.step.n > 0) }
	return []key{landmarkKey.now(func() { p.step.at = p.landmark() }).when(p.step.n > 0 && !p.atEnd(), "why_end"), step(stepKey, 1), step(stepBackKey, -1), step(firstKey, -far), step(lastKey, far),
		keyOf("part").now(func() { p.step.at = p.parts }).when(p.parts >= 0, "parts_nowhere")}
}

// landmark returns the next step at which the runs diverge, of which the story says
// something, or in which a fault happens, a lease ends or an invariant is first violated;
// or the last step.
func (p *comparePage) landmark() int {
	for at := p.step.at + 1; at < p.step.n; at++ {
		if at == p.parts || alike(p.sides, at-1) && !alike(p.sides, at) || p.sides[0].matters(at) || p.sides[1].matters(at) {
			return at
		}
	}
	return p.step.n - 1
}

// matters reports whether a step of a run is worth a stop by itself.
func (s side) matters(step int) bool {
	if s.told != nil && s.told[step] {
		return true
	}
	for row := s.firstOf(step); row <= s.upTo[step]; row++ {
		for _, i := range s.run.Rows[row].Found {
			if s.run.FirstOf(s.run.Found[i].Invariant) == i {
				return true
			}
		}
		for _, e := range s.run.History.Events[s.run.Rows[row].From:s.run.Rows[row].To] {
			if e.Kind == history.Fault || e.Kind == history.Expire {
				return true
			}
		}
	}
	return false
}

func (p *comparePage) explains() render.Lines { return p.Legend(p.width) }

// atEnd reports whether both runs are shown to their last step.
func (p *comparePage) atEnd() bool { return p.step.n > 0 && p.step.at == p.step.n-1 }

func (p *comparePage) ends() (start, end, failed bool) {
	return p.step.at <= 0, p.atEnd(), p.failed != nil
}

func (p *comparePage) cursor() *int { return &p.step.at }

func (p *comparePage) turn(by int) (act, bool) {
	if p.failed != nil {
		return nil, p.scroll(p.failure(), p.room(), by)
	}
	before := p.step.at
	p.step.move(by)
	return nil, p.step.at != before
}

func (p *comparePage) toEnd() { p.step.at = far }

// body draws both runs up to the current step.
func (p *comparePage) body(w, h int) render.Lines {
	if p.step.n == 0 {
		return p.show(p.failure(), h)
	}
	room := p.remarkRoom(w, h)
	out := p.pair.remark(p, p.step.at).Draw(w, room).Block(w, room)
	return append(out, p.Compare(p.side(0), p.side(1), w, h-room)...)
}

// remarkRoom is the same for every step, so that nothing jumps.
func (p *comparePage) remarkRoom(w, h int) int {
	most := 0
	for step := range p.step.n {
		most = max(most, len(p.pair.remark(p, step).Draw(w, h)))
	}
	return min(most, h/3)
}

// side returns one run up to the current step.
func (p *comparePage) side(i int) render.Side {
	s := &p.sides[i]
	out := render.Side{Name: p.pair.name(i), Run: s.picture.of(s.run), At: s.upTo[p.step.at], Parts: -1, Note: p.pair.note(p, i)}
	if p.parts >= 0 {
		out.Parts = partRow(p.sides, i, p.parts)
	}
	out.Says, out.Bad = p.fared(*s, out.At)
	if p.atEnd() {
		with := facts{What: out.Says, Said: p.effect(s.run.At(len(s.run.Rows) - 1).Effect)}
		out.Says = p.Fill("fared_finally", with)
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
	met := s.violates(at)
	if len(met) == 0 && !p.atEnd() {
		return p.Text("none_so_far"), false
	}
	if len(met) == 0 {
		return p.Text("none_violated"), false
	}
	return p.Fill("violated_so_far", facts{What: p.InvariantName(met[0]), N: len(met) - 1}), true
}
