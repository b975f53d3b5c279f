package pages

// Goodbye keeps what is not kept yet, and says how to come back to where the pages
// were left.
func (s *Shell) Goodbye() string {
	text := s.book.Fill("goodbye", s.place())
	if err := s.store.Save(); err != nil {
		text += "\n" + s.unsavedText(err)
	}
	return text
}

// Panicked is why the pages have asked to quit, if work beside them panicked, with
// the place where it did; else "".
func (s *Shell) Panicked() string { return s.panicked }

// End stops the work that goes on, and returns when it has stopped.
func (s *Shell) End() { s.background.end() }
