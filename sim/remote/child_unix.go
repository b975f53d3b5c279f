//go:build unix

package remote

import (
	"os/exec"
	"syscall"
)

// contain gives a command a process group of its own: signals that it sends to its
// group do not reach Lockstep, and those to the group reach all of it.
func contain(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killAll ends what a child has started: its group, and what bears its mark.
func killAll(pid int, mark string) {
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	for _, other := range marked(mark) {
		_ = syscall.Kill(other, syscall.SIGKILL)
	}
}
