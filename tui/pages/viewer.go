package pages

import (
	"path"
	"strconv"
	"strings"

	"lockstep/internal/lesson"
	"lockstep/scenarios"
	"lockstep/strategies"
	"lockstep/tui/render"
)

// A viewer shows a run at a cursor: panes, and the card of a violation. A story and a
// game have one each; host is the page around it.
type viewer struct {
	failing
	host viewerHost

	run     *lesson.Run // nil until it is there
	picture picture
	player

	card      bool
	full      bool                        // the whole card, not only a strip of it below the panes
	violation int                         // which one the card shows
	accounts  map[*lesson.Found]explained // what was found out about the run
	pane      pane
	lit       []pane // what a tour explains; nil where there is none
	rowBack   string // the key that goes a row back; "" for none
	zoomed    bool   // one pane takes the place of all
	lines     int    // that the caption takes
}

// A viewerHost is what a story and a game do differently.
type viewerHost interface {
	captionLines(w int) render.Lines // above the panes
	panes() []pane                   // to choose besides those of every run
	lesson() *scenarios.Lesson       // the story that is shown, where it says anything of its own
	// leftPane returns what replaces the source, if anything does.
	leftPane(w, h int) (name string, lines render.Lines, ok bool)
	violationsHere() bool // whether there is a violation for a card
	aboutAnswers(w int) render.Lines
	onCard(invariant string) remarks
	asksNow() bool  // the digits answer a question
	revealed() bool // whether the fault in the source is not to be guessed any more
}

// remarks are what a card says besides the explanation.
type remarks struct {
	first   passages
	won     bool   // to violate it was the goal
	brief   bool   // not what would have saved the run
	end     bool   // also what became of the resource in the end
	closing string // the last line
}

// here returns the row at the cursor.
func (v *viewer) here() lesson.Row { return v.run.Rows[v.at] }

func (v *viewer) snapshot() lesson.Snapshot { return v.run.At(v.at) }

// cursor returns the current row and how far the learner knows the run.
func (v *viewer) cursor() render.Cursor {
	return render.Cursor{At: v.at, Causes: v.causes(), Told: v.shownOnCard() != nil, Back: v.rowBack, Moved: v.moved}
}

// body draws the run at the cursor.
func (v *viewer) body(w, h int) render.Lines {
	if v.run == nil {
		return v.show(v.failure(), h)
	}
	lines := v.above()
	out := v.host.captionLines(w).Block(w, lines)
	rest := h - lines
	if !v.card {
		return append(out, v.panesOf(w, rest)...)
	}
	return append(out, v.withCard(w, rest)...)
}

// above returns the height of the caption. It does not change, so that the panes stay
// in place, except for a card, which moves them anyway.
func (v *viewer) above() int {
	if v.card {
		return min(v.lines, len(v.host.captionLines(v.width)))
	}
	return v.lines
}

// fitText scrolls back to where the card, or the error, has text.
func (v *viewer) fitText() {
	switch {
	case v.failed != nil:
		v.fit(v.failure(), v.room())
	case v.run != nil && v.covered():
		v.fit(v.cardText(v.width), v.cardRoom())
	default:
		v.from, v.full = 0, v.full && v.card
	}
}

// settled requests the explanation of the violation on the card, and keeps the scroll
// position in range.
func (v *viewer) settled() act {
	v.fitText()
	return v.askCauses()
}

// closes closes the card, or else shows all panes again.
func (v *viewer) closes() bool {
	switch {
	case v.covered():
		v.full, v.from = false, 0
	case v.card:
		v.card = false
	case v.zoomed:
		v.toZoom().do()
	default:
		return false
	}
	return true
}

// turnCard shows a strip of the card, then the whole card, then none. If the whole card
// fits beside the panes, there is no strip.
func (v *viewer) turnCard() {
	v.from = 0
	switch {
	case !v.card:
		v.card = true
	case v.full || v.fits(v.width, v.room()-v.above()):
		v.card, v.full = false, false
	default:
		v.full = true
	}
}

func (v *viewer) explains() render.Lines { return v.Legend(v.width) }

// code returns the source for the current row.
func (v *viewer) code() (file string, code render.Code) {
	source, own := v.run.Lit(v.at)
	place, number, _ := strings.Cut(source, ":")
	if source == "" {
		place, _, _ = strings.Cut(v.firstSource(), ":")
	}
	file = path.Base(place)
	text, err := v.sourceOf(place)
	if err != nil {
		text = source // a file of another module: at least its name
	}
	line, _ := strconv.Atoi(number)
	code = render.Code{Text: text, Line: line, Lit: own, Guess: !v.host.revealed(), Own: v.Language()}
	code.Who, code.Letter = v.run.By(v.at)
	return file, code
}

// firstSource returns the file where the lock's code begins: in the catalogue, or else
// the first one in the run.
func (v *viewer) firstSource() string {
	if info, ok := strategies.Find(v.run.History.Config.Strategy); ok {
		return "strategies/" + info.File
	}
	for _, e := range v.run.History.Events {
		if e.Source != "" {
			return e.Source
		}
	}
	return ""
}

// sourceOf returns the text of a file, by its name in events.
func (s *shared) sourceOf(file string) (string, error) {
	if dir, name := path.Split(file); dir == "strategies/" || s.source == nil {
		return strategies.Source(name)
	}
	return s.source(file)
}

// toCopy returns the key that copies the token.
func (v *viewer) toCopy() key {
	return copyKey.to(func() act {
		v.pause()
		return v.showToken(v.run.History.Config, v.run.History.Schedule, v.host.lesson())
	}).when(v.run != nil)
}
