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
	return keyOf("zoom").now(func() {
		if v.zoomed = !v.zoomed; !v.zoomed && v.pane == stepsPane {
			v.nextPane()
		}
	}).when(!v.covered() && !v.browser) // whose picture has the width that there is
}

// panesOf draws all panes that fit.
func (v *viewer) panesOf(w, h int) render.Lines {
	left, right := v.columns(w)
	_, _, broad := v.bandColumns(w, h)
	switch {
	case v.zoomed:
		return v.headed(v.pane, w, h)
	case v.isNarrow():
		return v.stacked(w, h)
	case broad:
		return v.broad(w, h, nil)
	case v.hasLow(h):
		rest := h - leastTop - 2
		bands := v.timeline(w, rest-1)
		keys := max(1, min(3, rest-len(bands)))
		out := append(v.beside(w, h-len(bands)-keys-2), v.under(keysPane, v.Text("keys"), v.keysAt(min(w, widestKeys), keys), w, keys+1)...)
		return append(out, v.under(beliefsPane, v.bandsName(), bands, w, len(bands)+1)...)
	case v.pane == stripPane:
		low := max(3, min(render.StripLines(v.run), h-5))
		name, lines := v.alone(stripPane, w, low)
		return append(append(v.beside(w, h-low-1), v.heading(stripPane, name, w)), lines...)
	}
	low := max(3, min(9, h*2/5))
	if v.card {
		low = max(low, min(v.BeliefLines(v.run), h/2)) // the causes are on the ruler
	}
	_, bands := v.alone(beliefsPane, right, low)
	low = len(bands) + 1
	return append(v.beside(w, h-low), v.abreast(v.headed(keysPane, left, low), v.headed(beliefsPane, right, low))...)
}

// headed draws a pane of h lines, its heading included.
func (v *viewer) headed(p pane, w, h int) render.Lines {
	name, lines := v.alone(p, w, h-1)
	return v.under(p, name, lines, w, h)
}

// under puts lines of a pane under its heading, h lines in all.
func (v *viewer) under(p pane, name string, lines render.Lines, w, h int) render.Lines {
	return append(render.Lines{v.heading(p, name, w)}, lines.Block(w, h-1)...)
}

// abreast puts two panes with headings side by side.
func (s *shared) abreast(left, right render.Lines) render.Lines {
	out := left.Beside(right, s.Glyphs.Bar)
	out[0] = slices.Concat(left[0], render.Normal.Line(" "), right[0])
	return out
}

func (v *viewer) keysAt(w, h int) render.Lines { return v.Keys(v.snapshot(), w, h) }

func (v *viewer) timeline(w, h int) render.Lines { return v.Timeline(v.run, v.cursor(), w, h) }

func (v *viewer) bandsName() string { return v.List(v.Text("beliefs"), v.Text("invariants")) }

// bandColumns returns the widths of the bands and of what stands beside them; ok is
// false if nothing does.
func (v *viewer) bandColumns(w, h int) (left, right int, ok bool) {
	left, _ = v.columns(w) // as above, so that nothing jumps when a game goes on
	left = max(left, min(v.BandWidth(v.run), w-leastRight-1))
	right = w - left - 1
	return left, right, !v.zoomed && v.hasLow(h) && w >= broadWidth
}

// hasLow reports whether bands and strip fit below source and lanes.
func (v *viewer) hasLow(h int) bool { return v.isTall() && h-leastTop-2 > leastLow }

// broad draws the bands below source and lanes with the keys beside them. The card of a
// violation replaces the keys, which move below the bands.
func (v *viewer) broad(w, h int, card render.Lines) render.Lines {
	left, right, _ := v.bandColumns(w, h)
	room := h - leastTop - 2
	if len(v.run.History.Config.Clients) > render.Few {
		room = min(room, h/2)
	}
	if card != nil {
		room -= keysBelow
	}
	bands := v.timeline(left, room)
	low := len(bands) + 1
	other := v.headed(keysPane, right, low)
	if card != nil {
		below := max(keysBelow, len(card)-len(bands))
		bands = append(bands, v.headed(keysPane, left, below)...)
		low += below
		other = v.under(keysPane, "", card, right, low)
	}
	return append(v.beside(w, h-low), v.abreast(v.under(beliefsPane, v.bandsName(), bands, left, low), other)...)
}

// columns returns the widths of two panes side by side.
func (v *viewer) columns(w int) (left, right int) {
	left = min(max(38, w*19/40), 76)
	return left, w - left - 1
}

// beside draws the source, or what replaces it, and the lanes.
func (v *viewer) beside(w, h int) render.Lines {
	left, right := v.columns(w)
	room, low := h-1, 0 // low is the lines of the source below what stands in its place
	if room >= leastPicks+leastSource {
		low = max(leastSource, room/3)
	}
	name, lines, ok := v.host.leftPane(left, room-low)
	if low > 0 && len(lines) <= room/2 { // no hole above the source
		low = room - room/2
	}
	var out render.Lines
	if ok {
		out = v.under(movesPane, name, lines, left, h-low)
	} else {
		low = h
	}
	if low > 0 {
		out = append(out, v.headed(sourcePane, left, low)...)
	}
	return v.abreast(out, v.headed(stepsPane, right, h))
}

// stacked draws the lanes and one more pane below: usually the lines of source that sent
// the command, and the key that it changed. The heading of the lanes stands in their
// header.
func (v *viewer) stacked(w, h int) render.Lines {
	low := max(1, min(v.wanted(), h-4))
	if v.card { // the causes of what it tells are seen in the lanes
		low = min(low, h-3-leastSteps)
	}
	if low < 1 {
		_, lanes := v.alone(stepsPane, w, h)
		return lanes.Block(w, h)
	}
	top := h - 1 - low
	_, lanes := v.alone(stepsPane, w, top)
	if v.pane == sourcePane && !v.card { // rather source than blank lines
		low, top = low+top-len(lanes), len(lanes)
	}
	steps := render.Pane.Of(" " + v.Text("steps"))
	if v.lights(stepsPane) {
		steps = render.Column.Of(v.Glyphs.Here + v.Text("steps"))
	}
	lanes[0] = append(lanes[0], steps)
	out := lanes.Block(w, top)
	switch {
	case v.pane == sourcePane && low > 1: // a step is lit in three places
		keys := min(v.keyLines(), low-1)
		return append(append(out, v.headed(sourcePane, w, low+1-keys)...), v.keysAt(w, keys)...)
	case v.pane == movesPane && w >= abreastWidth: // with the source beside them
		left, right := v.columns(w)
		return append(out, v.abreast(v.headed(movesPane, left, low+1), v.headed(sourcePane, right, low+1))...)
	}
	name, lines := v.alone(v.pane, w, low)
	return append(append(out, v.heading(v.pane, name, w)), lines...)
}

// alone draws a pane with its name.
func (v *viewer) alone(p pane, w, h int) (name string, lines render.Lines) {
	text := v.Text
	switch p {
	case movesPane, branchesPane:
		name, lines, _ = v.host.leftPane(w, h)
		return name, lines
	case keysPane:
		return text("keys"), v.keysAt(w, h)
	case beliefsPane:
		return text("beliefs"), v.Beliefs(v.run, v.cursor(), w, h)
	case stripPane:
		return text("invariants"), v.Strip(v.run, v.cursor(), w, h)
	case stepsPane:
		return text("steps"), v.Lanes(v.picture.of(v.run), v.cursor(), w, h)
	}
	file, code := v.code()
	return text("source") + " " + file, v.Source(code, w, h)
}

// wanted returns how many lines the pane of a narrow terminal can use.
func (v *viewer) wanted() int {
	usual := (v.room() - v.lines - 2) * 2 / 5
	switch v.pane {
	case movesPane, branchesPane, sourcePane:
		return usual * 3 / 2
	case keysPane:
		return usual
	case beliefsPane:
		return max(usual, v.BeliefLines(v.run))
	}
	return render.StripLines(v.run)
}

// keyLines returns how many lines the keys below the source take: one for a lock of one
// key, two for others.
func (v *viewer) keyLines() int {
	if v.run.OnOneKey {
		return 1
	}
	return 2
}

// heading returns the heading of a pane, marked if it has the keys.
func (v *viewer) heading(p pane, name string, w int) render.Line {
	line := v.Heading(name, w)
	if !v.lights(p) {
		return line
	}
	return v.Focus(line)
}

// lights reports whether a pane has the keys: what there is to pick from, or else the
// steps.
func (v *viewer) lights(p pane) bool {
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
