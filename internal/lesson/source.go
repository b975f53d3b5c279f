package lesson

import "strings"

// FaultMark marks a deliberate fault in a strategy's source.
const FaultMark = "BUG(lesson)"

// Faults reports which lines of a source file comment on a deliberate fault.
func Faults(lines []string) []bool {
	is, within := make([]bool, len(lines)), false
	for i, line := range lines {
		within = strings.HasPrefix(strings.TrimSpace(line), "//") && (within || strings.Contains(line, FaultMark))
		is[i] = within
	}
	return is
}

// FaultTexts returns what each comment on a deliberate fault says, without its mark, by
// the index of the comment's last line.
func FaultTexts(lines []string) map[int]string {
	texts, is := map[int]string{}, Faults(lines)
	for i, line := range lines {
		if !is[i] {
			continue
		}
		said := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "//"))
		if text, first := strings.CutPrefix(said, FaultMark+": "); first {
			texts[i] = text
			continue
		}
		texts[i] = texts[i-1] + " " + said
		delete(texts, i-1)
	}
	return texts
}

// Spoilers reports which lines reveal the fault: the comments on it, and Breaks, See and
// Fix in the doc comment.
func Spoilers(lines []string) []bool {
	is, within := Faults(lines), false
	for i, line := range lines {
		said, comment := strings.CutPrefix(line, "//")
		switch {
		case !comment:
			within = false
		case strings.HasPrefix(said, " Breaks:"), strings.HasPrefix(said, " See:"), strings.HasPrefix(said, " Fix:"):
			within = true
		case !strings.HasPrefix(said, "  "): // a continuation is indented
			within = false
		}
		is[i] = is[i] || within
	}
	return is
}
