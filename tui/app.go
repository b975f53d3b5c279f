package tui

import (
	"context"
	"errors"
	"fmt"
	"io"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
	"golang.org/x/term"

	"lockstep/message"
	"lockstep/scenarios"
	"lockstep/tui/render"
)

// Options say where the walkthrough begins and how it looks.
type Options struct {
	Story    *scenarios.Story // open this story; else the list of locks
	Lock     string           // open the stories of this lock
	Nameless bool             // no command opens Story again by its name
	At       int              // the step of Story to begin with, from 1
	Cell     *Cell            // open what was found in this cell of Matrix
	Lang     string           // of the prose; "" is English
	ASCII    bool             // only ASCII characters
	NoColor  bool
	// Background is what the terminal paints behind text, "dark" or "light"; "" is
	// that nobody knows.
	Background string
	// NoAnimation: playing goes where it would have come to at once, and nothing
	// on the screen moves by itself.
	NoAnimation bool
	Tour        bool    // show what is on the screen to one who is here for the first time
	NoMouse     bool    // the mouse stays the terminal's, which selects text with it
	State       string  // the folder in which progress is kept; "" for none
	Matrix      *Matrix // the cells of the matrix screen; nil for no such screen
	// With is the package that has locks which are not of the catalogue, as a command
	// line names it; "" for none.
	With string
	// Source is the text of a file of code that is not of the catalogue, by the name
	// that events have; nil where there is none.
	Source   func(file string) (string, error)
	Explorer *Explorer       // what a learner is held against in a level; nil for nothing
	Stale    <-chan struct{} // closed when what is shown is out of date: the walkthrough ends; nil for never
	// OnStuck lets tell know of code that is stuck, and when that is over, until
	// stop is called; nil for nobody who knows.
	OnStuck func(tell func(s Stuck, over bool)) (stop func())
}

// frames is how often a second the terminal is redrawn at most, and so how
// long a change waits, the first frame included. Without one nothing is drawn.
const frames = 120

// Run shows the walkthrough until its user leaves it, and then says on out how
// to come back. The error wraps tea.ErrInterrupted if it was interrupted.
func Run(ctx context.Context, o Options, in io.Reader, out io.Writer) error {
	r := lipgloss.NewRenderer(out)
	if o.NoColor {
		r.SetColorProfile(termenv.Ascii)
	}
	s, err := newShell(ctx, o, render.NewTheme(r, o.ASCII).On(render.Background(o.Background)))
	if err != nil {
		return message.Errorf("walkthrough: %w", err)
	}
	defer s.background.end()
	s.clipboard = clipboardOf(out)
	s.resize(sizeOf(out)) // before the first key, which may be there already
	how := []tea.ProgramOption{tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithAltScreen(), tea.WithFPS(frames)}
	if !o.NoMouse {
		how = append(how, tea.WithMouseCellMotion())
	}
	program := tea.NewProgram(s, how...)
	if o.OnStuck != nil {
		stop := o.OnStuck(func(st Stuck, over bool) { program.Send(stuckNews{st, over}) })
		defer stop()
	}
	over := make(chan struct{})
	go func() {
		select {
		case <-o.Stale:
			program.Quit()
		case <-over:
		}
	}()
	_, err = program.Run()
	close(over)
	unsaved := s.store.save()
	if s.panicked != "" {
		panic(s.panicked)
	}
	if err != nil && !errors.Is(err, tea.ErrInterrupted) {
		return message.Errorf("walkthrough: %w", err)
	}
	select {
	case <-o.Stale:
		return err // nobody leaves
	default:
	}
	goodbye := s.book.Fill("goodbye", s.place())
	if unsaved != nil {
		goodbye += "\n" + s.unsavedText(unsaved)
	}
	if _, printErr := fmt.Fprintln(out, goodbye); err == nil {
		err = printErr
	}
	return err
}

// sizeOf is the size of the terminal that is written to, 0 x 0 if none is.
func sizeOf(out io.Writer) (width, height int) {
	if f, ok := out.(interface{ Fd() uintptr }); ok {
		width, height, _ = term.GetSize(int(f.Fd()))
	}
	return width, height
}
