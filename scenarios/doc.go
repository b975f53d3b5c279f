// Package scenarios holds the stories: text files that drive a world and show
// the output of each command. One file serves as walkthrough, test and hand-out.
//
// README.md describes the language. parse.go reads a story, write.go writes it,
// FromSchedule makes one of a schedule, and run.go plays it. commands.go lists
// the commands, moment.go the moments for until=, facts.go what a question can
// ask for.
//
// Start with Story in parse.go, command in command.go and Run in run.go.
package scenarios
