package render

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
func (c Caption) Draw(w, h int) []Line {
	var after []Line
	if c.Question != "" {
		ask := "? " + c.Question
		if c.Answer != "" {
			ask += " -> " + c.Answer
		}
		after = Ask.Wrap(ask, w)
	}
	after = append(after, Strong.Wrap(c.Choices, w)...)
	after = append(after, Faint.Wrap(c.Hint, w)...)
	after = after[:min(len(after), h)]
	return append(Cut(Wrap(c.Text, w), w, h-len(after)), after...)
}
