package pages

import (
	"slices"

	"lockstep/internal/diagram"
	"lockstep/internal/lesson"
	"lockstep/tui/render"
)

// A pane is what a narrow terminal shows below the lanes.
type pane int

const (
	sourcePane pane = iota
	keysPane
	beliefsPane
	stripPane
	stepsPane // only alone: otherwise it is always there
	cardPane  // not chosen: it is there while a card is open
	panes     // how many there are
)

const (
	tallHeight = 36 // from here on a wide terminal has room for everything
	leastSteps = 4  // rows of the lanes beside a strip of a card
	leastTop   = 10 // lines of source and lanes above it
	widestKeys = 76 // cells: beyond, a key's TTL is far from its name
	broadWidth = 120
	leastRight = 44 // cells of what stands beside the bands
	keysBelow  = 3  // lines of the keys below them, with their heading
	leastLow   = 10 // lines of bands and strip together

	leastPicks  = 5 // lines to pick from ...
	leastSource = 4 // ... above the source, where there is room for both
)

// isTall reports whether bands and strip stand below the other panes.
func (s *shared) isTall() bool { return !s.isNarrow() && s.height >= tallHeight }

// choosable lists the panes of which only one fits.
func (v *viewer) choosable() []pane {
	list := []pane{sourcePane, keysPane, beliefsPane, stripPane}
	switch {
	case v.zoomed:
		list = append(list, stepsPane)
	case v.isTall():
		list = []pane{sourcePane}
	case !v.isNarrow():
		list = []pane{sourcePane, stripPane} // the rest is shown beside them
	}
	return append(v.host.panes(), list...)
}

// nextPane shows another pane if not all fit.
func (v *viewer) nextPane() {
	list := v.choosable()
	v.pane = list[(max(0, slices.Index(list, v.pane))+1)%len(list)]
}

// toZoom returns the key that makes one pane fill the screen, and back.
func (v *viewer) toZoom() key {
	return zoomKey.now(func() {
		if v.zoomed = !v.zoomed; !v.zoomed && v.pane == stepsPane {
			v.nextPane()
		}
	}).when(!v.covered(), "")
}

// panesOf draws all panes that fit.
func (v *viewer) panesOf(w, h int) []render.Line {
	if v.zoomed {
		name, lines := v.alone(v.pane, w, h-1)
		return append([]render.Line{v.heading(v.pane, name, w)}, render.Block(lines, w, h-1)...)
	}
	if v.isNarrow() {
		return v.stacked(w, h)
	}
	snap, run := v.snapshot(), v.run
	if _, _, ok := v.bandColumns(w, h); ok {
		return v.broad(w, h, nil)
	}
	if v.hasLow(h) {
		rest := h - leastTop - 2
		bands := render.Timeline(run, snap, v.cursor(), v.labels, v.theme, w, rest-1)
		low := len(bands)
		keys := max(1, min(3, rest-low))
		out := v.beside(w, h-low-keys-2)
		out = append(out, v.heading(keysPane, v.book.Text("keys"), w))
		out = append(out, render.Block(render.Keys(snap, v.labels, v.theme, min(w, widestKeys), keys), w, keys)...)
		out = append(out, v.heading(beliefsPane, v.book.List(v.book.Text("beliefs"), v.book.Text("invariants")), w))
		return append(out, bands...)
	}
	if v.pane == stripPane {
		low := max(3, min(render.StripLines(run), h-5))
		out := append(v.beside(w, h-low-1), v.heading(stripPane, v.book.Text("invariants"), w))
		return append(out, render.Strip(run, v.cursor(), v.labels, v.theme, w, low)...)
	}
	left, right := v.columns(w)
	low := max(3, min(9, h*2/5))
	if v.card {
		low = max(low, min(render.BeliefLines(run), h/2)) // the causes are on the ruler
	}
	bands := render.Beliefs(run, snap, v.cursor(), v.labels, v.theme, right, low)
	low = len(bands)
	out := v.beside(w, h-low-1)
	out = append(out, v.headings(keysPane, v.book.Text("keys"), left, beliefsPane, v.book.Text("beliefs"), right)...)
	return append(out, render.Beside(
		render.Block(render.Keys(snap, v.labels, v.theme, left, low), left, low),
		render.Block(bands, right, low),
		v.theme.Bar)...)
}

// bandColumns returns the widths of the bands and of what stands beside them; ok is
// false if nothing does.
func (v *viewer) bandColumns(w, h int) (left, right int, ok bool) {
	left, _ = v.columns(w) // as above, so that nothing jumps when a game goes on
	left = max(left, min(render.BandWidth(v.run, v.labels), w-leastRight-1))
	right = w - left - 1
	return left, right, !v.zoomed && v.hasLow(h) && w >= broadWidth
}

// hasLow reports whether bands and strip fit below source and lanes.
func (v *viewer) hasLow(h int) bool { return v.isTall() && h-leastTop-2 > leastLow }

// broad draws the bands below source and lanes with the keys beside them. The card of a
// violation replaces the keys, which move below the bands.
func (v *viewer) broad(w, h int, card []render.Line) []render.Line {
	left, right, _ := v.bandColumns(w, h)
	keys := func(w, h int) []render.Line { return render.Keys(v.snapshot(), v.labels, v.theme, w, h) }
	room := h - leastTop - 2
	if len(v.run.History.Config.Clients) > render.Few {
		room = min(room, h/2)
	}
	if card != nil {
		room -= keysBelow
	}
	low := render.Timeline(v.run, v.snapshot(), v.cursor(), v.labels, v.theme, left, room)
	name, other := v.book.Text("keys"), keys(right, len(low))
	if card != nil {
		below := max(keysBelow, len(card)-len(low)) - 1
		low = append(append(low, v.heading(keysPane, name, left)), render.Block(keys(left, below), left, below)...)
		name, other = "", card
	}
	out := append(v.beside(w, h-len(low)-1), v.headings(beliefsPane, v.book.List(v.book.Text("beliefs"), v.book.Text("invariants")), left, keysPane, name, right)...)
	return append(out, render.Beside(render.Block(low, left, len(low)), render.Block(other, right, len(low)), v.theme.Bar)...)
}

// columns returns the widths of two panes side by side.
func (v *viewer) columns(w int) (left, right int) {
	left = min(max(38, w*19/40), 76)
	return left, w - left - 1
}

// beside draws the source, or what replaces it, and the lanes.
func (v *viewer) beside(w, h int) []render.Line {
	left, right := v.columns(w)
	h--
	file, code := v.code()
	source := v.book.Text("source") + " " + file
	low := 0 // lines of the source below what stands in its place, with their heading
	if h >= leastPicks+leastSource {
		low = max(leastSource, h/3)
	}
	name, lines, ok := v.host.leftPane(left, h-low)
	if low > 0 && len(lines) <= h/2 { // no hole above the source
		low = h - h/2
	}
	at := movesPane
	switch {
	case !ok:
		at, name, lines = sourcePane, source, render.Source(code, v.theme, left, h)
	case low > 0:
		lines = append(render.Block(lines, left, h-low), v.heading(sourcePane, source, left))
		lines = append(lines, render.Source(code, v.theme, left, low-1)...)
	}
	return append(v.headings(at, name, left, stepsPane, v.book.Text("steps"), right), render.Beside(
		render.Block(lines, left, h),
		render.Block(render.Lanes(v.picture.of(v.run), v.cursor(), v.labels, v.theme, right, h), right, h),
		v.theme.Bar)...)
}

// stacked draws the lanes and one more pane below: usually the lines of source that sent
// the command, and the key that it changed. The heading of the lanes stands in their
// header.
func (v *viewer) stacked(w, h int) []render.Line {
	low := max(1, min(v.wanted(), h-4))
	if v.card { // the causes of what it tells are seen in the lanes
		low = min(low, h-3-leastSteps)
	}
	if low < 1 {
		return render.Block(render.Lanes(v.picture.of(v.run), v.cursor(), v.labels, v.theme, w, h), w, h)
	}
	top := h - 1 - low
	lanes := render.Lanes(v.picture.of(v.run), v.cursor(), v.labels, v.theme, w, top)
	steps := render.Pane.Of(" " + v.book.Text("steps"))
	if v.lights(stepsPane) {
		steps = render.Column.Of(v.theme.Here + v.book.Text("steps"))
	}
	lanes[0] = append(lanes[0], steps)
	out := render.Block(lanes, w, top)
	name, lines := v.alone(v.pane, w, low)
	if v.pane == sourcePane && low > 1 { // a step is lit in three places
		keys := min(v.keyLines(), low-1)
		_, lines = v.alone(v.pane, w, low-keys)
		lines = append(render.Block(lines, w, low-keys), render.Keys(v.snapshot(), v.labels, v.theme, w, keys)...)
	}
	if v.pane == movesPane && w >= abreastWidth {
		return append(out, v.movesBeside(w, low+1)...)
	}
	return append(append(out, v.heading(v.pane, name, w)), lines...)
}

// movesBeside draws what to pick from, and the source beside it.
func (v *viewer) movesBeside(w, h int) []render.Line {
	left, right := v.columns(w)
	h--
	name, lines := v.alone(movesPane, left, h)
	source, code := v.alone(sourcePane, right, h)
	return append(v.headings(movesPane, name, left, sourcePane, source, right),
		render.Beside(render.Block(lines, left, h), render.Block(code, right, h), v.theme.Bar)...)
}

// alone draws a pane with its name.
func (v *viewer) alone(p pane, w, h int) (name string, lines []render.Line) {
	snap, run, text := v.snapshot(), v.run, v.book.Text
	switch p {
	case movesPane, branchesPane:
		name, lines, _ = v.host.leftPane(w, h)
		return name, lines
	case keysPane:
		return text("keys"), render.Keys(snap, v.labels, v.theme, w, h)
	case beliefsPane:
		return text("beliefs"), render.Beliefs(run, snap, v.cursor(), v.labels, v.theme, w, h)
	case stripPane:
		return text("invariants"), render.Strip(run, v.cursor(), v.labels, v.theme, w, h)
	case stepsPane:
		return text("steps"), render.Lanes(v.picture.of(run), v.cursor(), v.labels, v.theme, w, h)
	}
	file, code := v.code()
	return text("source") + " " + file, render.Source(code, v.theme, w, h)
}

// wanted returns how many lines the pane of a narrow terminal can use.
func (v *viewer) wanted() int {
	usual := (v.room() - v.lines - 2) * 2 / 5
	switch v.pane {
	case movesPane, branchesPane:
		return usual * 3 / 2
	case keysPane:
		return usual
	case beliefsPane:
		return max(usual, render.BeliefLines(v.run))
	case stripPane:
		return render.StripLines(v.run)
	}
	return litLines + v.keyLines() // of source, and the keys
}

// keyLines returns how many lines the keys below the source take: one for a lock of one
// key, two for others.
func (v *viewer) keyLines() int {
	if v.run.OnOneKey() {
		return 1
	}
	return 2
}

func headings(t render.Theme, left string, w int, right string, rw int) []render.Line {
	return []render.Line{slices.Concat(render.Heading(left, t, w), render.Normal.Line(" "), render.Heading(right, t, rw))}
}

// headings returns those of two panes side by side.
func (v *viewer) headings(a pane, left string, w int, b pane, right string, rw int) []render.Line {
	return []render.Line{slices.Concat(v.heading(a, left, w), render.Normal.Line(" "), v.heading(b, right, rw))}
}

// heading returns the heading of a pane, marked if it has the keys.
func (v *viewer) heading(p pane, name string, w int) render.Line {
	line := render.Heading(name, v.theme, w)
	if !v.lights(p) {
		return line
	}
	return render.Focus(line, v.theme)
}

// lights reports whether a pane has the keys: what there is to pick from, or else the
// steps. A tour lights what it explains.
func (v *viewer) lights(p pane) bool {
	if v.lit != nil {
		return slices.Contains(v.lit, p)
	}
	own := v.host.panes()
	if len(own) > 0 && (!v.isNarrow() || slices.Contains(own, v.pane)) {
		return slices.Contains(own, p)
	}
	return p == stepsPane
}

// A picture is the space-time diagram of the run that was drawn last.
type picture struct{ *diagram.Diagram }

// of returns the diagram of a run.
func (p *picture) of(run *lesson.Run) *diagram.Diagram {
	if p.Diagram == nil || p.Run != run {
		p.Diagram = diagram.Of(run)
	}
	return p.Diagram
}
