//go:build unix

package live

import (
	"os"
	"os/exec"
	"syscall"
)

func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends a detached process and all that it has started.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) } // or they are gone

// readByOthers says whether a regular file of the user's own can be read by
// others. One of somebody else's, such as a secret that a container was given,
// is not the user's to protect.
func readByOthers(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.Mode().IsRegular() && int(stat.Uid) == os.Getuid() && info.Mode().Perm()&0o077 != 0
}
