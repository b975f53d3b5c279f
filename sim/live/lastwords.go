package live

// lastWords keeps the end of what is written to it.
type lastWords struct{ text []byte }

// kept is how many bytes that is: a few lines of a log.
const kept = 400

func (l *lastWords) Write(p []byte) (int, error) {
	l.text = append(l.text, p...)
	l.text = append([]byte(nil), l.text[max(0, len(l.text)-kept):]...)
	return len(p), nil
}
