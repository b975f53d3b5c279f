package tui

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

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
	width, height := SizeOf(out)
	return run(ctx, o, line{in: in, out: out, size: pages.Size{Width: width, Height: height}, renderer: lipgloss.NewRenderer(out)})
}

// A Remote is a terminal elsewhere, at the other end of a connection.
type Remote struct {
	io.Reader
	io.Writer
	Env   []string          // its TERM and COLORTERM
	Size  pages.Size        // at first
	Sizes <-chan pages.Size // later ones; closed with the connection
}

// RunRemote is Run for a terminal elsewhere: no signal to this process ends it, and
// nothing that its user does stops this process.
func RunRemote(ctx context.Context, o Options, r Remote) error {
	renderer := lipgloss.NewRenderer(r.Writer, termenv.WithEnvironment(environ(r.Env)), termenv.WithUnsafe())
	return run(ctx, o, line{in: r.Reader, out: r.Writer, size: r.Size, sizes: r.Sizes, renderer: renderer, remote: true})
}

// A line leads to a terminal.
type line struct {
	in       io.Reader
	out      io.Writer
	size     pages.Size
	sizes    <-chan pages.Size // nil if Bubble Tea hears of them
	renderer *lipgloss.Renderer
	remote   bool
}

func run(ctx context.Context, o Options, l line) error {
	if o.NoColor {
		l.renderer.SetColorProfile(termenv.Ascii)
	}
	o.Clipboard = clipboardOf(l.out)
	s, err := pages.New(ctx, o)
	if err != nil {
		return lang.Errorf("walkthrough: %w", err)
	}
	defer s.End()
	s.Resize(l.size.Width, l.size.Height) // before the first key, which may be there already
	// A program that Bubble Tea kills closes its input while it still reads it. So
	// whatever ends this one asks it to quit.
	interrupted := false
	goOn := make(chan os.Signal, 1)
	if !l.remote {
		continued(goOn)
		defer signal.Stop(goOn)
	}
	quits := func(_ tea.Model, msg tea.Msg) tea.Msg {
		switch msg.(type) {
		case tea.InterruptMsg:
			interrupted = true
			return tea.QuitMsg{}
		case tea.SuspendMsg:
			if l.remote {
				return nil
			}
			signal.Stop(goOn) // Bubble Tea waits for it
		case tea.ResumeMsg:
			continued(goOn)
		}
		return msg
	}
	screen := terminal{Shell: s, mouse: !o.NoMouse, on: func(b palette.Background) paint.Painter { return paint.New(l.renderer, b) }}
	screen.painter = screen.on(palette.Background(o.Background))
	var program *tea.Program
	if keys, can := inputOf(l.in, l.out); can && o.AskBackground && l.renderer.ColorProfile() != termenv.Ascii {
		keys.tell = func(b palette.Background) { program.Send(b) }
		screen.ask = func() { _, _ = io.WriteString(l.out, ansi.RequestBackgroundColor) }
		l.in = keys
	}
	how := []tea.ProgramOption{tea.WithFilter(quits), tea.WithInput(l.in), tea.WithOutput(l.out), tea.WithAltScreen(), tea.WithFPS(frames)}
	if !o.NoMouse {
		how = append(how, tea.WithMouseCellMotion())
	}
	if l.remote {
		how = append(how, tea.WithoutSignalHandler())
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
			case size, more := <-l.sizes:
				if !more {
					l.sizes = nil
					continue
				}
				program.Send(tea.WindowSizeMsg{Width: size.Width, Height: size.Height})
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
	_, err = program.Run()
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
	if _, printErr := fmt.Fprintln(l.out, goodbye); err == nil {
		err = printErr
	}
	return err
}

// environ is an environment, as termenv reads one.
type environ []string

func (e environ) Environ() []string { return e }

func (e environ) Getenv(name string) string {
	for _, pair := range e {
		if value, is := strings.CutPrefix(pair, name+"="); is {
			return value
		}
	}
	return ""
}

// SizeOf returns the size of the terminal behind out, 0 x 0 if it is none.
func SizeOf(out io.Writer) (width, height int) {
	if f, ok := out.(interface{ Fd() uintptr }); ok {
		width, height, _ = term.GetSize(int(f.Fd()))
	}
	return width, height
}
