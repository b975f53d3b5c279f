package workshop_test

import (
	"net"
	"net/http"
	"slices"
	"testing"

	"lockstep/internal/course"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// solution is the token of the shortest way to sell the last item twice.
var solution = func() string {
	course, err := course.Usual()
	if err != nil {
		panic(err)
	}
	i := slices.IndexFunc(course.Levels, func(l scenarios.Level) bool { return l.ID == "oversell" })
	schedule, err := history.ParseSchedule("A*4 B tick B*4 A")
	if err != nil {
		panic(err)
	}
	return history.Token(course.Levels[i].Config, schedule)
}()

// A server is a workshop that can be stopped and started again at the same address.
type server struct {
	url, trainer string
	stop, start  func()
}

// begin opens a workshop, with the site of a folder if one is named.
func begin(t *testing.T, site string) *server {
	t.Helper()
	f := newFake(t.Context(), "a_late_del@20", site)
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
