//go:build unix

package server

import (
	"syscall"
	"testing"
)

// available returns what has come, without waiting.
func (c *realConn) available(t testing.TB) string {
	t.Helper()
	raw, err := c.Conn.(syscall.Conn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	buffer := make([]byte, 1<<16)
	err = raw.Read(func(fd uintptr) bool {
		for {
			n, err := syscall.Read(int(fd), buffer)
			if err != nil || n <= 0 {
				return true
			}
			all = append(all, buffer[:n]...)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}
