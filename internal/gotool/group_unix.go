//go:build unix

package gotool

import (
	"os/exec"
	"syscall"
)

// contain gives a command a process group, whose end it is asked for: a compiler goes on
// if only the go command is asked, and the go command waits for it.
func contain(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGINT) }
}

// killAll ends what is left of the group.
func killAll(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
