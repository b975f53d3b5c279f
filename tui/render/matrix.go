package render

import (
	"strings"

	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// What a cell shows besides the explorer's verdicts.
const (
	NotYet  explore.Verdict = ""
	Working explore.Verdict = "working"
	Allowed explore.Verdict = "ALLOWED" // violated, and the contract of the lock does not exclude it
)

// A Cell is one lock under one hazard in the table.
type Cell struct {
	Verdict explore.Verdict
	Harm    history.Harm // of its gravest violation
}

// A Matrix is the table of locks and hazards, with a cursor.
type Matrix struct {
	Locks, Hazards []string
	Cells          []Cell // lock by lock
	Lock, Hazard   int    // the cursor
}

const (
	cellWidth    = 12
	headingLines = 2
	markWidth    = 2 // for the mark that there are more columns
)

// Window returns which locks and hazards fit a size, around the cursor.
func (m Matrix) Window(w, h int) (locks, hazards Range) {
	columns := (w - m.nameWidth(w) - markWidth) / (cellWidth + 1)
	return around(m.Lock, h-headingLines, len(m.Locks)), around(m.Hazard, columns, len(m.Hazards))
}

// A Range is the part list[From:To] of a list.
type Range struct{ From, To int }

// around returns a range of the given size out of n, with an index in its middle if
// possible.
func around(at, size, n int) Range {
	size = max(1, min(size, n))
	from := MenuFrom(n, at, size)
	return Range{from, min(n, from+size)}
}

// Height returns how many lines the whole table takes.
func (m Matrix) Height() int { return headingLines + len(m.Locks) }

// nameWidth returns the width of the locks' names and a blank.
func (m Matrix) nameWidth(w int) int {
	widest := 0
	for _, id := range m.Locks {
		widest = max(widest, Width(Plain(id)))
	}
	return min(widest+1, w/2)
}

// Draw writes the part of the table around the cursor that fits. A mark beside the
// headings shows that there are more hazards on that side.
func (m Matrix) Draw(t Theme, w, h int) Lines {
	locks, hazards := m.Window(w, h)
	out := m.headings(hazards, t, m.nameWidth(w))
	for i := locks.From; i < locks.To && len(out) < h; i++ {
		role := Normal
		if i == m.Lock {
			role = Strong
		}
		line := role.Line(Fit(m.Locks[i], m.nameWidth(w)-1))
		for j := hazards.From; j < hazards.To; j++ {
			cell := m.cell(i, j, t)
			if i == m.Lock {
				cell = cell.Toward("left", "right", j-m.Hazard)
			}
			line = append(line, cell...)
		}
		out = append(out, line.Toward("up", "down", i-m.Lock))
	}
	return out
}

// Rows returns the whole table without columns: the headings, and then each lock with
// its cells, a span each.
func (m Matrix) Rows(t Theme) Lines {
	head := Line{Head.Of(t.Text("lock"))}
	for _, hazard := range m.Hazards {
		head = append(head, Head.Of(Plain(hazard)))
	}
	out := Lines{head}
	for i, lock := range m.Locks {
		line := Line{Strong.Of(Plain(lock))}
		for j := range m.Hazards {
			sign, word, role := m.Cells[i*len(m.Hazards)+j].look(t)
			line = append(line, role.Of(strings.TrimSpace(sign+" "+word)))
		}
		out = append(out, line)
	}
	return out
}

// headings returns the hazards' names on two lines.
func (m Matrix) headings(hazards Range, t Theme, name int) Lines {
	upper := Normal.Line(strings.Repeat(" ", name-1))
	left := " "
	if hazards.From > 0 {
		left = t.Left
	}
	lower := Line{Head.Of(Fit(t.Text("lock"), name-2)), Strong.Of(left)}
	for j := hazards.From; j < hazards.To; j++ {
		first, last := "", Plain(m.Hazards[j])
		if before, after, ok := strings.Cut(last, "-"); ok && Width(last) > cellWidth {
			first, last = before+"-", after
		}
		role := Head
		if j == m.Hazard {
			role = Column
		}
		upper = append(upper, heading(first, role)...)
		lower = append(lower, heading(last, role)...)
	}
	if hazards.To < len(m.Hazards) {
		lower = append(lower, Normal.Of(" "), Strong.Of(t.Here))
	}
	return Lines{upper, lower}
}

// heading returns a name in a role, padded to the width of a cell.
func heading(name string, role Role) Line {
	name = Trim(name, cellWidth)
	return Line{Normal.Of(" "), role.Of(name), Normal.Of(strings.Repeat(" ", cellWidth-Width(name)))}
}

// cell returns the cursor or a blank, a sign and a word.
func (m Matrix) cell(lock, hazard int, t Theme) Line {
	sign, word, role := m.Cells[lock*len(m.Hazards)+hazard].look(t)
	mark := Normal.Of(" ")
	if lock == m.Lock && hazard == m.Hazard {
		mark, role = Strong.Of(t.Here), Lit
	}
	return Line{mark, role.Of(Fit(sign+" "+word, cellWidth))}
}

// look returns the sign and the word for a cell's verdict, and a role that adds nothing
// to them.
func (c Cell) look(t Theme) (sign, word string, role Role) {
	switch c.Verdict {
	case NotYet:
		return " ", t.Text("cell_not_yet"), Faint
	case Working:
		return "~", t.Text("cell_working"), Faint
	case explore.Violated:
		return t.Bad, t.Text("harm_" + string(c.Harm)), Alarm
	case Allowed:
		return "o", t.Text("cell_allowed"), Faint
	case explore.Holds:
		return t.Right, t.Text("cell_holds"), Good
	case explore.Vacuous:
		return "-", t.Text("cell_vacuous"), Faint
	case explore.Inconclusive:
		return "?", t.Text("cell_inconclusive"), Lesson
	}
	return "?", string(c.Verdict), Strong
}

// Sign returns the mark of a verdict.
func (t Theme) Sign(v explore.Verdict) string {
	sign, _, _ := Cell{Verdict: v}.look(t)
	return sign
}

// A Finding is one violated invariant of a cell.
type Finding struct {
	Code      string // "ME 7", or a harm
	Invariant string
	Cost      string // its steps and faults, in words
}

// Findings lists the violated invariants of a cell, one or two lines each, and marks the
// chosen one. last is its last line.
func (t Theme) Findings(list []Finding, chosen, w int) (lines Lines, last int) {
	code, invariant, cost := 0, 0, 0
	for _, f := range list {
		code, invariant = max(code, Width(f.Code)), max(invariant, Width(f.Invariant))
		cost = max(cost, Width(f.Cost))
	}
	for i, f := range list {
		mark, role := "  ", Normal
		if i == chosen {
			mark, role = t.Here+" ", Strong
		}
		name := mark + Fit(f.Code, code) + "  " + Fit(f.Invariant, invariant)
		if 2+code+2+invariant+2+cost <= w {
			lines = append(lines, role.Line(name+"  "+f.Cost).Toward("V", "v", i-chosen))
		} else {
			lines = append(lines, role.Line(Trim(name, w)).Toward("V", "v", i-chosen), role.Line(Trim("    "+f.Cost, w)).Toward("V", "v", i-chosen))
		}
		if i == chosen {
			last = len(lines) - 1
		}
	}
	return lines, last
}
