// Package render draws the panes of the walkthrough: one pure function each, from data
// and a size to lines of spans. It knows neither Redis nor the simulator nor the
// terminal. Its callers pass every text that a learner reads, except short labels,
// which the Theme has from its book.
//
// A pane gets a Theme, a width and, if it has to leave something out, a height. Its
// lines are never wider than the width. A glyph or a word repeats whatever a colour
// says, and no glyph has an ambiguous width.
//
// Package lesson prepares a history for these functions.
package render
