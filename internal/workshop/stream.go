package workshop

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
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

// newMessage makes one of what is nothing but texts and numbers, which JSON takes.
func newMessage(name string, n int, what any) message {
	data, _ := json.Marshal(what)
	plain := fmt.Appendf(nil, "id: %d\nevent: %s\ndata: %s\n\n", n, name, data)
	return message{plain, deflated(plain)}
}

// deflated compresses a text into whole blocks of DEFLATE (RFC 1951) that refer to nothing
// before them and end at a byte. So they can stand anywhere in a gzip stream.
func deflated(text []byte) []byte {
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	var b bytes.Buffer // takes everything
	w.Reset(&b)
	_, _ = w.Write(text)
	_ = w.Flush()
	return b.Bytes()
}

// deflaters are used again: each takes more than half a megabyte.
var deflaters = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.DefaultCompression) // the level is valid
	return w
}}

// gzipHeader begins a gzip stream (RFC 1952) without a name or a time. Its end, with the
// checksum, never comes: the connection ends first.
var gzipHeader = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff}

// A subscriber reads events.
type subscriber struct {
	caller
	lang string
	at   string      // its address, which is kept nowhere else
	news [kinds]bool // guarded by the server's mutex
	wake chan struct{}
	gone chan struct{} // closed when it has to go
	n    int           // in the order in which they came
}

// stranger reports whether it has no cookie.
func (s *subscriber) stranger() bool { return s.id == 0 && !s.trains() }

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
func (s *Server) stream(q *request, sub *subscriber, first message) {
	h := q.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // for proxies
	packs := strings.Contains(q.Header.Get("Accept-Encoding"), "gzip")
	if packs {
		h.Set("Content-Encoding", "gzip")
		_, _ = q.w.Write(gzipHeader) // a reader that has gone gets no message either
	}
	control := http.NewResponseController(q.w)
	_ = control.SetReadDeadline(time.Time{}) // it listens for as long as it likes
	put := func(m message) bool {
		_ = control.SetWriteDeadline(time.Now().Add(sendLimit))
		text := m.plain
		if packs {
			text = m.packed
		}
		_, err := q.w.Write(text)
		return err == nil && control.Flush() == nil
	}
	if !put(first) {
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
		case <-q.Context().Done():
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
	return message{[]byte(":\n\n"), deflated([]byte(":\n\n"))}
})
