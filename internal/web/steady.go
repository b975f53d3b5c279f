package web

import (
	"net/http"
	"time"
)

// stall bounds the time of an answer without progress, not that of an answer: a file takes
// minutes over a slow network, and the window of a slow program opens in steps of megabytes.
const stall = 5 * time.Minute

// steady gives every part of an answer its own deadline. A reader who takes nothing is
// cut; one who is slow is not.
type steady struct {
	http.ResponseWriter
	stall time.Duration
}

// Unwrap is for http.ResponseController.
func (s steady) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// Write takes a part: http.ServeContent copies a file by 32 KiB.
func (s steady) Write(p []byte) (int, error) {
	_ = http.NewResponseController(s.ResponseWriter).SetWriteDeadline(time.Now().Add(s.stall)) // a test's has none
	return s.ResponseWriter.Write(p)
}
