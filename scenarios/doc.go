// Package scenarios holds the stories: text files that drive a world and show
// the output below each command. One file serves as walkthrough, test and
// hand-out.
//
// A story is a list of commands:
//
//	# A caption in English, shown by the walkthrough.
//	#zh The same in Chinese.
//	run A until=before:EXPIRE
//	----
//	A    SETNX lock:stock A-1 -> 1        strategies/setnx_expire.go:21
//
// A question to the learner may precede a command (predict.go):
//
//	predict "Can B ever get the lock?" recovers = no
//	because no "The key has no TTL."
//	because yes "A TTL would end it, but none was set."
//
// The expected output follows the dashes, up to a blank line. commands.go lists
// the commands, moment.go the moments for until=.
//
// A story is data: parse.go reads it, write.go its output back, FromSchedule generates
// it from a schedule, and run.go plays it.
//
// Start with Story in parse.go, command in command.go and Run in run.go.
package scenarios
