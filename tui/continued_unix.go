//go:build unix

package tui

import (
	"os"
	"os/signal"
	"syscall"
)

// continued tells when this process goes on after it was stopped.
func continued(to chan os.Signal) { signal.Notify(to, syscall.SIGCONT) }
