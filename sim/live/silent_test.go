package live

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"lockstep/internal/testkit"
)

// TestSilent: the error distinguishes a silent server from a missing one, and
// shows the address without the password.
func TestSilent(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // the kernel accepts for it
	testkit.OK(t, err)
	defer func() { _ = l.Close() }()
	target := testkit.Must(Parse("redis://:secret@" + l.Addr().String()))(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond) // in place of the program's own bound
	defer cancel()
	_, err = Open(ctx, target)
	if !errors.Is(err, ErrSilent) || !strings.HasPrefix(err.Error(), l.Addr().String()+": the server has accepted the connection and does not answer") || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
}

// TestACutPassword: a server without AUTH quotes the first 128 bytes of its
// arguments, only a part of a long password.
func TestACutPassword(t *testing.T) {
	long := strings.Repeat("abcdefghij", 20)
	w := &wire{secret: long}
	for _, text := range []string{"args beginning with: '" + long[:128] + "'", "'" + long[:8]} {
		if got := w.conceal(text); strings.Contains(got, long[:8]) {
			t.Errorf("%q", got)
		}
	}
	if got := w.conceal("abcdefg"); got != "abcdefg" {
		t.Errorf("%q", got)
	}
}
