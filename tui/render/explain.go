package render

import (
	"lockstep/internal/lesson"
)

// An Explanation is the right answer to a question, with the reasons against the
// others.
type Explanation struct {
	Question string
	Result   string        // what was said, and what is so
	Right    bool          // whether they are the same
	Reasons  []lesson.Part // the right answer first
}

// Draw writes the whole explanation, of any height.
func (e Explanation) Draw(t Theme, w int) []Line {
	role := Strong
	if e.Right {
		role = Good
	}
	out := append(Ask.Wrap("? "+e.Question, w), role.Wrap(e.Result, w)...)
	return append(out, Parts(e.Reasons, t, w)...)
}
