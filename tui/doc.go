// Package tui is the walkthrough: take the course, or choose a lock and a
// story, and step through what happened, forwards and back. It is a thin shell:
// a story is run once and kept, and a frame is a pure function of the history,
// the cursor and the size (package render).
//
// model.go is the state, update.go turns messages into state, actions.go says
// what each key does and enable.go when, view.go and its neighbours lay out the frame, player.go
// is the cursor. board.go is the screen with every lock against every hazard;
// its cells are computed elsewhere and come as messages (cells.go). game.go is the
// tree of what a learner tries who takes a run over (take.go) or plays a level
// (levels.go); proof.go is what the result is held against. course.go is the
// course: its chapters open the screens above in order, quiz.go asks what will
// happen, progress.go keeps how far one has come. compare.go shows one schedule
// with two locks; against.go chooses the second one. search.go finds locks and
// stories. app.go, the only file that knows the terminal, is where to start:
//
//	err := tui.Run(ctx, tui.Options{Lock: "set-lua"}, os.Stdin, os.Stdout)
package tui
