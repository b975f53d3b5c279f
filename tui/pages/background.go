package pages

import (
	"context"
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
