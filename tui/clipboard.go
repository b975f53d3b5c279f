package tui

import (
	"io"
	"os"

	"github.com/charmbracelet/x/ansi"
)

// clipboardOf asks a terminal to copy, by one write, so that it comes between
// two frames and not into one.
func clipboardOf(terminal io.Writer) func(text string) error {
	return func(text string) error {
		_, err := io.WriteString(terminal, copySequence(text, os.Getenv))
		return err
	}
}

// copySequence asks by OSC 52, which works over SSH too. tmux hears it itself
// if set-clipboard is on, or passes it on if allow-passthrough is.
func copySequence(text string, getenv func(string) string) string {
	const most = 768 // bytes that GNU screen takes at a time
	ask := ansi.SetSystemClipboard(text)
	switch {
	case getenv("TMUX") != "":
		return ask + ansi.TmuxPassthrough(ask)
	case getenv("STY") != "":
		return ansi.ScreenPassthrough(ask, most)
	}
	return ask
}
