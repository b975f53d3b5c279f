//go:build !unix

package live

import (
	"os"
	"os/exec"
)

func detach(*exec.Cmd) {}

func killGroup(p *os.Process) { _ = p.Kill() } // it may be gone

// readByOthers is false: a mode means nothing here.
func readByOthers(os.FileInfo) bool { return false }
