package export

import (
	"cmp"
	"html/template"
	"strconv"
	"strings"

	"lockstep/internal/diagram/vector"
	"lockstep/internal/lesson"
	"lockstep/internal/prose"
)

// This file prepares a lesson for the template of a page.

type lessonView struct {
	*Lesson
	ID, Prefix string
	Alone      bool          // on its page
	Names      template.HTML // of the diagram's lanes
	Diagram    template.HTML
	Legend     []vector.Sign
	Columns    int
	Groups     []groupView
	Questions  []askView
	Files      []fileView
	Data       pageData
}

// A groupView is what follows one caption.
type groupView struct {
	Caption   string
	Columns   int
	Questions []askView
	Commands  []commandView
	State     []stateView
	text      func(string) string
}

func (g groupView) Text(id string) string { return g.text(id) }

type commandView struct {
	Text, Words string
	Shown       bool // no row of its own shows it
	Rows        []rowView
}

type rowView struct {
	ID, Time, Name, Text string
	CauseOf              string // before the violations that it is a cause of
	N, Client            int
	Command              bool
	Cells                []cellView
	Disc                 *discView // for a cause that no lane shows
	Source               *sourceView
	Causes               []causeView
	Output               []string
	Cards                []cardView
}

type cellView struct {
	Class, Glyph, Words, Cause string
	Key                        int
}

type discView struct {
	Title string
	Key   int
}

type sourceView struct {
	Ref, Text string
	By        int
}

// A causeView is a link from a cause to the violation that it led to, or back.
type causeView struct {
	Ref, Label, Text string
	Short            string // the violation's step
	Of, Key          int
}

type cardView struct {
	ID, Says, Nth, Verdict, Happened string
	Columns                          int
	Causes                           []causeView
	Parts                            []lesson.Part
}

// An askView is the n-th question of a page.
type askView struct {
	Question
	ID, Ref string
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

type fileView struct {
	Name  string
	Lines []lineView
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

// Shape is a shape of the legend.
func (v *lessonView) Shape(s vector.Sign) template.HTML { return template.HTML(s.Shape) }

// Text is a label.
func (v *lessonView) Text(id string) string { return v.text(id) }

// view prepares the lesson for a page; prefix begins the ids of its parts.
func (l *Lesson) view(prefix string) *lessonView {
	v := &lessonView{
		Lesson: l, ID: identifier(l.Name), Prefix: prefix, Alone: prefix == "",
		Columns: len(l.Lanes) + 3,
	}
	column := vector.Alone(l.diagram, 0, vector.Label{Title: l.Title, Says: l.verdicts(), Words: l.labels.Picture})
	v.Names, v.Diagram, v.Legend = template.HTML(column.Names), template.HTML(column.Lanes), column.Legend
	causes := l.causesByStep()
	asked := 0
	for i, c := range l.Commands {
		if len(v.Groups) == 0 || c.Caption != "" || len(c.Questions) > 0 {
			v.Groups = append(v.Groups, groupView{Caption: c.Caption, Columns: v.Columns, text: l.text})
		}
		g := &v.Groups[len(v.Groups)-1]
		for _, q := range c.Questions {
			asked++
			answer := askView{q, v.Prefix + "a" + strconv.Itoa(asked), v.Prefix + "q" + strconv.Itoa(asked)}
			g.Questions, v.Questions = append(g.Questions, answer), append(v.Questions, answer)
		}
		g.Commands = append(g.Commands, v.command(c, causes))
		if last := i+1 == len(l.Commands); last || l.Commands[i+1].Caption != "" || len(l.Commands[i+1].Questions) > 0 {
			g.State = l.stateAfter(c.To)
		}
	}
	v.files()
	v.Data = l.data(column.Ends)
	return v
}

func (v *lessonView) step(n int) string { return v.Prefix + "step-" + strconv.Itoa(n) }

func (v *lessonView) command(c Command, causes map[int][]causeView) commandView {
	out := commandView{Text: c.Text, Words: c.Words, Shown: v.leads(c)}
	for i := c.From; i < c.To; i++ {
		out.Rows = append(out.Rows, v.row(i, causes[i+1]))
	}
	return out
}

// leads reports whether a command has to be shown beside its steps.
func (l *Lesson) leads(c Command) bool {
	return c.Text != "" && c.From < c.To && l.Rows[c.From].Command == ""
}

// causesByStep lists for each step the violations that it is a cause of.
func (l *Lesson) causesByStep() map[int][]causeView {
	all := map[int][]causeView{}
	for n, v := range l.Violations {
		step := l.nth(v.Step)
		if len(l.Rows[v.Step-1].Found) > 1 {
			step = l.book.With(step, v.Invariant)
		}
		for i, c := range v.Causes {
			text := l.book.Pair(step, l.causeOf(i+1, len(v.Causes)))
			all[c.Step] = append(all[c.Step], causeView{Text: text, Of: n + 1, Key: i + 1, Short: strconv.Itoa(v.Step)})
		}
	}
	return all
}

func (v *lessonView) row(i int, causes []causeView) rowView {
	s := v.Rows[i]
	r := rowView{
		ID: v.step(i + 1), N: i + 1, Time: v.Time(i).String(), Name: s.Who, Client: v.client(s), CauseOf: v.text("export_cause_of"), Text: v.said(s),
		Command: s.Command != "", Output: v.output(s),
	}
	for lane := range s.Lanes {
		r.Cells = append(r.Cells, v.cell(i, lane))
	}
	for _, c := range causes {
		c.Ref = v.Prefix + "v" + strconv.Itoa(c.Of)
		r.Causes = append(r.Causes, c)
	}
	if actor := v.Actor(s); len(causes) > 0 && actor >= 0 {
		c := &r.Cells[actor]
		c.Cause, c.Key, c.Class = causes[0].Text, causes[0].Key, c.Class+" z"
	} else if len(causes) > 0 {
		r.Disc = &discView{causes[0].Text, causes[0].Key}
	}
	if s.Source != "" {
		by, _ := v.By(i)
		r.Source = &sourceView{Ref: v.line(s.Source), Text: source(s), By: by}
	}
	for _, n := range s.Found {
		r.Cards = append(r.Cards, v.card(n))
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
		b := v.now[i].Clients[l.Client-1]
		c.Class += classes[b.Hold]
		if i == 0 && b.Hold != lesson.NotHeld || i > 0 && v.now[i-1].Clients[l.Client-1].Hold != b.Hold {
			c.Words = b.Believes(v.labels)
		}
	}
	say := func(glyph, id string) {
		c.Glyph, c.Words = glyph, strings.TrimSuffix(v.text(id)+", "+c.Words, ", ")
	}
	switch s.Lanes[lane] {
	case lesson.Gone:
		c.Class += " d"
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

func (v *lessonView) card(n int) cardView {
	f := v.Violations[n]
	c := cardView{
		ID: v.Prefix + "v" + strconv.Itoa(n+1), Says: f.Says, Verdict: f.Verdict, Happened: f.Happened, Columns: v.Columns, Parts: f.Parts,
	}
	if of := len(v.Violations); of > 1 {
		c.Nth = v.fill("nth", prose.TextFacts{N: n + 1, Of: of})
	}
	for i, cause := range f.Causes {
		label := v.book.Pair(v.causeOf(i+1, len(f.Causes)), v.nth(cause.Step))
		c.Causes = append(c.Causes, causeView{Ref: v.step(cause.Step), Label: label, Text: cause.Text})
	}
	return c
}

// stateAfter is the keys in Redis and the clients' beliefs after a number of
// steps.
func (l *Lesson) stateAfter(steps int) (out []stateView) {
	if steps == 0 || len(l.now[steps-1].Keys) == 0 && len(l.now[steps-1].Clients) == 0 {
		return nil
	}
	now := &l.now[steps-1]
	keys := stateView{Label: l.text("keys")}
	for _, k := range l.keys(steps - 1) {
		keys.Items = append(keys.Items, itemView{Text: k.String(), Client: k.Owner})
	}
	if len(keys.Items) == 0 {
		keys.Items = []itemView{{Text: l.text("no_keys")}}
	}
	beliefs := stateView{Label: l.text("beliefs")}
	for i, c := range now.Clients {
		words := c.Believes(l.labels)
		if c.Hold == lesson.NotHeld && words == l.labels.Nothing {
			continue // the default
		}
		beliefs.Items = append(beliefs.Items, itemView{l.book.Pair(c.Name, words), i + 1, c.Hold == lesson.Wrongly})
	}
	beliefs.Items = append(beliefs.Items, itemView{Text: l.book.Pair(l.store(), now.Truth(l.labels))})
	return []stateView{keys, beliefs}
}

// join joins words that are not empty with blanks.
func join(words ...string) string {
	out := ""
	for _, w := range words {
		if w != "" {
			out = cmp.Or(out+map[bool]string{true: " "}[out != ""]+w, w)
		}
	}
	return out
}

// line is the id of a line of code, by "file:line".
func (v *lessonView) line(source string) string {
	file, line := place(source)
	for i, f := range v.Lesson.Files {
		if f.Name == file && line <= len(f.Lines) {
			return v.Prefix + "f" + strconv.Itoa(i+1) + "-" + strconv.Itoa(line)
		}
	}
	return v.Prefix + "source"
}

// files marks the lines that steps come from, comments, and deliberate mistakes.
func (v *lessonView) files() {
	used, own := map[string]bool{}, v.book.Language()
	for _, row := range v.Rows {
		if row.Source != "" {
			used[v.line(row.Source)] = true
		}
	}
	for _, f := range v.Lesson.Files {
		view := fileView{Name: f.Name}
		faults, spoilers, texts := lesson.Faults(f.Lines), lesson.Spoilers(f.Lines), lesson.FaultTexts(f.Lines)
		for i, text := range f.Lines {
			line := lineView{ID: v.line(f.Name + ":" + strconv.Itoa(i+1)), Text: text, N: i + 1}
			if !used[line.ID] {
				line.ID = ""
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
			view.Lines = append(view.Lines, line)
		}
		v.Files = append(v.Files, view)
	}
}
