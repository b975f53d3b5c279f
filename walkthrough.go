package main

import (
	"context"
	"errors"
	"io"

	tea "github.com/charmbracelet/bubbletea"

	"lockstep/tui"
)

type walkOptions = tui.Options

// walk opens the walkthrough and returns when the user leaves it.
func walk(ctx context.Context, o walkOptions, in io.Reader, out io.Writer) error {
	err := tui.Run(ctx, o, in, out)
	if ctx.Err() != nil || errors.Is(err, tea.ErrInterrupted) {
		return context.Canceled // Bubble Tea takes a SIGTERM for a wish to quit
	}
	return err
}
