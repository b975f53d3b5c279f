package pages

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
)

// background is the work beside the program.
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

// do starts work and returns the command that waits for its message. The program need
// not wait: end does.
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

// panicked is a panic of work beside the program.
type panicked struct{ reason string }

// guard turns a panic of a command, or of one that it returns, into a message. A panic
// in a goroutine would end the process without restoring the terminal. Bubble Tea
// catches panics of commands too, but prints them on the alternate screen, which it
// then leaves.
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
