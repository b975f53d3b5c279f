// Package pages is the walkthrough: take the course, or choose a lock and a story, and
// step through the run, forwards and back. It knows neither terminal nor browser;
// face.go is the interface to them. It is a stack of pages, one per file page_*.go:
// page.go defines a page, shell.go runs the stack, and README.md explains how to add
// one. shared.go, menu.go, reader.go and viewer.go have what several pages need: a
// list, a text, a run with a cursor. A story is run once and kept. A frame is a pure
// function of the history, the cursor and the size (package render).
package pages
