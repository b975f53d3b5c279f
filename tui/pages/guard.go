package pages

import (
	"fmt"
	"runtime/debug"
)

// panicked is a panic of work that went on beside the program.
type panicked struct{ reason string }

// guard makes a panic of a command, or of one that it asks for, a message. A
// panic in a goroutine would end the process and leave the terminal as it is.
// Bubble Tea catches one of a command too, but writes what it has to say to the
// screen that it is about to leave.
func guard(cmd Cmd) Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg any) {
		defer func() {
			if reason := recover(); reason != nil {
				msg = panicked{fmt.Sprintf("%v\n\n%s", reason, debug.Stack())}
			}
		}()
		msg = cmd()
		if batch, several := msg.(Batch); several {
			for i := range batch {
				batch[i] = guard(batch[i])
			}
		}
		return msg
	}
}

// panics ends the program. The face goes on with the panic when it
// has cleaned up.
func (s *Shell) panics(msg panicked) Cmd {
	s.panicked = msg.reason
	return quit(s)
}
