package workshop_test

import (
	"net"
	"net/http"
	"testing"
)

const solution = "ls1.abc"

// A server is a workshop that can be stopped and started again at the same address.
type server struct {
	url, trainer string
	stop, start  func()
}

func begin(t *testing.T) *server {
	t.Helper()
	f := newFake(t.Context(), "a_late_del@20")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	s := &server{url: "http://" + address + "/"}
	s.trainer = s.url + "trainer"
	var h *http.Server
	s.start = func() {
		if l == nil {
			if l, err = net.Listen("tcp", address); err != nil {
				t.Fatal(err)
			}
		}
		h = &http.Server{Handler: f}
		go func(l net.Listener) { _ = h.Serve(l) }(l)
	}
	s.stop = func() { _ = h.Close(); l = nil }
	s.start()
	t.Cleanup(func() { _ = h.Close() })
	return s
}
