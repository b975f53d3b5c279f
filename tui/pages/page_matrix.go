package pages

import (
	"context"
	"slices"

	"lockstep/internal/lang"
	"lockstep/internal/lesson"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// A matrixPage shows every lock against every hazard, and the details of the cell at
// the cursor.
type matrixPage struct {
	preview // of the violations that were chosen
}

func newMatrixPage(s *shared) *matrixPage {
	return &matrixPage{newPreview(s)}
}

var (
	leftKey  = keyOf("left")
	rightKey = keyOf("right")
)

// The least height of the details, in lines: with and without an example beside them.
const (
	usualDetail = 12
	smallDetail = 7
)

func (p *matrixPage) opened() act {
	p.preview.opened()
	return p.board.begin
}

func (p *matrixPage) title() (left, right string) {
	return p.Text("matrix"), p.lockName(p.board.source.Locks[p.board.lock.at])
}

func (p *matrixPage) keys() []key {
	b := p.board
	across := func(by int) { b.move(0, by) }
	keys := moveKeys(func(by int) { b.move(by, 0) })
	keys = append(keys, leftKey.by(-1, across), rightKey.by(1, across), keyOf("again").to(b.again).when(b.source.Again != nil))
	return append(keys, p.cellKeys(false, push(newCellPage(p)))...)
}

// waits makes the keys for a cell wait for it. A cell may take long, so another key
// replaces one that waits.
func (p *matrixPage) waits(name string) patience {
	if leftKey.is(name) || rightKey.is(name) {
		return atOnce
	}
	return p.board.waits(name)
}

func (b *board) waits(name string) patience {
	forCell := slices.ContainsFunc([]key{openKey, compareKey, nextKey, previousKey}, func(k key) bool { return k.is(name) })
	if forCell && b.here() == nil && !b.ended {
		return untilAnother
	}
	return atOnce
}

// body draws the table and the details of the cell at the cursor.
func (p *matrixPage) body(w, h int) render.Lines {
	low := p.detailHeight(h)
	top := h - low - 1
	out := p.table().Draw(p.Theme, w, top).Block(w, top)
	left, right := w, 0
	if w >= besideLocks && p.board.found() != nil {
		left = w * 9 / 20
		right = w - left - 1
	}
	text, chosen := p.cellText(left, false)
	name := p.cellName()
	if len(text) > low {
		name = p.With(name, p.Gap("matrix_more", p.named(cardKey)))
	}
	out = append(out, p.Heading(name, w))
	shown, _ := text.Scroll(chosen-low+1, low)
	lines := shown.Block(left, low)
	if right > 0 {
		var lanes render.Lines
		if run, at := p.example(); run != nil {
			lanes = p.Lanes(p.picture.of(run), render.Cursor{At: at}, right, min(low, at+6))
		}
		lines = lines.Beside(lanes.Block(right, low), p.Glyphs.Bar)
	}
	return append(out, lines...)
}

// settle runs the chosen violation, if there is room for its picture.
func (p *matrixPage) settle() act {
	f, c := p.board.found(), p.board.here()
	if f == nil || p.width < besideLocks && !p.Flow {
		return nil
	}
	return p.play(f, func(ctx context.Context) (*scenarios.Result, error) {
		_, result, err := p.counterexample(ctx, c.Config.Strategy, c.Config, f)
		return result, err
	})
}

// example returns the run of the chosen violation, and the row of that; nil if it is not
// known.
func (p *matrixPage) example() (run *lesson.Run, at int) {
	if f := p.board.found(); f != nil {
		if run = p.runs[f]; run != nil {
			at = run.Found[max(0, run.FirstOf(f.Violation.Invariant))].Row
		}
	}
	return run, at
}

// detailHeight returns the height of the details: what the table leaves, but at least
// the least, or a good half of a low screen. It is the same for every cell, so that
// nothing jumps.
func (p *matrixPage) detailHeight(h int) int {
	least := usualDetail
	if p.width < besideLocks {
		least = smallDetail
	}
	return max(h-p.table().Height()-1, min(least, h*11/20))
}

// hazardNames returns the names of the hazards; in English their ids.
func (p *matrixPage) hazardNames() []string {
	names := make([]string, len(p.board.source.Hazards))
	for i, id := range p.board.source.Hazards {
		names[i] = p.Fill("hazard", facts{Hazard: id, What: p.Hazard(id).Name})
	}
	return names
}

func (p *matrixPage) table() render.Matrix {
	b := p.board
	return render.Matrix{
		Locks: b.source.Locks, Hazards: p.hazardNames(), Cells: b.verdicts(), Lock: b.lock.at, Hazard: b.hazard.at,
	}
}

// status returns how much is computed, and which part is visible if not all is.
func (p *matrixPage) status() (left, right string) {
	if p.Flow {
		return p.computed(), "" // all of it is visible
	}
	h := p.room()
	locks, hazards := p.table().Window(p.width, h-p.detailHeight(h)-1)
	part := func(id string, s render.Range, of int) string {
		if s.To-s.From == of {
			return ""
		}
		return p.Fill(id, facts{From: s.From + 1, To: s.To, Of: of})
	}
	return p.computed(), p.List(part("shown_locks", locks, p.board.lock.n), part("shown_hazards", hazards, p.board.hazard.n))
}

// Common to the table and the page of one cell.

// computed returns how much is computed, or why it ended.
func (p *matrixPage) computed() string {
	b := p.board
	if b.err != nil {
		return p.errorLine()
	}
	status := p.Fill("cells", facts{N: b.done, Of: len(b.cells), Said: b.source.Made})
	if len(p.stuck) > 0 {
		status += "  " + p.running()
	}
	return status
}

// cellKeys returns the keys for the cell at the cursor. detail shows the whole cell, or
// the table again.
func (p *matrixPage) cellKeys(whole bool, detail act) []key {
	b := p.board
	c := b.here()
	found := 0
	if c != nil {
		found = len(c.Found)
	}
	open := openKey.act(detail)
	if found > 0 {
		open = openKey.to(func() act { return push(p.foundPage()) })
	}
	return []key{
		nextKey.by(1, b.choose).when(found > 1), previousKey.by(-1, b.choose).when(found > 1), open.when(found > 0 || c != nil && !whole), cardKey.act(detail),
		compareKey.to(p.compareFound).when(found > 0),
		copyKey.to(func() act { return p.showToken(history.Token(c.Config, b.found().Schedule), c.Config.Strategy, nil) }).when(found > 0),
	}
}

// foundPage shows the run of the chosen violation.
func (p *matrixPage) foundPage() page {
	name, find := p.chosen()
	return newRunPage(p.shared, p.board.here().Config.Strategy, name, find)
}

// chosen returns the name of the run of the chosen violation, and how it is found, also when
// another one is chosen.
func (p *matrixPage) chosen() (name func() string, find finds) {
	c, f := p.board.here(), p.board.found()
	about := func(b *prose.Book) facts {
		return facts{
			Invariant: b.InvariantName(f.Violation.Invariant), Hazard: c.Hazard, What: b.Hazard(c.Hazard).Name, N: len(f.Schedule),
		}
	}
	name = func() string { return p.Fill("found_story", about(p.Book)) }
	title := name()
	return name, func(ctx context.Context) (*scenarios.Story, error) {
		story, _, err := p.counterexample(ctx, title, c.Config, f)
		if err == nil {
			story.Steps[0].Captions = map[string]string{}
			for _, language := range prose.Languages() {
				book := prose.Load(language)
				story.Steps[0].Captions[language] = book.Fill("found_caption", about(book))
			}
		}
		return story, err
	}
}

// compareFound asks for a lock to compare the run with.
func (p *matrixPage) compareFound() act {
	name, find := p.chosen()
	return push(newSecondPage(p.shared, name, p.board.here().Config.Strategy, find))
}

// counterexample plays a schedule of the explorer as a story. It returns an error if
// the run does not violate the invariant.
func (s *shared) counterexample(ctx context.Context, title string, config history.Config, f *explore.Found) (*scenarios.Story, *scenarios.Result, error) {
	story, err := scenarios.FromSchedule(ctx, title, config, f.Schedule)
	if err != nil {
		return nil, nil, err
	}
	result, err := s.run(ctx, story)
	if err != nil {
		return nil, nil, err
	}
	if _, ok := result.Violation(f.Violation.Invariant); !ok {
		return nil, nil, lang.Errorf("the schedule does not violate %s: %s", f.Violation.Invariant, history.Token(config, f.Schedule))
	}
	return story, result, nil
}
