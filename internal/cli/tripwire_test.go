//go:build unix

package cli

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"

	"lockstep/sim/live"
)

// A tripwire forwards to a server, and does something when so many requests
// have come, before the last of them goes on.
type tripwire struct {
	address string
	count   func() int
}

func newTripwire(t *testing.T, server string, at int, trip func()) tripwire {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
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

// through is the server's URL by another address.
func through(s *live.Server, address string) string {
	u, err := url.Parse(s.URL())
	if err != nil {
		panic(err) // Server.URL writes one
	}
	u.Host = address
	return u.String()
}
