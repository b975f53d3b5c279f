package export

import (
	"cmp"
	"strconv"
	"strings"

	"lockstep/internal/diagram/vector"
	"lockstep/internal/lesson"
	"lockstep/internal/prose"
)

// A lessonView is a lesson as the template of a page draws it.
type lessonView struct {
	*Lesson
	ID, Prefix string // Prefix begins the ids of its parts; "" for a page of its own
	Asked      int    // how many questions come before it
	Picture    vector.Column
	Columns    int                 // of the table of steps
	causes     map[int][]causeView // by the steps that are causes
}

// A rowView is a step.
type rowView struct {
	lesson.Row
	N, Client int
	By        int // whose source line it is
	ID, Time  string
	Said      string
	Lane      []cellView
	Disc      *causeView // for a cause that no lane shows
	Causes    []causeView
	Printed   []string
	Ref, Code string // the source line
	Cards     []cardView
}

type cellView struct {
	Class, Glyph, Words string
	Sign                string // of a belief, where nothing happens
	Disc                *causeView
}

// A causeView is a link from a cause to the violation that it led to, or back.
type causeView struct {
	Ref, Label, Text string
	At               string // its step
	Key              int
}

type cardView struct {
	*Violation
	ID, Nth string
	At      string // its step
	Causes  []causeView
}

type stateView struct {
	Label string
	Items []itemView
}

type itemView struct {
	Text   string
	Client int
	Bad    bool
}

type lineView struct {
	ID, Class, Text string
	Own             string // translates the comment that ends here
	N               int
}

// verdicts says what the run violates, or that it violates nothing.
func (l *Lesson) verdicts() string {
	var all []string
	for _, v := range l.Violations {
		all = append(all, v.Verdict)
	}
	return cmp.Or(strings.Join(all, " "), l.text("no_violation"))
}

// view prepares the lesson for a page.
func (l *Lesson) view(prefix string) *lessonView {
	v := &lessonView{Lesson: l, ID: identifier(l.Name), Prefix: prefix, Columns: len(l.Lanes) + 3, causes: map[int][]causeView{}}
	v.Picture = vector.Alone(l.diagram, 0, vector.Label{Title: l.Title, Says: l.verdicts(), Book: l.book})
	for n, f := range l.Violations {
		step := l.nth(f.Step)
		if len(l.Rows[f.Row].Found) > 1 {
			step = l.book.With(step, l.book.InvariantName(f.Invariant))
		}
		why := f.Causes()
		for i, c := range why {
			at := l.step(c)
			v.causes[at] = append(v.causes[at], causeView{Ref: v.card(n), Label: strconv.Itoa(f.Step), Text: l.book.Pair(step, l.causeOf(i+1, len(why))), Key: i + 1})
		}
	}
	return v
}

func (v *lessonView) at(step int) string { return v.Prefix + "step-" + strconv.Itoa(step) }

func (v *lessonView) card(n int) string { return v.Prefix + "v" + strconv.Itoa(n+1) }

// Groups are the commands, each group with what follows one caption or question.
func (l *Lesson) Groups() (all [][]Command) {
	for _, c := range l.Commands {
		if len(all) == 0 || c.Caption != "" || len(c.Questions) > 0 {
			all = append(all, nil)
		}
		last := &all[len(all)-1]
		*last = append(*last, c)
	}
	return all
}

// Leads reports whether a command has to be shown beside its steps.
func (l *Lesson) Leads(c Command) bool {
	return c.Text != "" && c.From < c.To && l.Rows[c.From].Command == nil
}

// Steps are those of a command.
func (v *lessonView) Steps(c Command) (rows []rowView) {
	for i := c.From; i < c.To; i++ {
		rows = append(rows, v.row(i))
	}
	return rows
}

func (v *lessonView) row(i int) rowView {
	s, causes := v.Rows[i], v.causes[i+1]
	r := rowView{
		Row: s, ID: v.at(i + 1), N: i + 1, Time: v.Time(i).String(), Client: v.client(s), Said: v.said(s), Printed: s.Printed(v.book), Causes: causes,
	}
	for lane := range s.Lanes {
		r.Lane = append(r.Lane, v.cell(i, lane))
	}
	if actor := v.Actor(s); len(causes) > 0 && actor >= 0 {
		r.Lane[actor].Disc = &causes[0]
		r.Lane[actor].Class += " z"
	} else if len(causes) > 0 {
		r.Disc = &causes[0]
	}
	if s.Source != "" {
		r.Ref, r.Code = v.line(s.Source), source(s)
		r.By, _ = v.By(i)
	}
	for _, n := range s.Found {
		f := &v.Violations[n]
		c := cardView{Violation: f, ID: v.card(n), At: v.nth(f.Step)}
		if of := len(v.Violations); of > 1 {
			c.Nth = v.fill("nth", prose.TextFacts{N: n + 1, Of: of})
		}
		why := f.Causes()
		for i, cause := range why {
			at := v.nth(v.step(cause))
			c.Causes = append(c.Causes, causeView{v.at(v.step(cause)), v.book.Pair(v.causeOf(i+1, len(why)), at), cause.Text, at, i + 1})
		}
		r.Cards = append(r.Cards, c)
	}
	return r
}

// classes are the CSS classes of a lane, by its client's belief.
var classes = map[lesson.Hold]string{lesson.Held: " h", lesson.AtWork: " w", lesson.Wrongly: " x", lesson.Dead: " d"}

// cell is one lane at a step. Hidden words say what it draws.
func (v *lessonView) cell(i, lane int) cellView {
	s, l := v.Rows[i], v.Lanes[lane]
	c := cellView{Class: "l c" + strconv.Itoa(l.Client)}
	if l.Main() {
		b := v.Rows[i].Now.Clients[l.Client-1]
		c.Class, c.Sign = c.Class+classes[b.Hold], signs[b.Hold]
		if i == 0 && b.Hold != lesson.NotHeld || i > 0 && v.Rows[i-1].Now.Clients[l.Client-1].Hold != b.Hold {
			c.Words = b.Believes(v.book)
		}
	}
	say := func(glyph, id string) {
		c.Glyph, c.Words = glyph, strings.TrimSuffix(v.text(id)+", "+c.Words, ", ")
	}
	switch s.Lanes[lane] {
	case lesson.Gone:
		c.Class, c.Sign = c.Class+" d", ""
	case lesson.Acts:
		say("●", "legend_acts")
	case lesson.Hit:
		say("◆", "legend_hit")
	case lesson.Faulted:
		c.Class += " flt"
		say("!", "legend_fault")
	}
	from, to := v.Wire(s)
	if from < 0 {
		return c
	}
	wire := map[bool]string{lane == from: " ws", lane > from && lane < to: " wm", lane == to: " we"}[true]
	if wire != "" {
		c.Class += wire + " k" + strconv.Itoa(v.Lanes[from].Client)
	}
	return c
}

// StateAfter is the keys in Redis and the clients' beliefs after commands.
func (l *Lesson) StateAfter(commands []Command) []stateView {
	row := commands[len(commands)-1].To - 1
	if row < 0 || len(l.Rows[row].Now.Keys) == 0 && len(l.Rows[row].Now.Clients) == 0 {
		return nil
	}
	keys, beliefs := stateView{Label: l.text("keys")}, stateView{Label: l.text("beliefs")}
	for _, k := range l.keys(row) {
		keys.Items = append(keys.Items, itemView{Text: k.String(), Client: k.Owner})
	}
	if len(keys.Items) == 0 {
		keys.Items = []itemView{{Text: l.text("no_keys")}}
	}
	for i, c := range l.Rows[row].Now.Clients {
		words := c.Believes(l.book)
		if c.Hold == lesson.NotHeld && words == l.text("belief_none") {
			continue // the default
		}
		beliefs.Items = append(beliefs.Items, itemView{l.book.Pair(c.Name, words), i + 1, c.Hold == lesson.Wrongly})
	}
	beliefs.Items = append(beliefs.Items, itemView{Text: l.book.Pair(l.store(), l.Rows[row].Now.Truth(l.book))})
	return []stateView{keys, beliefs}
}

// line is the id of a line of code, by "file:line".
func (v *lessonView) line(source string) string {
	file, line := place(source)
	for i, f := range v.Files {
		if f.Name == file && line <= len(f.Lines) {
			return v.Prefix + "f" + strconv.Itoa(i+1) + "-" + strconv.Itoa(line)
		}
	}
	return v.Prefix + "source"
}

// Listing marks the lines of a file that steps come from, comments, and deliberate
// mistakes.
func (v *lessonView) Listing(f File) (list []lineView) {
	used, own := map[string]bool{}, v.book.Language()
	for _, row := range v.Rows {
		if row.Source != "" {
			used[v.line(row.Source)] = true
		}
	}
	faults, spoilers, texts := lesson.Faults(f.Lines), lesson.Spoilers(f.Lines), lesson.FaultTexts(f.Lines)
	for i, text := range f.Lines {
		line := lineView{Text: text, N: i + 1}
		if id := v.line(f.Name + ":" + strconv.Itoa(i+1)); used[id] {
			line.ID = id
		}
		switch {
		case faults[i]:
			line.Class = "bug tell"
		case spoilers[i]:
			line.Class = "note tell"
		case strings.HasPrefix(strings.TrimSpace(text), "//"):
			line.Class = "note"
		}
		if texts[i] != "" {
			line.Own = own(texts[i])
		}
		list = append(list, line)
	}
	return list
}
