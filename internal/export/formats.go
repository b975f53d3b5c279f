package export

import "context"

// A Format writes a document as one kind of file.
type Format struct {
	Ending string // the extension, with its dot
	Write  func(context.Context, Options) ([]byte, error)
}

// Options are the options of some formats.
type Options struct {
	Step int  // the step to draw, from 1; 0 for the whole run
	Dark bool // a picture
	// Width and Height are the size of a recording's terminal.
	Width, Height int
}

// A Document is a lesson, a course or a matrix.
type Document interface{ Formats() []Format }

// Formats lists the formats of a lesson.
func (l *Lesson) Formats() []Format {
	return []Format{
		{".html", func(context.Context, Options) ([]byte, error) { return l.HTML() }},
		{".svg", func(_ context.Context, o Options) ([]byte, error) { return l.SVG(o.Step, o.Dark) }},
		{".md", func(context.Context, Options) ([]byte, error) { return l.Markdown() }},
		{".cast", func(ctx context.Context, o Options) ([]byte, error) { return l.Cast(ctx, o.Width, o.Height) }},
		{".mmd", func(context.Context, Options) ([]byte, error) { return l.Mermaid() }},
	}
}
