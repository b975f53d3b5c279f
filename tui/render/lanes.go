package render

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"lockstep/internal/lesson"
)

const (
	maxCurrent = 4  // lines that the current row's text may take
	minText    = 16 // cells that the text needs beside the lanes
	timeFrom   = 60 // width from which the rows show the time
	timeWidth  = 8
)

// Lanes draws the rows up to the cursor, the newest at the bottom: what each
// client, strand and node did, and the transcript's words for it.
func Lanes(r *lesson.Run, c Cursor, l lesson.Labels, t Theme, w, h int) []string {
	p := newLanePen(r, l, t, w)
	p.marks, p.told, p.back = c.marks(), c.Told, c.Back
	return p.rows(c.At, l, h)
}

// rows are h lines, of which the last is the row at the cursor.
func (p lanePen) rows(at int, l lesson.Labels, h int) []string {
	room := max(0, h-1)
	rows := p.current(at, room)
	var past []string
	for _, i := range p.before(at, room-len(rows)) {
		past = append(past, p.theme.Click(p.back, at-i, p.past(i)))
	}
	return append([]string{p.header(l.Time)}, append(past, rows...)...)
}

// before are the latest n rows before one; a cause is among them however long ago.
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

func (p lanePen) header(time string) string {
	line := Fit("", p.number+2+p.time)
	if p.time > 0 {
		line = Fit("", p.number+2) + Fit(time, p.time)
	}
	line = p.theme.Head.Render(line)
	if p.lane > 0 {
		for _, l := range p.run.Lanes {
			name := l.Name
			name = ansi.TruncateLeft(name, max(0, Width(name)-p.lane+1), "") // its end tells it from others
			line += p.style(l).Render(Fit(name, p.lane))
		}
	}
	return line
}

// style is how a lane's client looks.
func (p lanePen) style(l lesson.Lane) lipgloss.Style {
	if l.Client == 0 {
		return p.theme.Head
	}
	return p.theme.Client(l.Client - 1)
}

// past is one row before the current one, on one line. While a card is open, the
// causes stand out.
func (p lanePen) past(at int) string {
	row := p.run.Rows[at]
	style, mark := p.theme.Plain, " "
	key, causes := p.marks[at]
	switch {
	case causes && (key == "" || p.lane == 0 || p.run.Actor(row) < 0):
		mark = p.theme.Mark.Render(cmp.Or(key, p.theme.Here))
	case at == p.parts:
		mark = p.theme.Ask.Render(p.theme.Parts)
	case len(row.Found) > 0:
		mark = p.theme.Alarm.Render(p.theme.Bad)
	}
	if causes {
		style = p.theme.Strong
	}
	return mark + p.theme.Plain.Render(p.margin(at)) + p.lanes(row, true, key) + style.Render(Fit(trimMiddle(p.words(row), p.text), p.text))
}

// current is the row at the cursor: its text in full if it has room, what its command
// printed, and what it violates.
func (p lanePen) current(at, room int) []string {
	row, t := p.run.Rows[at], p.theme
	text := Wrap(p.words(row), p.text)
	if len(text) > min(room, maxCurrent) {
		text = []string{trimMiddle(p.words(row), p.text)}
	}
	style := t.Strong
	if row.Source != "" {
		who, _ := p.run.By(at) // as its line of source is, and the key that it changed
		style = t.LitBy(who - 1)
	}
	var out []string
	for i, line := range text {
		start := t.Strong.Render(t.Here + p.margin(at))
		if i > 0 {
			start = Fit("", p.number+2+p.time)
		}
		out = append(out, start+p.lanes(row, i == 0, "")+style.Render(line))
	}
	out = append(out, p.below(at)...)
	return out[:min(len(out), room)]
}

// below is what stands under the row at the cursor.
func (p lanePen) below(at int) (out []string) {
	row, t, w := p.run.Rows[at], p.theme, p.width-p.number-2
	indent := Fit("", p.number+2)
	if at == p.parts {
		out = append(out, indent+t.Ask.Render(Trim(t.Parts+" "+p.part, w)))
	}
	if t.Airy && p.told {
		return out // in full, above
	}
	for _, output := range row.Output {
		for _, line := range Wrap(p.labels.Printed(output), w) {
			out = append(out, indent+line)
		}
	}
	if len(row.Output) > 0 || p.told {
		return out // a check says itself what it found
	}
	for _, i := range row.Found {
		for _, line := range Wrap(t.Bad+" "+p.labels.Violated(p.run.Found[i].Invariant), w) {
			out = append(out, indent+t.Alarm.Render(line))
		}
	}
	return out
}

// margin is a row's number and time.
func (p lanePen) margin(at int) string {
	s := fmt.Sprintf("%*d ", p.number, at+1)
	if p.time > 0 {
		s += Fit(p.run.Time(at).String(), p.time)
	}
	return s
}

// words is the row's text, with who it is about where no lane shows it.
func (p lanePen) words(row lesson.Row) string {
	if p.lane == 0 && row.Who != "" {
		return row.Said().In(p.labels.In)
	}
	return row.Text.In(p.labels.In)
}

// lanes draws the lanes of a row; a line that goes on below it shows no action.
// The key of a cause stands where its action is.
func (p lanePen) lanes(row lesson.Row, acting bool, key string) string {
	if p.lane == 0 {
		return ""
	}
	from, to := -1, -1 // the wire between a client and a node
	if acting {
		from, to = p.run.Wire(row)
	}
	place := -1
	if key != "" {
		place = p.run.Actor(row)
	}
	var b strings.Builder
	for i, m := range row.Lanes {
		glyph, fill := p.glyph(i, m, acting), strings.Repeat(" ", p.lane-1)
		if i >= from && i < to {
			fill = p.style(p.run.Lanes[from]).Render(strings.Repeat(p.theme.Wire, p.lane-1))
			if i > from && m != lesson.Acts && m != lesson.Hit {
				glyph = p.style(p.run.Lanes[from]).Render(p.theme.Wire)
			}
		}
		if i == place {
			glyph = p.theme.Mark.Render(key)
		}
		b.WriteString(glyph + fill)
	}
	return b.String()
}

func (p lanePen) glyph(lane int, m lesson.Mark, acting bool) string {
	style := p.style(p.run.Lanes[lane])
	switch {
	case m == lesson.Inside:
		return style.Render(p.theme.Inside)
	case m == lesson.Gone, m == lesson.Faulted && !acting:
		return " "
	case m == lesson.Acts && acting:
		return style.Render(p.theme.Acts)
	case m == lesson.Hit && acting:
		return p.theme.Strong.Render(p.theme.Hit)
	case m == lesson.Faulted:
		return style.Render(p.theme.Fault)
	}
	return p.theme.Faint.Render(p.theme.Idle)
}

// Legend explains the marks.
func Legend(l lesson.Labels, t Theme, w int) []string {
	marks := []struct{ glyph, says string }{
		{t.Here, l.Here}, {t.Idle, l.Alive}, {t.Inside, l.Inside}, {t.Acts, l.Acts},
		{t.Hit, l.Hit}, {t.Fault, l.Fault}, {t.Bad, l.Bad},
		{t.Full, l.Believes}, {"A", l.Initial}, {t.Wire, l.Broken}, {t.Open, l.Open}, {t.Parts, l.Parts},
	}
	var out []string
	for _, m := range marks {
		out = append(out, t.Strong.Render(Fit(m.glyph, 3))+Trim(m.says, w-3))
	}
	return out
}
