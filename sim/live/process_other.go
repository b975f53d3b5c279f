//go:build !unix

package live

import "os/exec"

func detach(*exec.Cmd) {}

func alive(int) bool { return true }
