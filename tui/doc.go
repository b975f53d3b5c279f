// Package tui is the walkthrough on a terminal: the pages (package pages) as a
// Bubble Tea program. It is all that knows the terminal: its size, its keys and
// mouse, its clipboard.
//
//	err := tui.Run(ctx, tui.Options{Lock: "set-lua"}, os.Stdin, os.Stdout)
package tui
