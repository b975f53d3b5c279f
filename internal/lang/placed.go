package lang

// A Placed is a mistake at a place in a file.
type Placed struct {
	Path      string
	Line, Col int // from 1; Col counts characters
	Err       error
}

func (e *Placed) Unwrap() error { return e.Err }

func (e *Placed) Error() string { return e.In(nil) }

// In says it in a language.
func (e *Placed) In(l Language) string {
	return New("%s:%d:%d: %v", e.Path, e.Line, e.Col, e.Err).In(l)
}
