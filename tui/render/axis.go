package render

import (
	"strconv"
	"strings"

	"lockstep/internal/lesson"
)

const (
	wordWidth  = 19 // cells of the words before a band, with the blank after them
	leastCells = 11 // of a band, before the words give way
)

// A Cursor is the current row. Nothing is drawn of what comes after it, also where the
// learner has been further: that would answer the questions in between.
type Cursor struct {
	At     int
	Causes []Cause // what the violation depends on whose card is open
	Back   string  // the key that goes a row back; "" for none
	Told   bool    // a card is open, and names what is violated
	Moved  int     // how far what moves at the row has come, of Strides; 0 if nothing is under way
}

// Strides is in how many steps a message, or time that passes, moves over the screen.
const Strides = 4

// marks are the keys that lead to the causes, by row.
func (c Cursor) marks() map[int]string {
	marks := map[int]string{}
	for _, cause := range c.Causes {
		marks[cause.Step-1] = cause.Key
	}
	return marks
}

// An axis is the time of bands and strip: one cell for each row, in a window that
// follows the cursor.
type axis struct {
	Cursor
	Theme
	run        *lesson.Run
	keys       map[int]string // of the causes, by row
	name, word int            // cells before the window
	from       int            // the window shows the rows from here on
	cells      int
}

func (t Theme) newAxis(r *lesson.Run, c Cursor, names []string, w int) axis {
	a := axis{Cursor: c, run: r, Theme: t, keys: c.marks(), name: Width(t.Text("axis")) + 1}
	for _, n := range names {
		a.name = max(a.name, Width(n)+1)
	}
	rest := max(0, w-2-a.name-a.gaps())
	a.word = max(0, min(wordWidth, rest-leastCells))
	a.cells = rest - a.word
	a.cells = min(a.cells, max(len(r.Rows), leastCells))
	a.from = max(0, c.At+1-a.cells)
	return a
}

// parted reports whether a row follows another cause's: a blank keeps their keys from
// reading as one number.
func (a axis) parted(row int) bool {
	return len(a.keys) > 1 && a.keys[row] != "" && a.keys[row-1] != ""
}

// gaps counts the blanks between causes.
func (a axis) gaps() (n int) {
	for row := range a.keys {
		if a.parted(row) {
			n++
		}
	}
	return n
}

// line draws a band: its mark, its name, a word for the row at the cursor, and one cell
// for each row shown. who is its client, from 1; 0 for none.
func (a axis) line(name string, who int, word string, bad bool, at func(row int) Span) Line {
	mark, role := " ", Normal
	if bad {
		mark, role = a.Bad, Alarm
	}
	named := role.Of(Fit(name, a.name))
	if who > 0 {
		named = of(who, named.Text)
	}
	line := Line{role.Of(mark + " "), named}
	if a.word > 0 { // beside the name that it explains
		line = append(line, role.Of(Fit(word, a.word-1)+" "))
	}
	cells := Line{}
	for i := range a.cells {
		step := Normal.Of(" ")
		if row := a.from + i; row <= a.At && row < len(a.run.Rows) {
			step = at(row)
		}
		if a.parted(a.from + i) {
			cells = cells.Add(Normal.Of(" "))
		}
		if a.from+i == a.At {
			step = Lit.Of(step.Text)
		}
		cells = cells.Add(step)
	}
	return append(line, cells...)
}

// ruler numbers the steps and marks the current one.
func (a axis) ruler() Line {
	cells := []rune(strings.Repeat(" ", a.cells))
	put := func(at int, text string) {
		for i := max(0, at-1); i < min(len(cells), at+len(text)+1); i++ {
			if cells[i] != ' ' {
				return
			}
		}
		if at >= 0 && at+len([]rune(text)) <= len(cells) {
			copy(cells[at:], []rune(text))
		}
	}
	at, here := a.At-a.from, strconv.Itoa(a.At+1)
	if len(a.Causes) > 0 {
		here = "" // beside or under the key of a cause it would read as another number
	}
	if at >= len(here) {
		put(at-len(here), here+a.Down)
	} else {
		put(at, a.Down+here)
	}
	every := 5
	switch {
	case len(a.Causes) > 0:
		every = len(a.run.Rows) + 1 // no numbers but those of the causes
	case a.At >= 90:
		every = 10
	}
	for n := (a.from/every + 1) * every; n <= a.from+a.cells && n <= a.At+1; n += every {
		tick := strconv.Itoa(n)
		put(n-a.from-len(tick), tick)
	}
	return append(Head.Line("  "+Fit(a.Text("axis"), a.name+a.word)), a.marked(cells)...)
}

// marked returns the ruler's cells; the keys of causes replace other numbers.
func (a axis) marked(cells []rune) (out Line) {
	from := 0
	for i := range cells {
		if key := a.keys[a.from+i]; key != "" {
			out = append(out, Head.Of(string(cells[from:i])))
			if a.parted(a.from + i) {
				out = append(out, Head.Of(" "))
			}
			out = append(out, Mark.Of(key))
			from = i + 1
		}
	}
	return append(out, Head.Of(string(cells[from:])))
}
