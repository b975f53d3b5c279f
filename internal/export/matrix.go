package export

import (
	"context"
	"strconv"

	"lockstep/scenarios"
	"lockstep/sim/explore"
)

// A Matrix is the verdicts on locks under hazards, with every counterexample.
type Matrix struct {
	Title, About, Lock string // Lock is the heading of the first column
	Hazards            []Hazard
	Rows               []Row
	Notes              []string // to which cells refer by number
	Table              string   // the table in Markdown

	lang string
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
func NewCounterexample(told Told, code, says string, r *scenarios.Result) (Counterexample, error) {
	book, err := bookOf(told.Lang)
	if err != nil {
		return Counterexample{}, err
	}
	c := Counterexample{Code: code, Says: says, Token: token(r.History)}
	for _, l := range r.Lines() {
		c.Lines = append(c.Lines, TraceLine{scenarios.PlainLine(book, l), l.Broken != nil})
	}
	return c, nil
}

// NewMatrix makes an empty matrix in a language.
func NewMatrix(told Told) (*Matrix, error) {
	book, err := bookOf(told.Lang)
	if err != nil {
		return nil, err
	}
	return &Matrix{Title: book.Text("matrix"), About: book.Text("export_matrix"), Lock: book.Text("lock"), lang: told.Lang}, nil
}

// Formats lists the formats of a matrix.
func (m *Matrix) Formats() []Format {
	return []Format{
		{".html", func(context.Context, Options) ([]byte, error) { return m.HTML() }},
		{".md", func(context.Context, Options) ([]byte, error) {
			return []byte("# " + inMarkdown(m.Title) + "\n\n" + m.Table), nil
		}},
	}
}

type matrixView struct {
	*Matrix
	Rows []rowOfCells
	Made string
}

type rowOfCells struct {
	Lock  string
	Cells []cellOfMatrix
}

type cellOfMatrix struct {
	Cell
	Class, Ref string
}

// classOf is the CSS class of a verdict.
func classOf(v explore.Verdict) string {
	switch v {
	case explore.Violated:
		return "no"
	case explore.Holds:
		return "ok"
	}
	return "na"
}

// HTML writes the table and below it every counterexample.
func (m *Matrix) HTML() ([]byte, error) {
	book, err := bookOf(m.lang)
	if err != nil {
		return nil, err
	}
	v := &matrixView{Matrix: m, Made: book.Text("export_made")}
	for i, row := range m.Rows {
		cells := rowOfCells{Lock: row.Lock}
		for j, c := range row.Cells {
			cells.Cells = append(cells.Cells, cellOfMatrix{c, classOf(c.Verdict), "c" + strconv.Itoa(i+1) + "-" + strconv.Itoa(j+1)})
		}
		v.Rows = append(v.Rows, cells)
	}
	return draw(sheet{Lang: m.lang, Title: m.Title, Body: v, name: "matrix"})
}
