package history

// Conflict returns the two lines of a transcript that a violation comes from:
// what had been done, and what was done in spite of it, to the same key or the
// same resource. There is none, and ok is false, where one event is the whole
// of it.
func (h History) Conflict(v Violation) (first, second Line, ok bool) {
	if len(v.Causes) == 0 || v.Causes[0] == v.Seq {
		return Line{}, Line{}, false
	}
	first, known := h.LineOf(v.Causes[0])
	second, ok = h.LineOf(v.Seq)
	return first, second, known && ok && first.Seq != second.Seq
}
