package remote

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"lockstep/message"
)

// sockets says that a process has a network connection.
func sockets(pid int) error {
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	inodes := map[string]bool{}
	fds, _ := filepath.Glob(filepath.Join(proc, "fd", "*"))
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err == nil && strings.HasPrefix(to, "socket:[") {
			inodes[strings.Trim(strings.TrimPrefix(to, "socket:"), "[]")] = true
		}
	}
	for _, table := range []string{"tcp", "tcp6"} {
		text, err := os.ReadFile(filepath.Join(proc, "net", table))
		if err != nil {
			continue
		}
		for _, line := range strings.Split(string(text), "\n") {
			if f := strings.Fields(line); len(f) > 9 && inodes[f[9]] {
				return message.Errorf("the lock has a TCP connection of its own: it is to use the clients that it is given")
			}
		}
	}
	return nil
}
