package export

import "context"

// A Format writes a document as one kind of file.
type Format struct {
	Ending string // of the file's name, with its stop
	Write  func(context.Context, Options) ([]byte, error)
}

// Options are what some formats may be asked for.
type Options struct {
	Step int  // of a picture, from 1; 0 for the whole run
	Dark bool // a picture
	// Width and Height are those of a recording's terminal.
	Width, Height int
}

// A Document is what can be written: a lesson, or several.
type Document interface{ Formats() []Format }

// Formats are those of a lesson.
func (l *Lesson) Formats() []Format {
	return []Format{
		{".html", func(context.Context, Options) ([]byte, error) { return l.HTML() }},
		{".svg", func(_ context.Context, o Options) ([]byte, error) { return l.SVG(o.Step, o.Dark) }},
		{".md", func(context.Context, Options) ([]byte, error) { return l.Markdown() }},
		{".cast", func(ctx context.Context, o Options) ([]byte, error) { return l.Cast(ctx, o.Width, o.Height) }},
		{".mmd", func(context.Context, Options) ([]byte, error) { return l.Mermaid() }},
	}
}
