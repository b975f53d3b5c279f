//go:build unix

package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// untilHangup ends a context at signals that Bubble Tea does not handle, which
// would end the process without restoring the terminal. again raises such a
// signal again, to end the process with its status. Signals that are ignored
// from the start, as under nohup, stay ignored.
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
			select {} // the signal is on its way
		}
	}
}
