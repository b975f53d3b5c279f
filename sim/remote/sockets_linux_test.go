package remote

import (
	"encoding/binary"
	"net"
	"os"
	"strings"
	"testing"

	"lockstep/internal/testkit"
)

func TestAddress(t *testing.T) {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		t.Skip("the texts are those of a little-endian machine")
	}
	for text, want := range map[string]string{
		"0100007F:18EB":                         "127.0.0.1:6379",
		"00000000000000000000000001000000:18EB": "[::1]:6379",
		"0000000000000000FFFF00000100007F:0050": "127.0.0.1:80",
		"":                                      "",
		"0100007F":                              "0100007F",
		"0100007:18":                            "0100007:18",
		"01:18EB":                               "01:18EB",
	} {
		if got := address(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestSockets: the address that the kernel prints is the connection's.
func TestSockets(t *testing.T) {
	server := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer server.Close()
	c := testkit.Must(net.Dial("tcp", server.Addr().String()))(t)
	defer c.Close()
	if err := sockets(os.Getpid()); err == nil || !strings.Contains(err.Error(), "to ") {
		t.Errorf("%v", err)
	}
}
