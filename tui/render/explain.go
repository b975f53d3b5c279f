package render

import (
	"lockstep/internal/lesson"
)

// An Explanation says what the right answer to a question is, and why no other
// one is.
type Explanation struct {
	Question string
	Result   string        // what was said, and what is so
	Right    bool          // whether they are the same
	Reasons  []lesson.Part // the right answer first
}

// Draw writes the whole explanation, however tall.
func (e Explanation) Draw(t Theme, w int) []string {
	var out []string
	for _, line := range Wrap("? "+e.Question, w) {
		out = append(out, t.Ask.Render(line))
	}
	style := t.Strong
	if e.Right {
		style = t.Good
	}
	for _, line := range Wrap(e.Result, w) {
		out = append(out, style.Render(line))
	}
	return append(out, Parts(e.Reasons, t, w)...)
}
