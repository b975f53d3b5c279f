// Package pages is the walkthrough: take the course, or choose a lock and a
// story, and step through what happened, forwards and back. It knows neither
// terminal nor browser; face.go says what one that shows it has to do.
//
// It is a stack of pages, one per file page_*.go; page.go says what a page is,
// shell.go is what is around them, and README.md tells how to add one. What
// pages have in common stands in shared.go, and in menu.go, reader.go and
// viewer.go: a list, a text, a run at a cursor. A story is run once and kept, and
// a frame is a pure function of the history, the cursor and the size (package
// render).
package pages
