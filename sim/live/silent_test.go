package live

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"
)

// TestSilent: a server that accepts and says nothing is told from one that is not there,
// and its address is shown without its password.
func TestSilent(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") // the kernel accepts for it
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	target, err := Parse("redis://:secret@" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond) // in place of the program's own bound
	defer cancel()
	_, err = Open(ctx, target)
	if !errors.Is(err, ErrSilent) || !strings.HasPrefix(err.Error(), l.Addr().String()+": the server has accepted the connection and does not answer") || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
}
