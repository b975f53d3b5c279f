package course

// Length returns the minutes that the course takes. It guesses those of chapters for which
// the course gives none.
func (c *Course) Length() (minutes int, guessed bool) {
	if c.Minutes > 0 {
		return c.Minutes, false
	}
	for i := range c.Chapters {
		n, about := c.Chapters[i].takes()
		minutes, guessed = minutes+n, guessed || about
	}
	return minutes, guessed
}

// takes returns the length of a chapter. It guesses if the course does not give
// the minutes.
func (c *Chapter) takes() (minutes int, guessed bool) {
	if c.Minutes > 0 {
		return c.Minutes, false
	}
	minutes = 2 // what it is about, and why it breaks
	for _, story := range c.Plays() {
		minutes += 2
		for _, step := range story.Steps {
			minutes += len(step.Predict)
		}
	}
	if c.Fix != "" {
		minutes += 2
	}
	return minutes + 2*len(c.Levels()), true
}
