//go:build unix

package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// untilHangup ends a context at the signals that Bubble Tea leaves to Go, which
// would end the process with the terminal as the walkthrough has it. again
// ends the process as the signal does, if one came. One that was ignored from
// the start, as under nohup, stays so.
func untilHangup(ctx context.Context) (out context.Context, again func()) {
	out, cancel := context.WithCancel(ctx)
	arrived := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT} {
		if !signal.Ignored(s) {
			signal.Notify(arrived, s)
		}
	}
	came := make(chan os.Signal, 1)
	go func() {
		select {
		case s := <-arrived:
			signal.Stop(arrived) // a second one ends the process at once
			came <- s
			cancel()
		case <-out.Done():
			signal.Stop(arrived)
			close(came)
		}
	}()
	return out, func() {
		cancel()
		if s, ok := <-came; ok {
			_ = syscall.Kill(os.Getpid(), s.(syscall.Signal))
			select {} // it is on its way
		}
	}
}
