package tui

import (
	"io"
	"os"

	"github.com/charmbracelet/x/ansi"
)

// clipboardOf returns a function that asks a terminal to copy. One write keeps the
// request between two frames.
func clipboardOf(terminal io.Writer) func(text string) error {
	return func(text string) error {
		_, err := io.WriteString(terminal, copySequence(text, os.Getenv))
		return err
	}
}

// copySequence returns an OSC 52 request, which works over SSH too. tmux handles it if
// set-clipboard is on, and passes it on if allow-passthrough is.
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
