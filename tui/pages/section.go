package pages

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/diagram"
	"lockstep/internal/diagram/vector"
	"lockstep/internal/lesson"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// This file divides pages into sections for a face that has elements of its own, such as
// paragraphs, lists and pictures, and wraps lines itself.

// A Section is a part of a page. Its lines are as long as their texts.
type Section struct {
	Kind  Kind         `json:"kind"`
	Title string       `json:"title,omitempty"`
	Lines render.Lines `json:"lines,omitempty"`
	vector.Column
	Rows  []StepRow `json:"rows,omitempty"` // a run up to the cursor
	Said  string    `json:"said,omitempty"` // what came of its last step, if that has no row of its own
	Asked Asked     `json:"-"`              // about an AskSection; a browser is not to know it
	// The cursor of a table, from 0: among the lines after the headings, and the spans
	// after a line's name.
	Here [2]int `json:"here"`
}

// A Kind says what a section is.
type Kind string

// The kinds of sections.
const (
	ProseSection Kind = "prose" // passages, headings, and lists of what can be picked
	LeadSection  Kind = "lead"  // what this is, and the way in
	AskSection   Kind = "ask"   // a question, and its answers below it
	PicksSection Kind = "picks" // the moves of a level, beside its run
	KeysSection  Kind = "keys"  // keys, each with what it does; an empty line is between groups
	AboutSection Kind = "about" // passages about the selected lock
	CardSection  Kind = "card"  // the explanation of a violation or of an answer
	StepsSection Kind = "steps" // the run so far, as a picture and in words
	CodeSection  Kind = "code"  // source, of which one line may be lit
	TableSection Kind = "table" // headings, and rows of which each cell can be picked
	StateSection Kind = "state" // columns whose alignment counts: keys, beliefs, attempts
)

// Asked is what a face needs to ask a class the question, and to tell it the answer.
type Asked struct {
	ID    string // the story's name, the command, the number of the question there, and a checksum of the story
	Right int    // the index of the correct answer
	Why   string // "" if the story does not say
}

// A StepRow is a step in words, beside the lanes.
type StepRow struct {
	N     int    `json:"i"`            // from 1
	Time  string `json:"at,omitempty"` // "" if it is that of the step before
	Text  string `json:"t"`
	Class string `json:"c,omitempty"` // whose it is, or that it violates something
	Cause int    `json:"z,omitempty"` // its number among the causes on the card, from 1; 0 for none
	Parts bool   `json:"p,omitempty"` // here it differs first from the run beside it
	High  int    `json:"h"`           // how many pixels it takes
	Press string `json:"k,omitempty"`
	Times int    `json:"n,omitempty"`
}

// mostSteps bounds the steps that are shown at once: a browser lays them out anew after
// each key.
const mostSteps = 120

// sections returns the page on top in sections, and a trainer's notes.
func (s *Shell) sections() []Section {
	list := s.page().sections()
	if list == nil {
		list = []Section{{Kind: ProseSection, Lines: s.page().body(s.width, s.room())}}
	}
	if s.talk != nil && s.talk.noted {
		list = append(list, Section{Kind: AboutSection, Title: s.Text("talk_notes"), Lines: s.notesText()})
	}
	for _, section := range list {
		for i, line := range section.Lines {
			section.Lines[i] = line.Trimmed()
		}
	}
	return list
}

// sections returns what Lockstep is and three ways in, a run of the selected lock, and the locks
// with what the names of their hazards mean.
func (p *locksPage) sections() []Section {
	first := render.Lines{render.Strong.Line(p.Text("lead"))}
	for _, k := range []key{tourKey, courseKey, whichKey} {
		first = append(first, render.Line{render.Strong.Of(p.Fill("door_"+k.does, p.ofCourse())), render.Normal.Of(p.Fill("door_says_"+k.does, p.ofCourse()))}.On(k.on[0], 1))
	}
	out := append([]Section{{Kind: LeadSection, Lines: first}}, p.section(p.storyOf(p.selected().ID), clearestRow)...)
	var words passages
	for _, h := range explore.Hazards() {
		words = append(words, lesson.Part{Label: p.Hazard(h.ID).Name, Text: p.EveryHazard(h.ID)})
	}
	return append(out,
		Section{Kind: ProseSection, Lines: p.list(p.width, p.height)},
		Section{Kind: StateSection, Title: p.Text("hazards"), Lines: p.Passages(words, p.width)})
}

// sections returns the stories, and the selected one.
func (p *storiesPage) sections() []Section {
	list := Section{Kind: ProseSection, Lines: p.body(p.width, p.height)}
	return append([]Section{list}, p.section(p.selected(), p.shownOf)...)
}

// section returns a story up to a row that at picks; none while it is under way.
func (v *preview) section(story *scenarios.Story, at func(*lesson.Run) int) []Section {
	run := v.runs[story]
	if run == nil {
		return nil
	}
	return []Section{v.stepsOf(v.picture.of(run), at(run), story.Title(v.Book), nil)}
}

// sections returns the table, the cell at the cursor, and the chosen violation.
func (p *matrixPage) sections() []Section {
	b := p.board
	text, _ := p.cellText(p.width, false)
	out := []Section{
		{Kind: TableSection, Lines: p.table().Rows(p.Theme), Here: [2]int{b.lock.at, b.hazard.at}},
		{Kind: AboutSection, Title: p.cellName(), Lines: text},
	}
	if run, at := p.example(); run != nil {
		out = append(out, p.stepsOf(p.picture.of(run), at, p.Text("steps"), nil))
	}
	return out
}

// sections returns both runs up to the current step.
func (p *comparePage) sections() []Section {
	if p.step.n == 0 {
		return nil
	}
	out := []Section{{Kind: ProseSection, Lines: p.pair.remark(p, p.step.at).Draw(p.width, p.height)}}
	for i := range p.sides {
		side := p.side(i)
		run := p.stepsOf(side.Run, side.At, side.Name, nil)
		for i := range run.Rows {
			run.Rows[i].Parts = run.Rows[i].N == side.Parts+1
		}
		run.Lines = append(render.Lines{side.Verdict(p.Theme)}, render.Lesson.Wrap(side.Note, p.width)...)
		out = append(out, run)
	}
	return out
}

// slideSections returns the slide at the cursor.
func (p *storyPage) slideSections() []Section {
	text := Section{Kind: ProseSection, Lines: p.slideText(p.width)}
	if p.now().kind == cardSlide {
		text.Kind = CardSection
		return []Section{p.stepsSection(), text}
	}
	out := []Section{text, p.paneSection(p.talk.pane)}
	if title, code := p.code(); p.talk.pane == stepsPane {
		out = append(out, Section{Kind: CodeSection, Title: title, Lines: p.Source(code, p.width, decisive)})
	}
	return out
}

// sections returns the caption, the question, the card and the run; in a talk, the slide.
func (p *storyPage) sections() []Section {
	if p.run == nil {
		return nil
	}
	if p.talk != nil {
		return p.slideSections()
	}
	c := p.captionAt(p.at)
	out := p.runSections()
	if at, asked := p.asking(); asked != nil {
		said, sum := p.inWords(asked), sha256.Sum256([]byte(p.story.Source())) // stories of one name differ: what is handed in, or written on
		out = before(StateSection, out, p.askSection(&c, said, Asked{ID: fmt.Sprintf("%s/%d/%d/%x", p.story.Name, at.beat, at.n, sum[:8]), Right: said.Right, Why: said.Answer().Because}))
	}
	if step := p.run.Step(p.at); step != nil {
		out = append(out, Section{Kind: StateSection, Title: p.Text("for_authors"), Lines: render.Lines{render.Normal.Line(step.Text), render.Faint.Line(p.paceText())}})
	}
	return append([]Section{{Kind: ProseSection, Lines: c.Draw(p.width, p.height)}}, out...)
}

// askSection takes the question out of a caption.
func (s *shared) askSection(c *render.Caption, q lesson.Question, asked Asked) Section {
	c.Question, c.Choices = "", ""
	return Section{Kind: AskSection, Lines: s.asking(q, unmarked, s.width), Asked: asked}
}

// before puts a section before the first of a kind.
func before(kind Kind, list []Section, one Section) []Section {
	return slices.Insert(list, slices.IndexFunc(list, func(s Section) bool { return s.Kind == kind }), one)
}

// sections returns the goal, the run, and the moves or the tree of attempts.
func (p *gamePage) sections() []Section {
	if p.run == nil {
		return nil
	}
	out := []Section{{Kind: ProseSection, Lines: p.captionLines(p.width)}}
	run := p.runSections()
	name, lines := p.gamePane(p.width, p.height)
	picks, kind := Section{Kind: PicksSection, Title: name, Lines: lines}, CodeSection
	if p.pane == branchesPane {
		picks.Kind, kind = StateSection, StateSection
	}
	return append(out, before(kind, run, picks)...)
}

// runSections returns the run up to the cursor, the card, if it is open, the source, the
// keys, and what clients believe.
func (v *viewer) runSections() (out []Section) {
	for _, p := range []pane{stepsPane, cardPane, sourcePane, keysPane, beliefsPane} {
		if p != cardPane || v.card {
			out = append(out, v.paneSection(p))
		}
	}
	return out
}

// paneSection returns what a pane of the terminal shows.
func (v *viewer) paneSection(p pane) Section {
	switch p {
	case stepsPane:
		return v.stepsSection()
	case cardPane:
		return Section{Kind: CardSection, Lines: v.cardText(v.width)}
	case keysPane, stripPane:
		name, lines := v.alone(p, map[pane]int{keysPane: keysWidth, stripPane: stripWidth}[p], far)
		return Section{Kind: StateSection, Title: name, Lines: lines}
	case beliefsPane:
		return Section{Kind: StateSection, Title: v.Text("beliefs"), Lines: v.beliefs(v.snapshot())}
	}
	file, code := v.code()
	return Section{Kind: CodeSection, Title: file, Lines: v.Source(code, v.width, far)}
}

// stepsSection returns the run with its causes. A step leads back to it where a key does.
func (v *viewer) stepsSection() Section {
	causes := map[int]int{}
	for i, c := range v.causes() {
		causes[c.Step] = i + 1
	}
	out := v.stepsOf(v.picture.of(v.run), v.at, v.Text("steps"), causes)
	for i := range out.Rows {
		if row := &out.Rows[i]; v.rowBack != "" && row.N <= v.at {
			row.Press, row.Times = v.rowBack, v.at+1-row.N
		}
	}
	return out
}

// The width of a key with its time, in cells: as much as a phone shows; and that of the
// invariants, which only a trainer's large page shows.
const keysWidth, stripWidth = 42, 72

// beliefs says what each client believes about its lock, and who holds it by the servers.
func (v *viewer) beliefs(snap lesson.Snapshot) (out render.Lines) {
	for i, c := range snap.Clients {
		who := render.Span{Text: v.run.History.Config.Clients[i], Role: render.Strong, Client: i + 1}
		says := render.Normal.Of("  " + c.Believes(v.Book))
		if c.Hold == lesson.Wrongly {
			says = render.Alarm.Of("  " + v.Glyphs.Bad + " " + c.Believes(v.Book))
		}
		out = append(out, render.Line{who, says})
	}
	return append(out, render.Line{render.Strong.Of(history.StoreOf(v.run.History.Config.Key())), render.Normal.Of("  " + snap.Truth(v.Book))})
}

// stepsOf returns a run up to a row.
func (s *shared) stepsOf(d *diagram.Diagram, at int, title string, causes map[int]int) Section {
	run, from := d.Run, max(0, at+1-mostSteps)
	out := Section{Kind: StepsSection, Title: title, Column: vector.Alone(d.Until(at), from, vector.Label{Title: title, Says: s.saysOf(run, at), Book: s.Book})}
	time, high := history.Millis(-1), 0
	for i := from; i <= at; i++ {
		row := run.Rows[i]
		step := StepRow{N: i + 1, Text: row.Said().In(s.Language()), Cause: causes[i+1], High: out.Ends[i-from] - high}
		high += step.High
		if c := run.History.Config; i == 0 {
			step.Text = s.Pair(c.Strategy, s.Names(c.Clients...))
		}
		if actor := run.Actor(row); len(row.Found) > 0 {
			step.Class = render.Alarm.Of("").Class()
		} else if actor >= 0 {
			step.Class = render.Span{Client: run.Lanes[actor].Client}.Class()
		}
		if now := run.Time(i); now != time {
			step.Time, time = now.String(), now
		}
		out.Rows = append(out.Rows, step)
	}
	var said []string
	for _, line := range run.Rows[at].Output {
		said = append(said, scenarios.PlainLine(s.Book, line))
	}
	out.Said = strings.Join(said, "\n")
	return out
}

// saysOf describes a picture: what is violated in it.
func (s *shared) saysOf(run *lesson.Run, at int) string {
	var said []string
	for _, f := range run.Found {
		if f.Row <= at {
			said = append(said, scenarios.Violation(s.Book, f.Violation))
		}
	}
	return cmp.Or(s.List(said...), s.Fill("at_step", facts{Step: at + 1, Steps: len(run.Rows)}))
}
