package export

import (
	"strconv"

	"lockstep/internal/prose"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// A Matrix is the verdicts on locks under hazards, with every counterexample.
type Matrix struct {
	Title, About, Lock string // Lock is the heading of the first column
	Hazards            []Hazard
	Rows               []Row
	Notes              []string // to which cells refer by number
	Table              string   // the table in Markdown

	lang string
	book *prose.Book
}

// A Hazard is a column.
type Hazard struct{ ID, Says string }

// A Row is a lock.
type Row struct {
	Lock  string
	Cells []Cell
}

// A Cell is one lock under one hazard.
type Cell struct {
	Verdict explore.Verdict
	Text    string
	Title   string // its lock and hazard, or the reason for its verdict
	Found   []Counterexample
	Ref     string // its place on a page
}

// A Counterexample is a run that breaks an invariant.
type Counterexample struct {
	Code, Says string
	Lines      []TraceLine
	Token      string
}

// A TraceLine is one line of a transcript.
type TraceLine struct {
	Text  string
	Broke bool
}

// NewCounterexample makes a transcript of a run.
func NewCounterexample(told Told, code, says string, r *scenarios.Result) Counterexample {
	c := Counterexample{Code: code, Says: says, Token: history.Token(r.History.Config, r.History.Schedule)}
	for _, l := range r.Lines() {
		c.Lines = append(c.Lines, TraceLine{scenarios.PlainLine(prose.Load(told.Lang), l), l.Broken != nil})
	}
	return c
}

// NewMatrix makes an empty matrix in a language.
func NewMatrix(told Told) *Matrix {
	book := prose.Load(told.Lang)
	return &Matrix{Title: book.Text("matrix"), About: book.Text("export_matrix"), Lock: book.Text("lock"), lang: told.Lang, book: book}
}

// Formats lists the formats of a matrix.
func (m *Matrix) Formats() []Format {
	return []Format{
		{".html", plain(m.HTML)},
		{".md", func(Options) ([]byte, error) { return []byte("# " + inMarkdown(m.Title) + "\n\n" + m.Table), nil }},
	}
}

// Class is the CSS class of a verdict.
func (c Cell) Class() string {
	switch c.Verdict {
	case explore.Violated:
		return "no"
	case explore.Holds:
		return "ok"
	}
	return "na"
}

// HTML writes the table and below it every counterexample.
func (m *Matrix) HTML() ([]byte, error) {
	for i, row := range m.Rows {
		for j := range row.Cells {
			row.Cells[j].Ref = "c" + strconv.Itoa(i+1) + "-" + strconv.Itoa(j+1)
		}
	}
	return draw(m.book, sheet{Lang: m.lang, Title: m.Title, Matrix: m})
}
