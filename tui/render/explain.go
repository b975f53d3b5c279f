package render

import (
	"lockstep/internal/lesson"
)

// An Explanation is the right answer to a question, with the reasons against the
// others.
type Explanation struct {
	Question string        // "" if it stands elsewhere on the screen
	Result   string        // what was said, and what is so
	Right    bool          // whether they are the same
	Open     bool          // nothing was said
	Reasons  []lesson.Part // that against what was said first
}

// Draw writes the whole explanation, of any height.
func (e Explanation) Draw(t Theme, w int) Lines {
	role, mark := Strong, t.Wrong+" "
	switch {
	case e.Right:
		role, mark = Good, t.Right+" "
	case e.Open:
		mark = ""
	}
	var out Lines
	if e.Question != "" {
		out = Ask.Wrap("? "+e.Question, w)
	}
	out = append(out, role.Wrap(mark+e.Result, w)...)
	return append(out, t.Passages(e.Reasons, w)...)
}
