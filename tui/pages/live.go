package pages

import (
	"context"
	"sync"
)

// Live is the event loop of a face that has none: it passes events to the pages, runs
// their commands, and draws after each. It returns Quit or Interrupt if the user left
// that way, nil if ctx ended first. All work has ended by then. What happens first, if
// it is not nil, does so before anything is drawn.
func (s *Shell) Live(ctx context.Context, first any, happens <-chan any, draw func()) any {
	ctx, stop := context.WithCancel(ctx)
	comes := make(chan any)
	var work sync.WaitGroup
	defer func() {
		s.background.stop()
		stop()
		work.Wait()
	}()
	run := func(c Cmd) {
		if c == nil {
			return
		}
		work.Go(func() {
			select {
			case comes <- c():
			case <-ctx.Done():
			}
		})
	}
	run(s.Init())
	run(s.Update(first))
	draw()
	for {
		var msg any
		select {
		case msg = <-happens:
		case msg = <-comes:
		case <-ctx.Done():
			return nil
		}
		switch msg := msg.(type) {
		case nil, Suspend: // the second is for who can be resumed
		case Batch:
			for _, c := range msg {
				run(c)
			}
		case Quit, Interrupt:
			return msg
		default:
			run(s.Update(msg))
			draw()
		}
	}
}
