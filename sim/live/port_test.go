package live

import (
	"net"
	"strconv"
	"testing"

	"lockstep/internal/testkit"
)

// TestFreePort: no port is ephemeral, and no two servers get the same.
func TestFreePort(t *testing.T) {
	seen := map[int]bool{}
	for range 100 {
		port, err := freePort()
		if err != nil || port < firstPort || port >= lastPort {
			t.Fatalf("%d, %v", port, err)
		}
		if seen[port] {
			t.Errorf("%d is given twice", port)
		}
		seen[port] = true
		l := testkit.Must(net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))))(t)
		_ = l.Close()
	}
}
