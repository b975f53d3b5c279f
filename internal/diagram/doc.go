// Package diagram makes the space-time diagram of a told run: lanes downwards in time,
// the leases of the lock as bars on their nodes' lanes, what each client believes and
// does as bars on its own, and commands and replies as arrows that take their time.
//
// The shapes know rows and lanes, and neither cells nor pixels: tui/render paints them in
// cells, and internal/export as SVG. Start with Of in diagram.go.
package diagram
