package bubble

import (
	"context"
	"fmt"
	"runtime"

	"lockstep/sim/bubble/guest"
	"lockstep/sim/program"
)

// A Section is a critical section for a program that enters and leaves it by two calls,
// of a function that runs what is within as its callback. Its goroutine counts as that of
// the program, which waits for it.
type Section struct {
	Context context.Context // what the function gives to its callback

	entered chan context.Context
	leaves  chan struct{}
	ended   chan struct{}
	result  func() error // ends its caller as the function has ended
}

// Enter calls such a function, and returns when that calls back. An error is that of a
// function that has returned without, or nil.
func Enter(ctx context.Context, do func(context.Context, func(context.Context) error) error) (*Section, error) {
	s := &Section{entered: make(chan context.Context, 1), leaves: make(chan struct{}), ended: make(chan struct{})}
	s.result = func() error { runtime.Goexit(); return nil }
	go s.run(ctx, do)
	select {
	case s.Context = <-s.entered:
		return s, nil
	case <-s.ended:
		return nil, s.result()
	}
}

func (s *Section) run(ctx context.Context, do func(context.Context, func(context.Context) error) error) {
	defer close(s.ended)
	defer func() {
		if reason := recover(); reason != nil {
			text := fmt.Sprintf("%v (%s)", reason, program.CallerSource())
			s.result = func() error { panic(text) }
		}
	}()
	err := do(ctx, func(ctx context.Context) error {
		select {
		case s.entered <- ctx:
		default: // it was called before
		}
		select {
		case <-s.leaves:
		case <-guest.Ended():
		}
		return nil
	})
	s.result = func() error { return err }
}

// Leave lets the callback return, and returns the error of the function.
func (s *Section) Leave() error {
	close(s.leaves)
	<-s.ended
	return s.result()
}
