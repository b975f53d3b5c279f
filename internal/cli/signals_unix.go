//go:build unix

package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// hangup comes when a terminal closes. It would end a command without cleaning up.
var hangup = []os.Signal{syscall.SIGHUP}

// deadly are signals that Bubble Tea does not handle, and that would end the process
// without restoring the terminal.
var deadly = []os.Signal{syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT}

// until ends a context at signals. again raises the one that came again, to end the
// process with its status. Signals that are ignored from the start, as under nohup, stay
// ignored.
func until(ctx context.Context, signals []os.Signal) (out context.Context, again func()) {
	out, cancel := context.WithCancel(ctx)
	arrived := make(chan os.Signal, 1)
	for _, s := range signals {
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
			signal.Reset(s) // nobody else is to catch it
			_ = syscall.Kill(os.Getpid(), s.(syscall.Signal))
			select {} // the signal is on its way
		}
	}
}
