// Package tui is the walkthrough on a terminal: the pages (package pages) as a
// Bubble Tea program. Only it knows the terminal: its size, keys, mouse and clipboard.
//
//	err := tui.Run(ctx, tui.Options{Lock: "set-lua"}, os.Stdin, os.Stdout)
package tui
