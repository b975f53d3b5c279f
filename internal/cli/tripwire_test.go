//go:build unix

package cli

import (
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/sim/live"
)

// A tripwire forwards to a server, and does something when so many requests
// have come, before the last of them goes on.
type tripwire struct {
	address string
	count   func() int
}

func newTripwire(t *testing.T, server string, at int, trip func()) tripwire {
	l := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	var all sync.WaitGroup
	var mu sync.Mutex
	n := 0
	request := func() {
		mu.Lock()
		defer mu.Unlock()
		if n++; n == at {
			trip()
		}
	}
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s, err := net.Dial("tcp", server)
			if err != nil {
				t.Error(err)
				return
			}
			all.Go(func() {
				_, _ = io.Copy(c, s)
				_ = c.Close()
			})
			all.Go(func() {
				defer func() { _ = s.Close() }()
				b := make([]byte, 64<<10)
				for {
					got, err := c.Read(b)
					if err != nil {
						return
					}
					request()
					if _, err := s.Write(b[:got]); err != nil {
						return
					}
				}
			})
		}
	})
	t.Cleanup(func() { _ = l.Close(); all.Wait() })
	return tripwire{l.Addr().String(), func() int { mu.Lock(); defer mu.Unlock(); return n }}
}

// at is the address of a server for --redis, and its password in a file.
func at(t *testing.T, s *live.Server, address string) []string {
	t.Helper()
	u := testkit.Must(url.Parse(s.URL()))(t)
	password, _ := u.User.Password()
	file := filepath.Join(t.TempDir(), "password")
	testkit.OK(t, os.WriteFile(file, []byte(password), 0o600))
	return []string{"--redis", address, "--redis-password-file", file}
}
