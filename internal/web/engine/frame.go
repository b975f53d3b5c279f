package engine

import (
	"slices"
	"strconv"
	"strings"

	"lockstep/internal/diagram/vector"
	"lockstep/tui/pages"
	"lockstep/tui/render"
)

// A Frame is what is to be seen and pressed: text, and the names of classes.
type Frame struct {
	Lang   string            `json:"lang"`
	Title  [2]string         `json:"title"`
	Status [2]string         `json:"status"`
	Notice string            `json:"notice,omitempty"`
	Says   string            `json:"says"` // for who does not see it
	Place  string            `json:"place"`
	Page   int               `json:"page"`
	Depth  int               `json:"depth"`
	Linked bool              `json:"linked,omitempty"`
	Won    string            `json:"won,omitempty"` // the token of the moves that have solved the open level
	Writes *string           `json:"writes,omitempty"`
	Parts  []Part            `json:"parts"`
	Keys   []Key             `json:"keys"`
	Words  map[string]string `json:"words"` // of what is around the pages
	Large  bool              `json:"large,omitempty"`
	Blank  bool              `json:"blank,omitempty"`
}

// Code returns the name of the file that the frame shows; "" for none.
func (f *Frame) Code() string {
	for i := range f.Parts {
		if f.Parts[i].Kind == "code" {
			return f.Parts[i].Title
		}
	}
	return ""
}

// A Part is a section of a page.
type Part struct {
	Kind  string    `json:"kind"`
	Title string    `json:"title,omitempty"`
	Lines [][]Piece `json:"lines,omitempty"`
	Names string    `json:"names,omitempty"` // SVG: the heads of the lanes ...
	Lanes string    `json:"lanes,omitempty"` // ... and what happens in them ...
	Width int       `json:"width,omitempty"` // ... in pixels
	Rows  []Row     `json:"rows,omitempty"`
	Said  string    `json:"said,omitempty"` // what came of the last step
	Here  [2]int    `json:"here"`           // the cursor of a table: row and column

	Legend []vector.Sign `json:"legend,omitempty"`

	Asked pages.Asked `json:"-"` // of an "ask"; the page is not to know it
}

// A Row is a step beside the lanes. High is how many pixels it takes.
type Row struct {
	N     int    `json:"i"`
	Time  string `json:"at,omitempty"`
	Text  string `json:"t"`
	Class string `json:"c,omitempty"`
	Cause int    `json:"z,omitempty"`
	Parts bool   `json:"p,omitempty"` // here it differs first from the run beside it
	High  int    `json:"h"`
	Press string `json:"k,omitempty"`
	Times int    `json:"n,omitempty"`
}

// A Piece is a piece of a line that looks the same.
type Piece struct {
	Text  string `json:"t"`
	Class string `json:"c,omitempty"`
	Press string `json:"k,omitempty"` // the key that a click on it presses ...
	Times int    `json:"n,omitempty"` // ... so often
}

// A Key is a button.
type Key struct {
	Press string `json:"press"`
	Name  string `json:"name"`
	Does  string `json:"does"`
	Off   bool   `json:"off,omitempty"`
	Why   string `json:"why,omitempty"`
	Rank  int    `json:"rank,omitempty"`
	Leads bool   `json:"leads,omitempty"`
	Ends  bool   `json:"ends,omitempty"`
}

// frame is what the pages show now.
func (e *engine) frame(s *pages.Shell) *Frame {
	f := s.Frame()
	out := &Frame{
		Lang: f.Language, Title: f.Title, Status: f.Status, Notice: f.Notice, Says: f.Says, Place: f.Place, Page: f.Page, Depth: f.Depth, Linked: f.Linked, Won: f.Won, Writes: f.Writes, Words: f.Words,
		Large: f.Large, Blank: f.Blank,
	}
	for _, section := range f.Sections {
		out.Parts = append(out.Parts, part(section))
	}
	for _, k := range f.Keys {
		out.Keys = append(out.Keys, Key(k))
	}
	return out
}

// shows reports whether a frame has a section of a kind.
func (f *Frame) shows(kind pages.Kind) bool {
	return slices.ContainsFunc(f.Parts, func(p Part) bool { return p.Kind == string(kind) })
}

// has reports whether a frame has anything in its sections.
func (f *Frame) has() bool {
	return slices.ContainsFunc(f.Parts, func(p Part) bool { return len(p.Lines)+len(p.Rows) > 0 })
}

// part is a section for the page.
func part(s pages.Section) Part {
	out := Part{Kind: string(s.Kind), Title: s.Title, Here: [2]int{s.Row, s.Column}, Asked: s.Asked}
	for _, line := range s.Lines {
		var made []Piece
		for _, span := range line.Trimmed() {
			made = append(made, Piece{Text: span.Text, Class: class(span), Press: span.Press, Times: span.Times})
		}
		out.Lines = append(out.Lines, made)
	}
	if s.Steps == nil {
		return out
	}
	out.Said = s.Steps.Output
	column := vector.Alone(s.Steps.Diagram, s.Steps.From, vector.Label{Title: s.Title, Says: s.Steps.Says, Words: s.Steps.Words})
	out.Names, out.Lanes, out.Width, out.Legend = column.Names, column.Lanes, column.Width, column.Legend
	before := 0
	for i, step := range s.Steps.Rows {
		row := Row{N: step.N, Time: step.Time, Text: step.Text, Cause: step.Cause, Parts: step.Parts, High: column.Ends[i] - before, Press: step.Press, Times: step.Times}
		if before = column.Ends[i]; step.Client > 0 {
			row.Class = "client" + strconv.Itoa(step.Client)
		}
		if step.Bad {
			row.Class = "alarm"
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// class names what a span is; style.css has the rest.
func class(s render.Span) string {
	name := classes[s.Role]
	if s.Client > 0 {
		name = strings.TrimSpace(name + " client" + strconv.Itoa(s.Client))
	}
	return name
}

var classes = map[render.Role]string{
	render.Title: "title", render.Head: "head", render.Column: "head", render.Pane: "head", render.Rule: "faint", render.LitRule: "head", render.Bar: "faint", render.Strong: "strong", render.Faint: "faint", render.Lit: "lit",
	render.Lesson: "lesson", render.Alarm: "alarm", render.Ask: "ask", render.Good: "good", render.Mark: "mark", render.Number: "number",
}
