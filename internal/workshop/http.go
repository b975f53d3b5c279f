package workshop

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"embed"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"lockstep/internal/lang"
	"lockstep/internal/prose"
	"lockstep/internal/web"
)

// static are the pages.
//
//go:embed static
var static embed.FS

// A file is one that is served as it is.
type file struct {
	kind         string
	plain, small []byte // small is compressed by gzip
	tag          string
}

// fileKinds are the MIME types of the pages' files.
var fileKinds = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".json": "application/json",
}

// faceFiles returns the files of the pages, by path.
func faceFiles() map[string]file {
	all := web.Frames()
	entries, _ := static.ReadDir("static") // they are embedded
	for _, e := range entries {
		all[e.Name()], _ = static.ReadFile("static/" + e.Name())
	}
	files := map[string]file{}
	for name, text := range all {
		f := file{kind: fileKinds[path.Ext(name)], plain: text, small: web.Compressed(text), tag: tagOf(text)}
		files["/"+name] = f
		switch name {
		case "room.html":
			files["/"] = f
		case "trainer.html", "beamer.html":
			files["/"+strings.TrimSuffix(name, ".html")] = f
		}
	}
	return files
}

// A caller is the sender of a request.
type caller struct {
	id      int    // of a participant; 0 for none
	trainer string // its hash; "" for none
	did     int    // 1 for a participant who has done something
}

func (c caller) trains() bool { return c.trainer != "" }

type callerKey struct{}

// callerOf is the sender of a request that limited has let in.
func callerOf(r *http.Request) caller {
	c, _ := r.Context().Value(callerKey{}).(caller)
	return c
}

// A request is one that a call answers.
type request struct {
	w http.ResponseWriter
	*http.Request
	caller
}

// A call answers a request: as JSON, or by itself if there is neither an answer nor an error.
type call func(*request) (any, error)

// handler routes requests.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	anybody := func(pattern string, do call) { mux.Handle(pattern, s.json(do)) }
	class := func(pattern string, do call) {
		anybody(pattern, func(q *request) (any, error) {
			if q.id == 0 {
				return nil, refuse(http.StatusUnauthorized, "join first")
			}
			return do(q)
		})
	}
	desk := func(pattern string, do call) {
		anybody(pattern, func(q *request) (any, error) {
			if !q.trains() {
				return nil, refuse(http.StatusUnauthorized, "open the trainer's link first")
			}
			return do(q)
		})
	}
	anybody("POST /api/join", body(maxBody, s.join))
	class("GET /api/me", s.me)
	class("POST /api/answer", body(maxBody, s.answer))
	class("POST /api/result", body(maxStory, s.result))
	class("POST /api/share", body(maxStory, s.share))
	anybody("GET /api/frames", s.earlier)
	anybody("GET /api/events", func(q *request) (any, error) {
		q.trainer = "" // a trainer's browser may also show the class's pages
		return s.listen(q)
	})
	desk("GET /api/trainer/events", s.listen)
	desk("POST /api/trainer/drive", body(maxKeys, s.drive))
	desk("POST /api/trainer/take", body(maxBody, s.take))
	desk("POST /api/trainer/poll", body(maxStory, s.doPoll))
	desk("POST /api/trainer/contest", body(maxBody, s.doContest))
	desk("POST /api/trainer/timer", body(maxBody, s.doTimer))
	desk("POST /api/trainer/clear", s.clear)
	desk("GET /api/trainer/shared", s.handedIn)
	desk("GET /api/trainer/levels", s.playable)
	desk("GET /api/trainer/report", s.report)
	mux.HandleFunc("GET /trainer", s.trainer)
	mux.HandleFunc("GET /qr.svg", s.qr)
	if s.Site != nil {
		mux.Handle("GET /site/", http.StripPrefix("/site", s.Site.Handler()))
	}
	mux.HandleFunc("GET /", s.file)
	own := http.NewCrossOriginProtection() // a page of another site must not post in a participant's name
	return s.limited(headed(own.Handler(mux)))
}

// json writes the answer of a call, or its error.
func (s *Server) json(do call) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(callTime))
		what, err := do(&request{w, r, callerOf(r)})
		status := http.StatusOK
		if err != nil {
			status = http.StatusInternalServerError
			var no *refusal
			if errors.As(err, &no) {
				status, err = no.status, no
			}
			book := prose.Load(s.languageOf(r.Header.Get("Accept-Language")))
			what = map[string]string{"error": lang.In(book.Language(), err)}
		}
		if what == nil {
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(what) // nobody reads it any more where the client has gone
	}
}

// callTime bounds reading a request and, separately, writing its answer.
const callTime = 30 * time.Second

// listen streams events.
func (s *Server) listen(q *request) (any, error) {
	if q.ContentLength != 0 { // it could come for ever
		return nil, refuse(http.StatusBadRequest, "events take no body")
	}
	sub := &subscriber{caller: q.caller, lang: s.languageOf(q.FormValue("lang")), at: web.Address(q.RemoteAddr), wake: make(chan struct{}, 1), gone: make(chan struct{})}
	s.subscribe(sub)
	defer s.unsubscribe(sub)
	s.stream(q, sub, s.stateFor(sub))
	return nil, nil
}

// trainer makes who has the key a trainer.
func (s *Server) trainer(w http.ResponseWriter, r *http.Request) {
	key := r.FormValue("key")
	switch {
	case key == "" && callerOf(r).trains():
		s.file(w, r)
		return
	case subtle.ConstantTimeCompare([]byte(key), []byte(s.key)) == 1:
		secret := rand.Text()
		if err := s.keep(r.Context(), func() { s.trainers[string(hashOf(secret))] = true }, []any{"INSERT INTO trainers VALUES (?)", hashOf(secret)}); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		s.cookie(w, trainerCookie, secret)
		http.Redirect(w, r, "/trainer", http.StatusSeeOther)
		return
	}
	http.Error(w, "This page is the trainer's: open the link that lockstep workshop has printed.", http.StatusUnauthorized)
}

// file serves a page's file.
func (s *Server) file(w http.ResponseWriter, r *http.Request) {
	f, ok := s.files[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(10 * callTime))
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", f.tag)
	h.Set("Vary", "Accept-Encoding")
	text := f.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		text = f.small
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
}

// headed sets the headers that every answer has.
func headed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Referrer-Policy", "no-referrer") // the trainer's link has the key
		h.Set("X-Frame-Options", "DENY")
		next.ServeHTTP(w, r)
	})
}

// Limits ---------------------------------------------------------------------

// The rates of requests, a second, and how many may come at once. A class can be behind
// one address, so that of an address without a cookie is that of a room that joins.
const (
	ownRate, ownBurst         = 20, 60
	addressRate, addressBurst = 300, 4000
)

// limits has a rate for each participant and trainer, and for each address. No address is
// kept for longer than a few minutes, and none is written anywhere.
type limits struct {
	mu      sync.Mutex
	buckets map[string]*rate.Limiter
}

// maxBuckets bounds the memory of the limits. Participants are within maxPeople; strangers
// do not count for them.
const maxBuckets = 20_000

func (l *limits) allow(who string, perSecond, burst int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.buckets[who]
	if b == nil {
		if len(l.buckets) >= maxBuckets && who[0] == 'a' {
			return false
		}
		b = rate.NewLimiter(rate.Limit(perSecond), burst)
		l.buckets[who] = b
	}
	return b.Allow()
}

// forget drops those whose burst is whole again.
func (l *limits) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.buckets, func(_ string, b *rate.Limiter) bool { return b.Tokens() >= float64(b.Burst()) })
}

// limited refuses requests beyond the rate of their sender: a participant or trainer, who
// is known by a cookie, or else an address.
func (s *Server) limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Even of a request that nobody reads, net/http waits for the body.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.patience))
		c, ok := s.known(r), true
		switch {
		case c.trains():
			web.Ranks(r, web.Deserved)
			ok = s.limits.allow("t"+c.trainer, 2*ownRate, 2*ownBurst)
		case c.id != 0:
			web.Ranks(r, web.Known+c.did)
			ok = s.limits.allow("p"+strconv.Itoa(c.id), ownRate, ownBurst)
		default:
			ok = s.limits.allow("a"+web.Address(r.RemoteAddr), addressRate, addressBurst)
		}
		if !ok {
			w.Header().Set("Retry-After", "1")
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = w.Write([]byte(`{"error":"too many requests; wait a second"}`))
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, c)))
	})
}
