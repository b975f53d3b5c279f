package render

import (
	"fmt"
	"slices"
	"strings"

	"lockstep/internal/lesson"
)

// A Code is a source file and the line to look at.
type Code struct {
	Text string
	Line int  // from 1; 0 for none
	Lit  bool // the line issued the current command; else an earlier one
	// Who issued it: which client, from 1, and its letter; 0 for nobody.
	Who    int
	Letter string
	// Guess leaves out the lessons, and what the doc comment says of the fault: where
	// it is, is still to be guessed.
	Guess bool
	// Own translates the comment on a fault; nil or "" leaves it in English alone.
	Own func(english string) string
	// Next is the line that somebody does next, of this file or of another one; nil for none.
	Next *Code
}

// Source draws the part of a file around its line, and with it the line that is done next: in one
// piece of the file if both fit, and else in two.
func (t Theme) Source(c Code, w, h int) Lines {
	next := c.Next
	if next == nil {
		return t.piece(c, c.Line, 0, w, h)
	}
	then := c
	if next.Text != c.Text {
		then = Code{Text: next.Text, Guess: c.Guess, Own: c.Own, Next: next}
	}
	if c.Line == 0 || h < 2 {
		return t.piece(then, next.Line, 0, w, h)
	}
	if next.Text == c.Text {
		if whole := t.piece(c, next.Line, c.Line, w, h); whole != nil {
			return whole
		}
	}
	f := function(strings.Split(next.Text, "\n"), next.Line)
	low := max(1, min(h-1, max(h*2/3, f.to-f.from)))
	return append(t.piece(c, c.Line, 0, w, h-low), t.piece(then, next.Line, 0, w, low)...)
}

// piece draws h lines of a file around a line, with all of its function if they are enough; nil if
// another line, unless it is 0, is not among them.
func (t Theme) piece(c Code, focus, also, w, h int) Lines {
	lines := strings.Split(strings.TrimRight(c.Text, "\n"), "\n")
	about := lessonAt(lines, focus)
	if focus == 0 {
		focus = max(1, Entry(c.Text))
	}
	hidden, texts := make([]bool, len(lines)), lesson.FaultTexts(lines)
	if c.Guess {
		about, hidden = span{}, lesson.Spoilers(lines)
	}
	var out Lines
	var starts []int // where each line begins in out
	for i, line := range lines {
		starts = append(starts, len(out))
		if hidden[i] {
			continue
		}
		n := i + 1
		out = append(out, t.sourceLine(c, n, line, h > 1 && (about.has(n) || n == c.Line || c.isNext(n)), w)...)
		out = append(out, ownWords(c, line, texts[i], w)...)
	}
	starts = append(starts, len(out))
	rows := func(s span) span { return span{starts[s.from-1], starts[s.to-1]} }
	see := rows(span{focus, focus + 1})
	at, whole := span{focus, focus + 1}, function(lines, focus)
	from := max(rows(whole).from, see.from-(h-1)*2/3) // what leads to it says more
	for _, s := range []span{at.with(about), at.with(span{also, also + 1}), whole, whole.with(span{also, also + 1}), whole.with(function(lines, also))} {
		if all := rows(s); all.to-all.from <= h {
			from = all.within(from, h)
		}
	}
	from = see.within(from, h)
	from = max(0, min(from, len(out)-h))
	for from < see.from && !slices.Contains(starts, from) { // not in the middle of a wrapped line
		from++
	}
	if also > 0 && (starts[also-1] < from || starts[also] > from+h) {
		return nil
	}
	return out[from:min(len(out), from+max(0, h))]
}

// isNext reports whether a line of the file is done next.
func (c Code) isNext(n int) bool { return c.Next != nil && c.Next.Text == c.Text && n == c.Next.Line }

// function returns the function around a line, or the line itself.
func function(lines []string, at int) span {
	for from := at; from >= 1 && from <= len(lines); from-- {
		if strings.HasPrefix(lines[from-1], "func ") {
			for to := from; to <= len(lines); to++ {
				if lines[to-1] == "}" && to >= at {
					return span{from, to + 1}
				}
			}
		}
	}
	return span{at, at + 1}
}

// A span is the lines from up to, and not including, to.
type span struct{ from, to int }

func (s span) has(n int) bool { return n >= s.from && n < s.to }

// with adds the lines of another span, unless that begins with line 0.
func (s span) with(other span) span {
	if other.from == 0 {
		return s
	}
	return span{min(s.from, other.from), max(s.to, other.to)}
}

// within moves a window of h lines until it shows the span, or its start.
func (s span) within(from, h int) int { return min(max(from, s.to-h), s.from) }

// lessonAt returns the lesson in the comment above a line, or right below it. Lines
// count from 1; the zero span means no lesson.
func lessonAt(lines []string, at int) span {
	comment := func(n int) bool {
		return n >= 1 && n <= len(lines) && strings.HasPrefix(strings.TrimSpace(lines[n-1]), "//")
	}
	above, below := span{at, at}, span{at + 1, at + 1}
	for comment(above.from - 1) {
		above.from--
	}
	for comment(below.to) {
		below.to++
	}
	for _, s := range []span{above, below} {
		for n := s.from; at > 0 && n < s.to; n++ {
			if strings.Contains(lines[n-1], lesson.FaultMark) {
				return span{n, s.to}
			}
		}
	}
	return span{}
}

// LessonLine returns the line of the source, from 1, that a lesson is about: the given
// line if it has a lesson next to it, or else that of the first lesson; 0 for none.
func LessonLine(source string, at int) int {
	lines := strings.Split(source, "\n")
	if lessonAt(lines, at).from > 0 {
		return at
	}
	is := lesson.Faults(lines)
	first := slices.Index(is, true)
	if first < 0 {
		return 0
	}
	for first < len(lines) && is[first] {
		first++
	}
	return first + 1
}

// Entry returns the first line of the function that acquires; 0 for none.
func Entry(text string) int {
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "func (") && (strings.Contains(line, ") Lock(") || strings.Contains(line, ") Update(")) {
			return i + 1
		}
	}
	return 0
}

// sourceLine draws one line of source, on several lines if it is the current one or wraps.
func (t Theme) sourceLine(c Code, n int, text string, wraps bool, w int) Lines {
	text = strings.ReplaceAll(text, "\t", "  ")
	number := fmt.Sprintf("%3d ", n)
	start, span := Line{Normal.Of("  "), Number.Of(number)}, Span{}
	if c.isNext(n) {
		start, span = Line{of(c.Next.Who, t.Next), of(c.Next.Who, Fit(c.Next.Letter, 1)), Number.Of(number)}, of(c.Next.Who, "")
	}
	if n == c.Line {
		who := of(c.Who, Fit(c.Letter, 1))
		if c.isNext(n) { // for somebody else, or again
			who = of(c.Next.Who, t.Next)
		}
		start, span = Line{Normal.Of(t.Was), who, Number.Of(number)}, Strong.Of("")
	}
	switch {
	case n == c.Line && c.Lit:
		start[0].Text, span = t.Here, Span{Role: Lit, Client: c.Who}
	case n == c.Line || c.isNext(n):
	case wraps || strings.Contains(text, lesson.FaultMark):
		span.Role = Lesson
	case strings.HasPrefix(strings.TrimSpace(text), "//"):
		span.Role = Faint
	}
	room := w - Width(number) - 2
	if !wraps {
		span.Text = Trim(text, room)
		return Lines{append(start, span)}
	}
	indent, hang := len(text)-len(strings.TrimLeft(text, " ")), "  "
	if strings.HasPrefix(text[indent:], "// ") {
		hang = "   "
	}
	var out Lines
	for i, part := range WrapText(text, max(1, room-indent-len(hang))) {
		if i > 0 {
			start, part = Normal.Line(Fit("", len(number)+2)), hang+part
		}
		span.Text = strings.Repeat(" ", indent) + part
		out = append(out, append(start[:len(start):len(start)], span))
	}
	return out
}

// ownWords draws the translation of a comment on a fault, if there is one, under its last
// line. It has no number, because the file does not have it.
func ownWords(c Code, line, english string, w int) Lines {
	if english == "" || c.Own == nil || c.Own(english) == "" {
		return nil
	}
	line = strings.ReplaceAll(line, "\t", "  ")
	indent := len(line) - len(strings.TrimLeft(line, " ")) + len("      // ")
	var out Lines
	for _, part := range WrapText(c.Own(english), max(1, w-indent)) {
		out = append(out, Line{Number.Of("      "), Lesson.Of(strings.Repeat(" ", indent-6) + part)})
	}
	return out
}

// Listing is a whole file with line numbers.
func (t Theme) Listing(text string, w int) Lines {
	var out Lines
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		out = append(out, t.sourceLine(Code{}, i+1, line, false, w)...)
	}
	return out
}
