// Package strategies holds the locks, one file each, as the tutorials print
// them and as they ought to be. Each is ordinary go-redis code: it could be
// copied into a program as it stands, and it knows nothing of the simulator.
//
// A lock whose published form is wrong keeps its fault. The wrong line is
// marked "BUG(lesson)", and the doc comment says what the lock claims, how it
// breaks, which story shows it and which lock fixes it.
//
// Start with setnx.go, the oldest; set_lua.go is the usual right answer.
// catalogue.go lists them all in teaching order.
package strategies
