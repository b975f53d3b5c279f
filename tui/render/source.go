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
}

// Source draws the part of a file around its line. It wraps that line and a lesson in
// the comment next to it, and cuts all others.
func (t Theme) Source(c Code, w, h int) Lines {
	lines := strings.Split(strings.TrimRight(c.Text, "\n"), "\n")
	focus := c.Line
	if focus == 0 {
		focus = entry(lines)
	}
	about := lessonAt(lines, c.Line)
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
		out = append(out, t.sourceLine(c, i+1, line, about.has(i+1), w)...)
		out = append(out, ownWords(c, line, texts[i], w)...)
	}
	starts = append(starts, len(out))
	rows := func(s span) span { return span{starts[s.from-1], starts[s.to-1]} }
	see := rows(span{focus, focus + 1})
	from := see.from - (h-1)/2
	if about.from > 0 {
		with := rows(span{min(focus, about.from), max(focus+1, about.to)})
		from = with.within(from, h)
	}
	from = see.within(from, h)
	from = max(0, min(from, len(out)-h))
	for from < see.from && !slices.Contains(starts, from) { // not in the middle of a wrapped line
		from++
	}
	return out[from:min(len(out), from+max(0, h))]
}

// A span is the lines from up to, and not including, to.
type span struct{ from, to int }

func (s span) has(n int) bool { return n >= s.from && n < s.to }

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

// entry returns the first line of the function that acquires.
func entry(lines []string) int {
	for i, line := range lines {
		if strings.HasPrefix(line, "func (") && (strings.Contains(line, ") Lock(") || strings.Contains(line, ") Update(")) {
			return i + 1
		}
	}
	return 1
}

// sourceLine draws one line of source, on several lines if it is the current one or wraps.
func (t Theme) sourceLine(c Code, n int, text string, wraps bool, w int) Lines {
	text = strings.ReplaceAll(text, "\t", "  ")
	number := fmt.Sprintf("%3d ", n)
	start, span := Line{Normal.Of("  "), Number.Of(number)}, Span{}
	if n == c.Line {
		start, span, wraps = Line{Normal.Of(t.Was), of(c.Who, Fit(c.Letter, 1)), Number.Of(number)}, Strong.Of(""), true
	}
	switch {
	case n == c.Line && c.Lit:
		start[0].Text, span = t.Here, Span{Role: Lit, Client: c.Who}
	case n == c.Line:
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
