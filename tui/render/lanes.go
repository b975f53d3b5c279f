package render

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"lockstep/internal/lesson"
)

const (
	maxCurrent = 4  // lines that the current row's text may take
	minText    = 16 // cells that the text needs beside the lanes
	timeFrom   = 60 // width from which the rows show the time
	timeWidth  = 8
)

// Lanes draws the rows up to the cursor, the newest at the bottom: what each client,
// strand and node did, with the text of the transcript.
func Lanes(r *lesson.Run, c Cursor, l lesson.Labels, t Theme, w, h int) []Line {
	p := newLanePen(r, l, t, w)
	p.marks, p.told, p.back = c.marks(), c.Told, c.Back
	return p.rows(c.At, l, h)
}

// rows returns h lines; the last one is the current row.
func (p lanePen) rows(at int, l lesson.Labels, h int) []Line {
	room := max(0, h-1)
	rows := p.current(at, room)
	var past []Line
	for _, i := range p.before(at, room-len(rows)) {
		past = append(past, p.past(i).On(p.back, at-i))
	}
	return append([]Line{p.header(l.Time)}, append(past, rows...)...)
}

// before returns the latest n rows before a row, and always all causes.
func (p lanePen) before(at, n int) []int {
	var rows []int
	for row := range p.marks {
		if row < at {
			rows = append(rows, row)
		}
	}
	slices.Sort(rows)
	rows = rows[max(0, len(rows)-n):]
	for i := at - 1; i >= 0 && len(rows) < n; i-- {
		if !slices.Contains(rows, i) {
			rows = append(rows, i)
		}
	}
	slices.Sort(rows)
	return rows
}

// A lanePen knows the columns of the picture.
type lanePen struct {
	labels lesson.Labels
	run    *lesson.Run
	theme  Theme
	width  int
	number int // cells of a step's number
	time   int // cells of the time; 0 for none
	lane   int // cells of one lane; 0 if there is no room for lanes
	text   int
	marks  map[int]string // the keys of causes, by row
	back   string         // the key that goes a row back; "" for none
	told   bool           // what is violated is said beside the lanes
	parts  int            // the row from which on it is another run than one beside it; -1 for none
	part   string         // says so
}

func newLanePen(r *lesson.Run, l lesson.Labels, t Theme, w int) lanePen {
	p := lanePen{labels: l, run: r, theme: t, width: w, parts: -1, number: len(strconv.Itoa(len(r.Rows)))}
	left := w - p.number - 2
	if w >= timeFrom {
		p.time = timeWidth
		left -= timeWidth
	}
	p.lane = 4
	for _, l := range r.Lanes {
		p.lane = max(p.lane, Width(l.Name)+1)
	}
	if n := len(r.Lanes); n > 0 {
		p.lane = min(p.lane, max(left/2, left-minText*2)/n)
	}
	if p.lane < 2 {
		p.lane = 0
	}
	p.text = max(1, left-p.lane*len(r.Lanes))
	return p
}

func (p lanePen) header(time string) Line {
	text := Fit("", p.number+2+p.time)
	if p.time > 0 {
		text = Fit("", p.number+2) + Fit(time, p.time)
	}
	line := Head.Line(text)
	if p.lane > 0 {
		for _, l := range p.run.Lanes {
			name := l.Name
			name = ansi.TruncateLeft(name, max(0, Width(name)-p.lane+1), "") // its end tells it from others
			line = append(line, p.of(l, Fit(name, p.lane)))
		}
	}
	return line
}

// of returns a text about a lane's client.
func (p lanePen) of(l lesson.Lane, text string) Span {
	if l.Client == 0 {
		return Head.Of(text)
	}
	return of(l.Client, text)
}

// past draws a row before the current one on one line. While a card is open, causes
// are highlighted.
func (p lanePen) past(at int) Line {
	row := p.run.Rows[at]
	role, mark := Normal, Normal.Of(" ")
	key, causes := p.marks[at]
	switch {
	case causes && (key == "" || p.lane == 0 || p.run.Actor(row) < 0):
		mark = Mark.Of(cmp.Or(key, p.theme.Here))
	case at == p.parts:
		mark = Ask.Of(p.theme.Parts)
	case len(row.Found) > 0:
		mark = Alarm.Of(p.theme.Bad)
	}
	if causes {
		role = Strong
	}
	line := append(Line{mark, Normal.Of(p.margin(at))}, p.lanes(row, true, key)...)
	return append(line, role.Of(Fit(trimMiddle(p.words(row), p.text), p.text)))
}

// current draws the current row: its text, in full if there is room, the output of its
// command, and its violations.
func (p lanePen) current(at, room int) []Line {
	row, t := p.run.Rows[at], p.theme
	text := WrapText(p.words(row), p.text)
	if len(text) > min(room, maxCurrent) {
		text = []string{trimMiddle(p.words(row), p.text)}
	}
	span := Strong.Of("")
	if row.Source != "" {
		who, _ := p.run.By(at) // as its line of source is, and the key that it changed
		span = Span{Role: Lit, Client: who}
	}
	var out []Line
	for i, line := range text {
		start := Strong.Line(t.Here + p.margin(at))
		if i > 0 {
			start = Normal.Line(Fit("", p.number+2+p.time))
		}
		span.Text = line
		out = append(out, append(append(start, p.lanes(row, i == 0, "")...), span))
	}
	out = append(out, p.below(at)...)
	return out[:min(len(out), room)]
}

// below returns the lines below the current row.
func (p lanePen) below(at int) (out []Line) {
	row, t, w := p.run.Rows[at], p.theme, p.width-p.number-2
	indent := Normal.Of(Fit("", p.number+2))
	if at == p.parts {
		out = append(out, Line{indent, Ask.Of(Trim(t.Parts+" "+p.part, w))})
	}
	if t.Airy && p.told {
		return out // in full, above
	}
	for _, output := range row.Output {
		for _, line := range WrapText(p.labels.Printed(output), w) {
			out = append(out, Line{indent, Normal.Of(line)})
		}
	}
	if len(row.Output) > 0 || p.told {
		return out // a check says itself what it found
	}
	for _, i := range row.Found {
		for _, line := range WrapText(t.Bad+" "+p.labels.Violated(p.run.Found[i].Invariant), w) {
			out = append(out, Line{indent, Alarm.Of(line)})
		}
	}
	return out
}

// margin returns a row's number and time.
func (p lanePen) margin(at int) string {
	s := fmt.Sprintf("%*d ", p.number, at+1)
	if p.time > 0 {
		s += Fit(p.run.Time(at).String(), p.time)
	}
	return s
}

// words returns the row's text, with its client if no lane shows it.
func (p lanePen) words(row lesson.Row) string {
	if p.lane == 0 && row.Who != "" {
		return row.Said().In(p.labels.In)
	}
	return row.Text.In(p.labels.In)
}

// lanes draws the lanes of a row; a continuation line shows no action. The key of a
// cause replaces the mark of its action.
func (p lanePen) lanes(row lesson.Row, acting bool, key string) (out Line) {
	if p.lane == 0 {
		return nil
	}
	from, to := -1, -1 // the wire between a client and a node
	if acting {
		from, to = p.run.Wire(row)
	}
	place := -1
	if key != "" {
		place = p.run.Actor(row)
	}
	for i, m := range row.Lanes {
		glyph, fill := p.glyph(i, m, acting), Normal.Of(strings.Repeat(" ", p.lane-1))
		if i >= from && i < to {
			fill = p.of(p.run.Lanes[from], strings.Repeat(p.theme.Wire, p.lane-1))
			if i > from && m != lesson.Acts && m != lesson.Hit {
				glyph = p.of(p.run.Lanes[from], p.theme.Wire)
			}
		}
		if i == place {
			glyph = Mark.Of(key)
		}
		out = append(out, glyph, fill)
	}
	return out
}

func (p lanePen) glyph(lane int, m lesson.Mark, acting bool) Span {
	l := p.run.Lanes[lane]
	switch {
	case m == lesson.Inside:
		return p.of(l, p.theme.Inside)
	case m == lesson.Gone, m == lesson.Faulted && !acting:
		return Normal.Of(" ")
	case m == lesson.Acts && acting:
		return p.of(l, p.theme.Acts)
	case m == lesson.Hit && acting:
		return Strong.Of(p.theme.Hit)
	case m == lesson.Faulted:
		return p.of(l, p.theme.Fault)
	}
	return Faint.Of(p.theme.Idle)
}

// Legend explains the marks.
func Legend(l lesson.Labels, t Theme, w int) []Line {
	marks := []struct{ glyph, says string }{
		{t.Here, l.Here}, {t.Idle, l.Alive}, {t.Inside, l.Inside}, {t.Acts, l.Acts},
		{t.Hit, l.Hit}, {t.Fault, l.Fault}, {t.Bad, l.Bad},
		{t.Full, l.Believes}, {"A", l.Initial}, {t.Wire, l.Broken}, {t.Open, l.Open}, {t.Parts, l.Parts},
		{t.Right, l.RightAnswer}, {t.Wrong, l.OtherAnswer}, {t.Won, l.Won},
	}
	var out []Line
	for _, m := range marks {
		out = append(out, Line{Strong.Of(Fit(m.glyph, 3)), Normal.Of(Trim(m.says, w-3))})
	}
	return out
}
