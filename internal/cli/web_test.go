package cli

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/creack/pty"

	"lockstep/internal/lang"
	"lockstep/internal/testkit"
	"lockstep/internal/web"
)

func TestListen(t *testing.T) {
	for _, address := range []string{"0.0.0.0", "", "nowhere"} {
		if _, err := listen(t.Context(), address); err == nil || !strings.HasSuffix(err.Error(), "is not an address; use for example 127.0.0.1:8067") {
			t.Errorf("%q: %v", address, err)
		}
	}
	l := testkit.Must(listen(t.Context(), "0.0.0.0:0"))(t)
	defer func() { _ = l.Close() }()
	if at := l.Addr().(*net.TCPAddr); at.IP.To4() == nil {
		t.Errorf("0.0.0.0 listens at %v", at)
	}
}

// TestAddressesThatOpen: what is printed is no address that means all of them.
func TestAddressesThatOpen(t *testing.T) {
	for at, want := range map[string]string{
		"127.0.0.1:80": "127.0.0.1:80", "[::1]:80": "[::1]:80", "0.0.0.0:80": "127.0.0.1:80", "[::]:80": "127.0.0.1:80",
	} {
		addr := testkit.Must(net.ResolveTCPAddr("tcp", at))(t)
		got := linksTo(addr)
		if all := strings.Join(got, " "); got[0] != want || strings.Contains(all, "0.0.0.0") || strings.Contains(all, "[::]") {
			t.Errorf("%s: %q", at, got)
		}
	}
}

// TestMinutes: in a terminal, what takes minutes is said with its seconds, on a line that goes.
func TestMinutes(t *testing.T) {
	const says = "web: compiling the engine"
	screen, terminal, err := pty.Open()
	if err != nil {
		t.Skip(err)
	}
	defer func() { _ = screen.Close() }()
	_, end := newApp(nil, io.Discard, terminal).minutes(lang.New(says))
	end()
	_ = terminal.Close()
	shown, _ := io.ReadAll(screen) // ends with an error: the terminal is closed
	if got := string(shown); !strings.HasPrefix(got, "\r"+says+", 0 s") || !strings.HasSuffix(got, "\r\x1b[J") {
		t.Errorf("in a terminal: %q", got)
	}
}

// TestNoPartOfAMatrix: a site has the whole matrix or, if it was interrupted, none.
func TestNoPartOfAMatrix(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	site := web.Site{}
	if err := newApp(nil, io.Discard, io.Discard).siteMatrix(ctx, site); !errors.Is(err, context.Canceled) || len(site) > 0 {
		t.Errorf("%v, %d files", err, len(site))
	}
}
