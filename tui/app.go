package tui

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
	"golang.org/x/term"

	"lockstep/internal/lang"
	"lockstep/internal/palette"
	"lockstep/tui/pages"
	"lockstep/tui/paint"
)

// Options say where the walkthrough begins and how it looks.
type Options = pages.Options

// frames bounds how often per second the terminal is redrawn, and so how long a change
// waits, the first frame included.
const frames = 120

// Run shows the walkthrough until its user leaves it, and then says on out how
// to come back. The error is context.Canceled if the user interrupted it.
func Run(ctx context.Context, o Options, in io.Reader, out io.Writer) error {
	renderer := lipgloss.NewRenderer(out)
	if o.NoColor {
		renderer.SetColorProfile(termenv.Ascii)
	}
	o.Clipboard = clipboardOf(out)
	s := pages.New(ctx, o)
	defer s.End()
	s.Resize(SizeOf(out)) // before the first key, which may be there already
	// A program that Bubble Tea kills closes its input while it still reads it. So
	// whatever ends this one asks it to quit.
	interrupted := false
	goOn := make(chan os.Signal, 1)
	continued(goOn)
	defer signal.Stop(goOn)
	quits := func(_ tea.Model, msg tea.Msg) tea.Msg {
		switch msg.(type) {
		case tea.InterruptMsg:
			interrupted = true
			return tea.QuitMsg{}
		case tea.SuspendMsg:
			signal.Stop(goOn) // Bubble Tea waits for it
		case tea.ResumeMsg:
			continued(goOn)
		}
		return msg
	}
	screen := terminal{Shell: s, mouse: !o.NoMouse, on: func(b palette.Background) paint.Painter { return paint.New(renderer, b) }}
	screen.painter = screen.on(palette.Background(o.Background))
	var program *tea.Program
	if keys, can := inputOf(in, out); can && o.AskBackground && renderer.ColorProfile() != termenv.Ascii {
		keys.tell = func(b palette.Background) { program.Send(b) }
		screen.ask = func() { _, _ = io.WriteString(out, ansi.RequestBackgroundColor) }
		in = keys
	}
	how := []tea.ProgramOption{tea.WithFilter(quits), tea.WithInput(in), tea.WithOutput(out), tea.WithAltScreen(), tea.WithFPS(frames)}
	if !o.NoMouse {
		how = append(how, tea.WithMouseCellMotion())
	}
	program = tea.NewProgram(screen, how...)
	if o.OnStuck != nil {
		stop := o.OnStuck(func(st pages.Stuck, over bool) { program.Send(pages.StuckNews{Stuck: st, Over: over}) })
		defer stop()
	}
	over := make(chan struct{})
	go func() {
		for {
			select {
			case <-goOn: // stopped from outside, it has not left the terminal to the shell, nor has it back
				_ = cmp.Or(program.ReleaseTerminal(), program.RestoreTerminal()) // there is nothing else to try
				program.Send(tea.ResumeMsg{})
			case <-ctx.Done():
				program.Quit()
				return
			case <-o.Stale:
				program.Quit()
				return
			case <-over:
				return
			}
		}
	}()
	_, err := program.Run()
	close(over)
	goodbye := s.Goodbye()
	if reason := s.Panicked(); reason != "" {
		panic(reason)
	}
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return lang.Errorf("walkthrough: %w", err)
	}
	if interrupted {
		err = context.Canceled
	}
	select {
	case <-o.Stale:
		return err // nobody leaves
	default:
	}
	if _, printErr := fmt.Fprintln(out, goodbye); err == nil {
		err = printErr
	}
	return err
}

// SizeOf returns the size of the terminal behind out, 0 x 0 if it is none.
func SizeOf(out io.Writer) (width, height int) {
	if f, ok := out.(interface{ Fd() uintptr }); ok {
		width, height, _ = term.GetSize(int(f.Fd()))
	}
	return width, height
}
