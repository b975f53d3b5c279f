//go:build unix

package remote_test

import (
	"os/exec"
	"syscall"
)

// leaves lets a command leave its parent's process group and session.
func leaves(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
