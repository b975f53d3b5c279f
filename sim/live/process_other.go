//go:build !unix

package live

import (
	"os"
	"os/exec"
)

func detach(*exec.Cmd) {}

func killGroup(p *os.Process) { _ = p.Kill() } // or it is gone

// A mode says nothing here.
func readByOthers(os.FileInfo) bool { return false }
