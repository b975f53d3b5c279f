package render

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"lockstep/internal/diagram"
	"lockstep/internal/lesson"
	"lockstep/sim/history"
)

const (
	maxCurrent = 4  // lines that the current row's text may take
	minText    = 16 // cells that the text needs beside the lanes
	timeFrom   = 60 // width from which the rows show the time
	timeWidth  = 8
)

// Lanes draws the rows up to the cursor, the newest at the bottom: what each client,
// strand and node did, with the text of the transcript.
func (t Theme) Lanes(d *diagram.Diagram, c Cursor, w, h int) Lines {
	p := t.newLanePen(d, w)
	p.Cursor, p.marks = c, c.marks()
	return p.rows(c.At, h)
}

// rows returns h lines; the last one is the current row.
func (p lanePen) rows(at, h int) Lines {
	room := max(0, h-1)
	rows := p.current(at, room)
	var past Lines
	for _, i := range p.before(at, room-len(rows)) {
		past = append(past, p.past(i).On(p.Back, at-i))
	}
	return append(Lines{p.header()}, append(past, rows...)...)
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

// A Due is what time will bring, on the lane with a name.
type Due struct {
	At         history.Millis
	Lane, Text string
}

// Ahead draws what time will bring, one line each, as lanes go on below the last row.
func (t Theme) Ahead(d *diagram.Diagram, list []Due, w int) (out Lines) {
	p := t.newLanePen(d, w)
	for _, due := range list {
		line := Faint.Line(Fit("", p.number+2))
		if p.time > 0 {
			line = append(line, Faint.Of(Fit(due.At.String(), p.time)))
		}
		for _, l := range d.Run.Lanes {
			mark := Faint.Of(Fit(p.Waits, p.lane))
			if l.Name == due.Lane {
				mark = p.of(l, Fit(p.Over, p.lane))
			}
			line = append(line, mark)
		}
		out = append(out, append(line, Faint.Of(Trim(due.Text, p.text))))
	}
	return out
}

// A lanePen knows the columns of the picture. It paints the space-time diagram in cells.
type lanePen struct {
	Theme
	Cursor
	run    *lesson.Run
	shapes *diagram.Diagram
	names  []string // one character for each client
	width  int
	number int // cells of a step's number
	time   int // cells of the time; 0 for none
	lane   int // cells of one lane; 0 if there is no room for lanes
	text   int
	marks  map[int]string // the keys of causes, by row
	parts  int            // the row from which on it is another run than one beside it; -1 for none
	part   string         // says so
}

func (t Theme) newLanePen(d *diagram.Diagram, w int) lanePen {
	r := d.Run
	p := lanePen{
		Theme: t, run: r, shapes: d, names: lesson.Initials(r.History.Config.Clients),
		width: w, parts: -1, number: len(strconv.Itoa(len(r.Rows))),
	}
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

func (p lanePen) header() Line {
	text := Fit("", p.number+2+p.time)
	if p.time > 0 {
		text = Fit("", p.number+2) + Fit(p.Text("time"), p.time)
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
		mark = Mark.Of(cmp.Or(key, p.Here))
	case at == p.parts:
		mark = Ask.Of(p.Parts)
	case len(row.Found) > 0:
		mark = Alarm.Of(p.Bad)
	}
	if causes {
		role = Strong
	}
	line := append(Line{mark, Normal.Of(p.margin(at))}, p.lanes(at, true, key)...)
	return append(line, role.Of(Fit(trimMiddle(p.words(row), p.text), p.text)))
}

// current draws the current row: its text, in full if there is room, the output of its
// command, and its violations.
func (p lanePen) current(at, room int) Lines {
	row := p.run.Rows[at]
	text := WrapText(p.words(row), p.text)
	if len(text) > min(room, maxCurrent) {
		text = []string{trimMiddle(p.words(row), p.text)}
	}
	span := Strong.Of("")
	if row.Source != "" {
		who, _ := p.run.By(at) // as its line of source is, and the key that it changed
		span = Span{Role: Lit, Client: who}
	}
	var out Lines
	for i, line := range text {
		start := Strong.Line(p.Here + p.margin(at))
		if i > 0 {
			start = Normal.Line(Fit("", p.number+2+p.time))
		}
		span.Text = line
		out = append(out, append(append(start, p.lanes(at, i == 0, "")...), span))
	}
	out = append(out, p.below(at)...)
	return out[:min(len(out), room)]
}

// below returns the lines below the current row.
func (p lanePen) below(at int) (out Lines) {
	row, w := p.run.Rows[at], p.width-p.number-2
	indent := Normal.Of(Fit("", p.number+2))
	if at == p.parts {
		out = append(out, Line{indent, Ask.Of(Trim(p.Parts+" "+p.part, w))})
	}
	if p.Airy && p.Told {
		return out // in full, above
	}
	for _, printed := range row.Printed(p.Book) {
		for _, line := range WrapText(printed, w) {
			out = append(out, Line{indent, Normal.Of(line)})
		}
	}
	if len(row.Output) > 0 || p.Told {
		return out // a check says itself what it found
	}
	for _, i := range row.Found {
		for _, line := range WrapText(p.Bad+" "+p.Violated(p.run.Found[i].Invariant), w) {
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
		return row.Said().In(p.Language())
	}
	return row.Text.In(p.Language())
}

// lanes draws the lanes of a row; a continuation line shows no action. The key of a
// cause replaces the mark of its action.
func (p lanePen) lanes(at int, acting bool, key string) (out Line) {
	if p.lane == 0 {
		return nil
	}
	row := p.run.Rows[at]
	cells := make([]Span, p.lane*len(row.Lanes))
	for i := range cells {
		cells[i] = Normal.Of(" ")
	}
	for i, m := range row.Lanes {
		before := at
		if m == lesson.Hit && p.moving(at) {
			before-- // the command has not come there yet
		}
		cells[i*p.lane] = p.rests(i, max(0, before))
	}
	p.slopes(cells, at, acting)
	p.ghosts(cells, at)
	if acting {
		p.passing(cells, at)
		p.wire(cells, at)
		for i, m := range row.Lanes {
			if m == lesson.Hit && p.moving(at) {
				continue
			}
			if glyph := p.acts(i, at, m); glyph.Text != "" {
				cells[i*p.lane] = glyph
			}
		}
		if actor := p.run.Actor(row); key != "" && actor >= 0 {
			cells[actor*p.lane] = Mark.Of(key)
		}
		p.counts(cells, at)
	}
	for _, c := range cells {
		out = out.Add(c)
	}
	return out
}

// rests is a lane at a row without what happens there: the lease on a node, or what a
// client believes.
func (p lanePen) rests(lane, at int) Span {
	l, m, now := p.run.Lanes[lane], p.run.Rows[at].Lanes[lane], p.run.Rows[at].Now
	if m == lesson.Gone {
		return Normal.Of(" ")
	}
	if l.Client == 0 {
		if owner := now.Owners[slices.Index(p.run.Nodes, l.Name)]; owner >= 0 {
			return Span{Text: p.names[owner], Role: Lit, Client: int(owner) + 1}
		}
		return Faint.Of(p.Idle)
	}
	if l.Main() {
		switch hold := now.Clients[l.Client-1].Hold; {
		case hold == lesson.Wrongly:
			return Alarm.Of(p.Bad)
		case hold == lesson.AtWork, m == lesson.Inside:
			return p.of(l, p.Inside)
		case hold == lesson.Held:
			return p.of(l, p.Full)
		case hold == lesson.Dead:
			return Normal.Of(" ")
		}
	}
	return Faint.Of(p.Idle)
}

// acts is what a lane does at a row; nothing for most.
func (p lanePen) acts(lane, at int, m lesson.Mark) Span {
	l, marks := p.run.Lanes[lane], p.shapes.Marks(lane, at)
	switch {
	case marks.Sign != nil:
		return p.sign(l, marks.Sign.Trouble)
	case m == lesson.Faulted:
		return Span{} // a late request arrives: its arrow says it
	case marks.By != nil && marks.By.Wrong && marks.By.Known <= p.At:
		return Alarm.Of(p.Fault)
	case marks.Ends:
		return p.end(marks)
	case marks.Touch != nil:
		return p.touch(l, marks.Touch.Access)
	case marks.Depth > 0 && marks.Depth < 10:
		return p.of(l, strconv.Itoa(marks.Depth))
	case m == lesson.Acts:
		return p.of(l, p.Acts)
	}
	return Span{}
}

// end is how a lease ends. If another begins at once, that is seen.
func (p lanePen) end(m diagram.Marks) Span {
	switch m.Bar.End {
	case diagram.Removed:
		return Alarm.Of(p.Bad)
	case diagram.Lost:
		return Alarm.Of(p.Forgot)
	case diagram.Expired:
		return of(m.Bar.Client, p.Over)
	case diagram.Done:
		return of(m.Bar.Client, p.Freed)
	}
	if m.Began {
		return Span{}
	}
	return of(m.Bar.By, p.Taken)
}

// sign is what goes wrong on a lane.
func (p lanePen) sign(l lesson.Lane, t diagram.Trouble) Span {
	switch t {
	case diagram.Dies:
		return Alarm.Of(p.Dies)
	case diagram.GivesUp:
		return Alarm.Of(p.Late)
	case diagram.Forgets:
		return Alarm.Of(p.Forgot)
	case diagram.Restored:
		return p.of(l, p.Acts)
	}
	return p.of(l, p.Fault)
}

// touch is what a client does to what the lock guards.
func (p lanePen) touch(l lesson.Lane, a diagram.Access) Span {
	switch a {
	case diagram.Writes:
		return p.of(l, p.Writes)
	case diagram.Damages:
		return Alarm.Of(p.Writes)
	case diagram.Declined:
		return Good.Of(p.Declined)
	}
	return p.of(l, p.Acts)
}

// wire connects a client with the node that executes its command. Its head says what the
// command did; it stands before the node's lane, so that the lease there has no hole.
func (p lanePen) wire(cells []Span, at int) {
	from, to := p.run.Wire(p.run.Rows[at])
	if from < 0 {
		p.arrival(cells, at)
		return
	}
	end := to * p.lane
	if p.moving(at) {
		end = from*p.lane + (to-from)*p.lane*p.Moved/Strides
	}
	for x := from*p.lane + 1; x < end; x++ {
		cells[x] = p.of(p.run.Lanes[from], p.Wire)
	}
	if !p.moving(at) {
		p.head(cells, to, at)
	}
}

// arrival draws the head of a command that has been under way.
func (p lanePen) arrival(cells []Span, at int) {
	for lane := range p.run.Lanes {
		if p.run.Lanes[lane].Client == 0 && !p.moving(at) {
			p.head(cells, lane, at)
		}
	}
}

// head draws the head of the command that comes to a node at a row.
func (p lanePen) head(cells []Span, lane, at int) {
	came := p.shapes.Marks(lane, at).Came
	if came == nil || lane == 0 {
		return
	}
	glyph := map[diagram.Effect]string{diagram.Changes: p.Changes, diagram.Looks: p.Looks, diagram.Nothing: p.Nothing}[came.Effect]
	cells[lane*p.lane-1] = of(came.Client, glyph)
}

// counts writes beside a client's lane on how many nodes it owns the key, and of how many
// if that does not run into a sign of the next lane.
func (p lanePen) counts(cells []Span, at int) {
	for lane := range p.run.Lanes {
		c := p.shapes.Marks(lane, at).Count
		if c == nil || p.lane < 4 {
			continue
		}
		role := of(c.Client, "")
		if c.Loses {
			role = Alarm.Of("")
		}
		x, text := lane*p.lane+1, fmt.Sprintf("%d/%d", c.On, c.Of)
		if next := x + len(text); next < len(cells) && strings.ContainsFunc(cells[next].Text, isWord) {
			text = strconv.Itoa(c.On)
		}
		for i, r := range text[:min(len(text), len(cells)-x, p.lane-1)] {
			role.Text = string(r)
			cells[x+i] = role
		}
	}
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// passing dots a row at which time passes.
func (p lanePen) passing(cells []Span, at int) {
	if !p.shapes.Passes[at] {
		return
	}
	end := len(cells) - p.lane
	if p.moving(at) {
		end = end * p.Moved / Strides
	}
	for x := range cells[:end] {
		if x%2 == 0 && cells[x].Text == " " {
			cells[x] = Faint.Of(p.Passes)
		}
	}
}

// moving reports whether what moves at a row is still under way.
func (p lanePen) moving(at int) bool { return p.Moved > 0 && at == p.At }

// slopes draws the messages that are under way at a row. How steep they are does not
// depend on when they arrive, which would tell what comes after the cursor: one that
// takes long waits beside its goal.
func (p lanePen) slopes(cells []Span, at int, acting bool) {
	for _, a := range p.shapes.Slow {
		if a.From >= at || at > a.To || at == a.To && (!acting || a.Fate == diagram.Arrived) {
			continue
		}
		glyph, side := p.Falls, 1
		if a.Goal < a.Start {
			glyph, side = p.Rises, -1
		}
		x, last := (a.Start*p.lane)+side*2*(at-a.From), a.Goal*p.lane-2*side
		if side*(x-last) > 0 {
			x, glyph = last, p.Waits
		}
		if at == a.To && a.Fate == diagram.Dropped {
			glyph = p.Fault
		}
		if cells[x].Text == " " || cells[x].Text == p.Idle {
			cells[x] = of(a.Client, glyph)
		}
	}
}

// ghosts draws beside a node's lane how long a lease would have lasted, if that had saved
// the run.
func (p lanePen) ghosts(cells []Span, at int) {
	for _, g := range p.shapes.Ghosts {
		if x := g.Lane*p.lane - 1; p.Told && g.Known == p.At && g.From <= at && at <= g.To && cells[x].Text == " " {
			cells[x] = of(g.Client, p.Ghost)
		}
	}
}

// Legend explains the marks.
func (t Theme) Legend(w int) (out Lines) {
	for _, m := range t.legend {
		out = append(out, Line{Strong.Of(Fit(m.glyph, 3)), Normal.Of(Trim(t.Text(m.text), w-3))})
	}
	return out
}
