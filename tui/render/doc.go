// Package render turns a history into text: one pure function for each pane
// of the walkthrough, from data and a size to lines. It knows neither Redis
// nor the simulator nor the terminal program; every word that a learner reads,
// beyond short labels, is handed to it.
//
// A pane gets a Theme, a width and, where it has to choose what to leave out,
// a height. Its lines are never wider than the width. What colour says, a
// glyph or a word says too, and no glyph is of ambiguous width.
//
// Start with Run in run.go, which prepares a history for being shown, and At
// in snapshot.go.
package render
