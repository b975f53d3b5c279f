package workshop

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// This file sends events (Server-Sent Events, WHATWG HTML 9.2). Each kind of event holds
// all there is to know of its subject, so who reads slowly gets the latest of each kind,
// and a subscriber takes no more memory than one mark for each kind.

// The kinds of events.
type kind int

const (
	frameEvent kind = iota
	pollEvent
	contestEvent
	timerEvent
	countEvent
	roomEvent // for trainers
	kinds     // how many there are
)

var kindNames = [kinds]string{"frame", "poll", "contest", "timer", "count", "room"}

// A message is an event as it is sent, plain and compressed: once for all who get it.
type message struct{ plain, packed []byte }

func newMessage(name string, n int, what any) (message, error) {
	data, err := json.Marshal(what)
	if err != nil {
		return message{}, err
	}
	plain := fmt.Appendf(nil, "id: %d\nevent: %s\ndata: %s\n\n", n, name, data)
	packed, err := deflated(plain)
	return message{plain, packed}, err
}

// deflated compresses a text into whole blocks of DEFLATE (RFC 1951) that refer to nothing
// before them and end at a byte. So they can stand anywhere in a gzip stream.
func deflated(text []byte) ([]byte, error) {
	w, ok := deflaters.Get().(*flate.Writer)
	if !ok {
		var err error
		if w, err = flate.NewWriter(nil, flate.DefaultCompression); err != nil {
			return nil, err
		}
	}
	defer deflaters.Put(w)
	var b bytes.Buffer
	w.Reset(&b)
	_, err := w.Write(text)
	if err == nil {
		err = w.Flush()
	}
	return b.Bytes(), err
}

// deflaters are used again: each takes more than half a megabyte.
var deflaters sync.Pool

// gzipHeader begins a gzip stream (RFC 1952) without a name or a time. Its end, with the
// checksum, never comes: the connection ends first.
var gzipHeader = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff}

// A subscriber reads events.
type subscriber struct {
	lang    string
	who     int // participant; 0 for none
	trainer bool
	hash    string      // the trainer's
	news    [kinds]bool // guarded by the server's mutex
	wake    chan struct{}
	gone    chan struct{} // closed when it has to go
	ends    bool          // gone is closed
	n       int           // in the order in which they came
}

// stranger reports whether it has no cookie.
func (s *subscriber) stranger() bool { return s.who == 0 && !s.trainer }

func (s *subscriber) mark(k kind) {
	s.news[k] = true
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

const (
	alive     = 15 * time.Second // between signs of life
	sendLimit = 20 * time.Second // for one message: a phone that takes longer reconnects
)

// stream sends a first message and then what is new until the reader has gone.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, sub *subscriber, first func() message) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // for proxies
	send := plainTo(w)
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		send = packedTo(w)
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // it listens for as long as it likes
	put := func(m message) bool {
		_ = control.SetWriteDeadline(time.Now().Add(sendLimit))
		return send(m) == nil && control.Flush() == nil
	}
	if !put(first()) {
		return
	}
	tick := time.NewTicker(alive)
	defer tick.Stop()
	for {
		select {
		case <-sub.wake:
			for _, m := range s.newsFor(sub) {
				if !put(m) {
					return
				}
			}
		case <-tick.C:
			if !put(breath()) {
				return
			}
		case <-r.Context().Done():
			return
		case <-sub.gone:
			return
		case <-s.ctx.Done():
			return
		}
	}
}

// breath is a comment, which shows that the connection is alive.
var breath = sync.OnceValue(func() message {
	packed, _ := deflated([]byte(":\n\n")) // a buffer refuses nothing
	return message{[]byte(":\n\n"), packed}
})

func plainTo(w io.Writer) func(message) error {
	return func(m message) error {
		_, err := w.Write(m.plain)
		return err
	}
}

func packedTo(w io.Writer) func(message) error {
	begun := false
	return func(m message) error {
		if !begun {
			begun = true
			if _, err := w.Write(gzipHeader); err != nil {
				return err
			}
		}
		_, err := w.Write(m.packed)
		return err
	}
}
