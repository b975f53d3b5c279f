package export

// A Format writes a document as one kind of file.
type Format struct {
	Ending string // of the file's name, with its stop
	Write  func(Options) ([]byte, error)
}

// Options are what some formats may be asked for.
type Options struct {
	Step int  // of a picture, from 1; 0 for the whole run
	Dark bool // a picture
}

// A Document is what can be written: a lesson, or several.
type Document interface{ Formats() []Format }

// Formats are those of a lesson.
func (l *Lesson) Formats() []Format {
	return []Format{
		{".html", func(Options) ([]byte, error) { return l.HTML() }},
		{".svg", func(o Options) ([]byte, error) { return l.SVG(o.Step, o.Dark) }},
		{".md", func(Options) ([]byte, error) { return l.Markdown() }},
		{".mmd", func(Options) ([]byte, error) { return l.Mermaid() }},
	}
}
