package web

import (
	"io"
	"net/http"
	"os"
	"time"
)

// The bounds of an answer: not on its time, since a file takes minutes over a slow
// network, but on the time without progress.
const (
	part  = 64 << 10        // bytes that are one progress
	stall = 5 * time.Minute // that a part may take: the window of a slow program opens in steps of megabytes
)

// steady gives every part of an answer its own deadline. A reader who takes nothing is
// cut; one who is slow is not.
type steady struct {
	http.ResponseWriter
	stall time.Duration
}

// Unwrap is for http.ResponseController.
func (s steady) Unwrap() http.ResponseWriter { return s.ResponseWriter }

func (s steady) extend() {
	_ = http.NewResponseController(s.ResponseWriter).SetWriteDeadline(time.Now().Add(s.stall)) // a test's has none
}

func (s steady) Write(p []byte) (int, error) { // what is copied comes in parts
	s.extend()
	return s.ResponseWriter.Write(p)
}

// ReadFrom sends a file part by part, without a copy of it where the system can do that.
func (s steady) ReadFrom(from io.Reader) (n int64, err error) {
	to, ok := s.ResponseWriter.(io.ReaderFrom)
	left, limited := from.(*io.LimitedReader)
	if !ok || !limited {
		return io.Copy(struct{ io.Writer }{s}, from)
	}
	if _, is := left.R.(*os.File); !is {
		return io.Copy(struct{ io.Writer }{s}, from)
	}
	for left.N > 0 && err == nil {
		s.extend()
		one := &io.LimitedReader{R: left.R, N: min(left.N, part)}
		var m int64
		m, err = to.ReadFrom(one)
		n, left.N = n+m, left.N-m
		if m == 0 {
			break
		}
	}
	return n, err
}
