package pages

import (
	"cmp"
	"path"
	"strconv"
	"strings"

	"lockstep/internal/lesson"
	"lockstep/scenarios"
	"lockstep/sim/history"
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
	ahead() string  // the lane of the client that acts next
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

// code returns the source for the current row, with the line that whoever acts next does next, and
// the names of both.
func (v *viewer) code() (title string, code render.Code) {
	source, own := v.run.Lit(v.at)
	title, code = v.codeAt(cmp.Or(source, v.firstSource()))
	if source == "" {
		code.Line = 0
	}
	code.Lit, code.Guess, code.Own = own, !v.host.revealed(), v.Language()
	code.Who, code.Letter = v.run.By(v.at)
	lane := v.run.LaneOf(v.host.ahead())
	next, begun := v.here().Next[lane.Name]
	file, then := v.codeAt(next)
	if !begun { // with its first line
		file, then = v.codeAt(v.firstSource())
		then.Line = render.Entry(then.Text)
	}
	if lane.Client == 0 || then.Line == 0 {
		return title, code
	}
	then.Who, then.Letter = lane.Client, v.run.Letter(lane.Client)
	code.Next = &then
	if file != title && code.Line > 0 { // that of the upper piece
		file = v.Names(title, file)
	}
	return file + "  " + v.Glyphs.Next + v.Fill("next_line", facts{Said: lane.Name, N: then.Line}), code
}

// codeAt returns the file of a place in the code, with its line.
func (s *shared) codeAt(source string) (file string, code render.Code) {
	place, number, _ := strings.Cut(source, ":")
	text, err := scenarios.SourceOf(place, s.source)
	if err != nil {
		text = source // a file of another module: at least its name
	}
	line, _ := strconv.Atoi(number)
	return path.Base(place), render.Code{Text: text, Line: line}
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

// toCopy returns the key that copies the token.
func (v *viewer) toCopy() key {
	return copyKey.to(func() act {
		v.pause()
		h := v.run.History
		return v.showToken(history.Token(h.Config, h.Schedule), h.Config.Strategy, v.host.lesson())
	}).when(v.run != nil)
}
