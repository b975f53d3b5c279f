//go:build unix

package live

import (
	"os/exec"
	"syscall"
)

func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }
