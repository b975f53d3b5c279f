package pages

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
)

// background is the work that goes on while the program does other things.
type background struct {
	ctx  context.Context
	stop context.CancelFunc
	work sync.WaitGroup
}

func newBackground(ctx context.Context) *background {
	b := &background{}
	b.ctx, b.stop = context.WithCancel(ctx)
	return b
}

// do begins a piece of work and returns the command that waits for its
// message. The work need not be waited for: end does that.
func (b *background) do(work func(ctx context.Context) any) Cmd {
	done := make(chan any, 1)
	b.work.Go(func() { done <- guard(func() any { return work(b.ctx) })() })
	return func() any {
		select {
		case msg := <-done:
			return msg
		case <-b.ctx.Done():
			return nil
		}
	}
}

// end stops the work and returns when it has stopped.
func (b *background) end() {
	b.stop()
	b.work.Wait()
}

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
