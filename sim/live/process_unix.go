//go:build unix

package live

import (
	"os"
	"os/exec"
	"syscall"
)

func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills a detached process and all that it has started.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) } // they may be gone

// readByOthers reports whether others can read a regular file of the user's
// own. Another user's file, such as a container's secret, is not the user's to
// protect.
func readByOthers(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode().IsRegular() && int(stat.Uid) == os.Getuid() && info.Mode().Perm()&0o077 != 0
}
