package remote

import (
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"lockstep/internal/lang"
)

// sockets returns an error if a process has a network connection.
func sockets(pid int) error {
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	inodes := map[string]bool{}
	fds, _ := filepath.Glob(filepath.Join(proc, "fd", "*"))
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err == nil && strings.HasPrefix(to, "socket:[") {
			inodes[strings.Trim(strings.TrimPrefix(to, "socket:"), "[]")] = true
		}
	}
	if len(inodes) == 0 {
		return nil // the kernel takes ten milliseconds for a table
	}
	for _, table := range []string{"tcp", "tcp6"} {
		text, err := os.ReadFile(filepath.Join(proc, "net", table))
		if err != nil {
			continue
		}
		for _, line := range strings.Split(string(text), "\n") {
			if f := strings.Fields(line); len(f) > 9 && inodes[f[9]] {
				return lang.Errorf("the lock has a TCP connection of its own, to %s: use the clients that the factory gets", address(f[2]))
			}
		}
	}
	return nil
}

// address parses an address as the kernel prints it: 32-bit words in this
// machine's byte order, and the port.
func address(text string) string {
	host, port, _ := strings.Cut(text, ":")
	b, err := hex.DecodeString(host)
	n, portErr := strconv.ParseUint(port, 16, 16)
	if err != nil || portErr != nil || len(b)%4 != 0 {
		return text
	}
	for i := 0; i < len(b); i += 4 {
		binary.NativeEndian.PutUint32(b[i:], binary.BigEndian.Uint32(b[i:]))
	}
	ip, ok := netip.AddrFromSlice(b)
	if !ok {
		return text
	}
	return netip.AddrPortFrom(ip.Unmap(), uint16(n)).String()
}
