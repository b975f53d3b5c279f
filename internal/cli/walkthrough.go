package cli

import (
	"context"
	"errors"
	"io"

	tea "github.com/charmbracelet/bubbletea"

	"lockstep/sim/program"
	"lockstep/tui"
	"lockstep/tui/pages"
)

type walkOptions = tui.Options

// walk opens the walkthrough and returns when the user leaves it.
//
// Only signals cancel ctx, and Bubble Tea catches them too. Its signal handler
// waits for ever if a cancelled context has stopped the program first, so the
// program does not get to see that ctx is cancelled.
func walk(ctx context.Context, o walkOptions, in io.Reader, out io.Writer) error {
	until, again := untilHangup(context.WithoutCancel(ctx))
	err := tui.Run(until, o, in, out)
	again()
	if ctx.Err() != nil || errors.Is(err, tea.ErrInterrupted) {
		return context.Canceled // for Bubble Tea, a SIGTERM is a wish to quit
	}
	return err
}

// onStuck tells the walkthrough of code that does not come to the seam.
func onStuck(tell func(s pages.Stuck, over bool)) (stop func()) {
	return program.OnStuck(func(s program.Stuck, over bool) {
		client := s.Client
		if s.Task != "" {
			client += " " + s.Task
		}
		tell(pages.Stuck{Lock: s.Lock, Client: client, Op: s.Op, Action: s.Action, Place: s.Place}, over)
	})
}
