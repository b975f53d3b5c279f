package pages

import (
	"regexp"
	"strings"

	"lockstep/internal/diagram"
	"lockstep/internal/lesson"
	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/sim/history"
	"lockstep/tui/render"
)

// This file divides pages into sections for a face that has elements of its own, such as
// paragraphs, lists and pictures, and wraps lines itself.

// A Section is a part of a page. Its lines are as long as their texts.
type Section struct {
	Kind  Kind
	Title string
	Lines []render.Line
	Steps *Steps
	// The cursor of a table, from 0: among the lines after the headings, and the spans
	// after a line's name.
	Row, Column int
}

// A Kind says what a section is.
type Kind string

// The kinds of sections.
const (
	ProseSection Kind = "prose" // passages, headings, and lists of what can be picked
	AskSection   Kind = "ask"   // a question, and its answers below it
	PicksSection Kind = "picks" // the moves of a level, beside its run
	AboutSection Kind = "about" // passages about the selected lock
	CardSection  Kind = "card"  // the explanation of a violation or of an answer
	StepsSection Kind = "steps" // the run so far, as a picture and in words
	CodeSection  Kind = "code"  // source, of which one line may be lit
	TableSection Kind = "table" // headings, and rows of which each cell can be picked
	StateSection Kind = "state" // columns whose alignment counts: keys, beliefs, attempts
)

// Steps is the run up to the cursor.
type Steps struct {
	Diagram *diagram.Diagram
	Says    string       // what is violated in it
	Words   lesson.Words // the label of the place where several clients are inside
	From    int          // the first row that is shown
	Rows    []StepRow
	Output  string // what came of the last one, if that has no row of its own
}

// A StepRow is a step in words.
type StepRow struct {
	N      int    // from 1
	Time   string // "" if it is that of the step before
	Text   string
	Client int // whose it is, from 1
	Bad    bool
	Cause  int // its number among the causes on the card, from 1; 0 for none
	Press  string
	Times  int
}

// mostSteps bounds the steps that are shown at once: a browser lays them out anew after
// each key.
const mostSteps = 120

// A sectioned page has sections of its own. Those of any other page are its body.
type sectioned interface{ sections() []Section }

// flows reports whether a page has sections. One that draws columns overrides it.
func (s *shared) flows() bool { return true }

// flows reports whether the face gets sections of the page on top.
func (s *Shell) flows() bool { return s.browser && s.talk == nil && s.page().flows() }

// sections returns the page on top in sections; nil if it is drawn in cells.
func (s *Shell) sections() []Section {
	if !s.flows() {
		return nil
	}
	if p, ok := s.page().(sectioned); ok {
		if list := p.sections(); list != nil {
			return list
		}
	}
	return []Section{{Kind: ProseSection, Lines: s.page().body(s.width, s.room())}}
}

func (p *chapterPage) flows() bool { return p.page.flows() }

func (p *chapterPage) sections() []Section {
	if inner, ok := p.page.(sectioned); ok {
		return inner.sections()
	}
	return nil
}

// sections returns the locks, and the selected one.
func (p *locksPage) sections() []Section {
	lead := render.Ask.Line(p.book.Fill("course_first", prose.TextFacts{N: p.chaptersDone(), Of: p.course.chapter.n, Said: p.course.Title(p.lang)}))
	out := []Section{
		{Kind: ProseSection, Lines: []render.Line{lead.On(courseKey.on[0], 1)}},
		{Kind: ProseSection, Lines: p.list(p.width, p.height)},
	}
	lock := p.selected()
	about := append(p.about(p.book.Text("claims")), p.fares(lock.ID)...)
	out = append(out, Section{Kind: AboutSection, Title: p.book.Pair(lock.ID, p.lockName(lock.ID)), Lines: render.Parts(about, p.theme, p.width)})
	if story := p.storyOf(lock.ID); p.shows.runs[story] != nil {
		run := p.shows.runs[story]
		out = append(out, p.stepsOf(p.shows.picture.of(run), clearestRow(run), story.Title(p.book), nil))
	}
	return out
}

// sections returns the table, the cell at the cursor, and the chosen violation.
func (p *matrixPage) sections() []Section {
	b := p.board
	text, _ := p.cellText(p.width, false)
	out := []Section{
		{Kind: TableSection, Lines: p.table().Rows(p.labels, p.theme), Row: b.lock.at, Column: b.hazard.at},
		{Kind: AboutSection, Title: p.cellName(), Lines: text},
	}
	if f := b.found(); f != nil && p.runs[f] != nil {
		out = append(out, p.stepsOf(p.picture.of(p.runs[f]), foundAt(p.runs[f], f), p.book.Text("steps"), nil))
	}
	return out
}

// sections returns the caption, the question, the card and the run.
func (p *storyPage) sections() []Section {
	if p.run == nil || p.failed != nil {
		return nil
	}
	c := p.captionAt(p.player.at)
	var out []Section
	_, asked := p.asking()
	if asked != nil {
		c.Question, c.Choices = "", ""
	}
	out = append(out, Section{Kind: ProseSection, Lines: c.Draw(p.width, p.height)})
	if asked != nil {
		lines := []render.Line{render.Ask.Line(asked.Ask(p.lang))}
		for i, key := range choiceKeys(asked) {
			lines = append(lines, render.Strong.Line(p.book.Answer(asked.Choices()[i])).On(key, 1))
		}
		lines = append(lines, render.Normal.Line(unsureKey.text(p.book)).On(unsureFor(asked).on[0], 1))
		out = append(out, Section{Kind: AskSection, Lines: lines})
	}
	return append(out, p.runSections()...)
}

// sections returns the goal, the run, and the moves or the tree of attempts.
func (p *gamePage) sections() []Section {
	if p.run == nil || p.failed != nil {
		return nil
	}
	out := []Section{{Kind: ProseSection, Lines: p.captionLines(p.width)}}
	run := p.runSections()
	name, lines := p.gamePane(p.width, p.height)
	picks := Section{Kind: PicksSection, Title: name, Lines: lines}
	if p.pane == branchesPane {
		picks.Kind = StateSection
	}
	at := 0
	for at < len(run) && run[at].Kind != CodeSection {
		at++
	}
	return append(append(append(out, run[:at]...), picks), run[at:]...)
}

// runSections returns the run up to the cursor, the card, if it is open, the source, the
// keys, and what clients believe.
func (v *viewer) runSections() (out []Section) {
	causes := map[int]int{}
	for i, c := range v.causes() {
		causes[c.Step] = i + 1
	}
	out = append(out, v.stepsOf(v.picture.of(v.run), v.player.at, v.book.Text("steps"), causes))
	steps := out[len(out)-1].Steps
	for i := range steps.Rows {
		if by := v.player.at + 1 - steps.Rows[i].N; v.rowBack != "" && by > 0 {
			steps.Rows[i].Press, steps.Rows[i].Times = v.rowBack, by
		}
	}
	if v.card {
		out = append(out, Section{Kind: CardSection, Lines: leading(v.cardText(v.width))})
	}
	file, code := v.code()
	snap := v.snapshot()
	out = append(out, Section{Kind: CodeSection, Title: file, Lines: render.Source(code, v.theme, v.width, far)})
	out = append(out, Section{Kind: StateSection, Title: v.book.Text("keys"), Lines: render.Keys(snap, v.labels, v.theme, keysWidth, far)})
	return append(out, Section{Kind: StateSection, Title: v.book.Text("beliefs"), Lines: v.beliefs(snap)})
}

// labelled is the label of a cause with the key that leads there.
var labelled = regexp.MustCompile(`^\[(\S)\] `)

// leading makes lines that begin with a key press it.
func leading(lines []render.Line) []render.Line {
	for i, line := range lines {
		if m := labelled.FindStringSubmatch(line.Text()); m != nil {
			line[0].Text = m[1] + " " + strings.TrimPrefix(line[0].Text, m[0]) // as on its disc in the diagram
			lines[i] = line.On(m[1], 1)
		}
	}
	return lines
}

// keysWidth is the width of a key with its time, in cells: as much as a phone shows.
const keysWidth = 42

// beliefs says what each client believes about its lock, and who holds it by the servers.
func (v *viewer) beliefs(snap lesson.Snapshot) (out []render.Line) {
	for i, c := range snap.Clients {
		who := render.Span{Text: v.run.History.Config.Clients[i], Role: render.Strong, Client: i + 1}
		says := render.Normal.Of("  " + c.Believes(v.labels))
		if c.Hold == lesson.Wrongly {
			says = render.Alarm.Of("  " + v.theme.Bad + " " + c.Believes(v.labels))
		}
		out = append(out, render.Line{who, says})
	}
	return append(out, render.Line{render.Strong.Of("Redis"), render.Normal.Of("  " + snap.Truth(v.labels))})
}

// stepsOf returns a run up to a row.
func (s *shared) stepsOf(d *diagram.Diagram, at int, title string, causes map[int]int) Section {
	run := d.Run
	st := &Steps{Diagram: d.Until(at), Says: s.saysOf(run, at), Words: s.labels.Picture, From: max(0, at+1-mostSteps)}
	time := history.Millis(-1)
	for i := st.From; i <= at; i++ {
		row := run.Rows[i]
		step := StepRow{N: i + 1, Text: row.Said().In(s.labels.In), Bad: len(row.Found) > 0, Cause: causes[i+1]}
		if actor := run.Actor(row); actor >= 0 {
			step.Client = run.Lanes[actor].Client
		}
		if now := run.Time(i); now != time {
			step.Time, time = now.String(), now
		}
		st.Rows = append(st.Rows, step)
	}
	var said []string
	for _, line := range run.Rows[at].Output {
		said = append(said, scenarios.PlainLine(s.book, line))
	}
	st.Output = strings.Join(said, "\n")
	return Section{Kind: StepsSection, Title: title, Steps: st}
}

// saysOf describes a picture: what is violated in it.
func (s *shared) saysOf(run *lesson.Run, at int) string {
	var said []string
	for _, f := range run.Found {
		if f.Row <= at {
			said = append(said, scenarios.Violation(s.book, f.Violation))
		}
	}
	if said == nil {
		return s.book.Fill("at_step", prose.TextFacts{Step: at + 1, Steps: len(run.Rows)})
	}
	return s.book.List(said...)
}
