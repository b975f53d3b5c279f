// Package scenarios holds the stories: text files that drive a world and show,
// beside each command, what came of it. One file serves as walkthrough, test
// and hand-out.
//
// A story is a list of commands:
//
//	# A caption in English, shown by the walkthrough.
//	#zh The same in Chinese.
//	run A until=before:EXPIRE
//	----
//	A    SETNX lock:stock A-1 -> 1        strategies/setnx_expire.go:21
//
// Before a command may stand a question to the learner (predict.go):
//
//	predict "Can B ever get the lock?" recovers = no
//	because no "The key has no TTL."
//	because yes "A TTL would end it, but none was set."
//
// Below the dashes, up to a blank line, stands the expected output.
// commands.go lists the commands, moment.go the moments that until= may name.
//
// A story is data: parse.go reads it, write.go writes it, FromSchedule makes it of
// a schedule, and run.go plays it.
//
// Start with Story in parse.go, command in command.go and Run in run.go.
package scenarios
