// Package history holds what one run of a world left behind: its
// configuration, the schedule that drove it, the ordered events, and the
// verdict of the invariants over them. It knows neither Redis nor the
// simulator and imports the standard library only, so that renderers and
// exporters can use it alone.
//
// Start with Event. Observe in monitor.go is where a violation is found.
package history
