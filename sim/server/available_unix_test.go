//go:build unix

package server

import (
	"syscall"
	"testing"

	"lockstep/internal/testkit"
)

// available returns what has come, without waiting.
func (c *realConn) available(t testing.TB) string {
	t.Helper()
	raw := testkit.Must(c.Conn.(syscall.Conn).SyscallConn())(t)
	var all []byte
	buffer := make([]byte, 1<<16)
	testkit.OK(t, raw.Read(func(fd uintptr) bool {
		for {
			n, err := syscall.Read(int(fd), buffer)
			if err != nil || n <= 0 {
				return true
			}
			all = append(all, buffer[:n]...)
		}
	}))
	return string(all)
}
