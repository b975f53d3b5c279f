package render

import (
	"regexp"
	"strings"
)

// A Caption is the text about the current row.
type Caption struct {
	Text     string
	Question string // asked before the next command
	Choices  string // the answers to choose from, or the one that was given
	Answer   string // once the command has run
	Hint     string // such as: the lock is meant to fail here
}

// Draw writes the caption on at most h lines. It shortens the text before it drops the
// question or the hint.
func (c Caption) Draw(w, h int) Lines {
	var after Lines
	if c.Question != "" {
		ask := "? " + c.Question
		if c.Answer != "" {
			ask += " -> " + c.Answer
		}
		after = Ask.Wrap(ask, w)
	}
	for _, line := range WrapText(c.Choices, w) {
		after = append(after, answers(line))
	}
	after = append(after, Faint.Wrap(c.Hint, w)...)
	after = after[:min(len(after), h)]
	return append(Wrap(c.Text, w).Cut(w, h-len(after)), after...)
}

// answer is a choice with its key, up to the next one.
var answer = regexp.MustCompile(`\[(\S)\] [^\[]*`)

// answers draws a line of choices; a click on one presses its key.
func answers(line string) (out Line) {
	last := 0
	for _, m := range answer.FindAllStringSubmatchIndex(line, -1) {
		said := strings.TrimRight(line[m[0]:m[1]], " ")
		out = append(out, Strong.Of(line[last:m[0]]), Span{Text: said, Role: Strong, Press: line[m[2]:m[3]], Times: 1})
		last = m[0] + len(said)
	}
	return append(out, Strong.Of(line[last:]))
}
