package locktest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// ownSockets says that this process has a network connection: a lock under test
// has none but those that it was given, and what it says over another one is not
// seen.
func ownSockets() error {
	inodes := map[string]bool{}
	fds, _ := filepath.Glob("/proc/self/fd/*")
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err == nil && strings.HasPrefix(to, "socket:[") {
			inodes[strings.Trim(strings.TrimPrefix(to, "socket:"), "[]")] = true
		}
	}
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		text, err := os.ReadFile(table)
		if err != nil {
			continue
		}
		for _, line := range strings.Split(string(text), "\n") {
			if f := strings.Fields(line); len(f) > 9 && inodes[f[9]] {
				return errors.New("the lock has a TCP connection of its own: it is to use the clients that it is given")
			}
		}
	}
	return nil
}
