package workshop

import (
	"embed"
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"path"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"lockstep/internal/lang"
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
func faceFiles() (map[string]file, error) {
	all, err := web.Face()
	if err != nil {
		return nil, err
	}
	entries, err := static.ReadDir("static")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		text, err := static.ReadFile("static/" + e.Name())
		if err != nil {
			return nil, err
		}
		all[e.Name()] = text
	}
	files := map[string]file{}
	for name, text := range all {
		small, err := web.Compressed(text)
		if err != nil {
			return nil, err
		}
		f := file{kind: fileKinds[path.Ext(name)], plain: text, small: small, tag: tagOf(text)}
		files["/"+name] = f
		switch name {
		case "room.html":
			files["/"] = f
		case "trainer.html", "beamer.html":
			files["/"+strings.TrimSuffix(name, ".html")] = f
		}
	}
	return files, nil
}

// A call answers a request as JSON.
type call func(w http.ResponseWriter, r *http.Request) (any, error)

// handler routes requests.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	get := func(path string, do call) { mux.Handle("GET "+path, s.timed(s.json(do))) }
	post := func(path string, do call) { mux.Handle("POST "+path, s.timed(s.json(do))) }
	mine := func(do func(http.ResponseWriter, *http.Request, int) (any, error)) call {
		return func(w http.ResponseWriter, r *http.Request) (any, error) {
			who := s.participant(r)
			if who == 0 {
				return nil, errJoin
			}
			return do(w, r, who)
		}
	}
	trained := func(do func(http.ResponseWriter, *http.Request, string) (any, error)) call {
		return func(w http.ResponseWriter, r *http.Request) (any, error) {
			who, ok := s.trains(r)
			if !ok {
				return nil, refuse(http.StatusUnauthorized, lang.New("open the trainer's link first"))
			}
			return do(w, r, who)
		}
	}
	read := func(do func(*http.Request) (any, error)) func(http.ResponseWriter, *http.Request, string) (any, error) {
		return func(_ http.ResponseWriter, r *http.Request, _ string) (any, error) { return do(r) }
	}
	post("/api/join", s.join)
	get("/api/me", mine(func(_ http.ResponseWriter, _ *http.Request, who int) (any, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return *s.room.people[who], nil
	}))
	post("/api/answer", mine(s.answer))
	post("/api/result", mine(s.result))
	post("/api/share", mine(s.share))
	get("/api/frames", func(_ http.ResponseWriter, r *http.Request) (any, error) { return s.earlier(r) })
	mux.HandleFunc("GET /api/events", func(w http.ResponseWriter, r *http.Request) { s.listen(w, r, "", false) })

	mux.HandleFunc("GET /api/trainer/events", func(w http.ResponseWriter, r *http.Request) {
		who, ok := s.trains(r)
		if !ok {
			s.json(trained(nil))(w, r)
			return
		}
		s.listen(w, r, who, true)
	})
	post("/api/trainer/drive", trained(s.drive))
	post("/api/trainer/take", trained(s.take))
	post("/api/trainer/poll", trained(s.doPoll))
	post("/api/trainer/contest", trained(s.doContest))
	post("/api/trainer/timer", trained(s.doTimer))
	get("/api/trainer/shared", trained(read(s.handedIn)))
	get("/api/trainer/levels", trained(read(s.playable)))
	mux.HandleFunc("GET /api/trainer/report", func(w http.ResponseWriter, r *http.Request) {
		if _, ok := s.trains(r); !ok {
			s.json(trained(nil))(w, r)
			return
		}
		s.report(w, r)
	})
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
		what, err := do(w, r)
		status := http.StatusOK
		if err != nil {
			status = http.StatusInternalServerError
			said := any(err)
			var no *refusal
			if errors.As(err, &no) {
				status, said = no.status, no.why
			}
			book := s.books[s.languageOf(r.Header.Get("Accept-Language"))]
			what = map[string]string{"error": lang.In(book.Language(), said)}
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(what) // who has gone does not read it
	}
}

// callTime bounds reading a request and, separately, writing its answer.
const callTime = 30 * time.Second

func (s *Server) timed(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(callTime))
		next(w, r)
	})
}

// listen streams events.
func (s *Server) listen(w http.ResponseWriter, r *http.Request, hash string, trainer bool) {
	if r.ContentLength != 0 { // it could come for ever
		http.Error(w, "events take no body", http.StatusBadRequest)
		return
	}
	sub := &subscriber{lang: s.languageOf(r.FormValue("lang")), who: s.participant(r), hash: hash, trainer: trainer, wake: make(chan struct{}, 1), gone: make(chan struct{})}
	if !s.subscribe(sub) {
		w.Header().Set("Retry-After", "5")
		http.Error(w, "too many listen", http.StatusServiceUnavailable)
		return
	}
	defer s.unsubscribe(sub)
	s.stream(w, r, sub, func() message { return s.stateFor(sub) })
}

// trainer makes who has the key a trainer.
func (s *Server) trainer(w http.ResponseWriter, r *http.Request) {
	key := r.FormValue("key")
	switch _, already := s.trains(r); {
	case key == "" && already:
		s.file(w, r)
		return
	case key != "" && sameKey(key, s.key):
		secret := newSecret()
		if err := s.store.write(r.Context(), "INSERT INTO trainers VALUES (?)", hashOf(secret)); err != nil {
			http.Error(w, unwritten(err).Error(), http.StatusServiceUnavailable)
			return
		}
		s.mu.Lock()
		s.trainers[string(hashOf(secret))] = true
		s.mu.Unlock()
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
	if r.Header.Get("If-None-Match") == f.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	text := f.plain
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		text = f.small
	}
	_, _ = w.Write(text) // who has gone does not read it
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

// limits has a rate for each participant, by the hash of the cookie, and for each address.
// No address is kept for longer than a few minutes, and none is written anywhere.
type limits struct {
	mu      sync.Mutex
	buckets map[string]*bucket
}

type bucket struct {
	*rate.Limiter
	used time.Time
}

// maxBuckets bounds the memory of the limits. Participants are within maxPeople; strangers
// do not count for them.
const maxBuckets = 20_000

// addressOf names the sender of a request without a cookie, for limits. A machine has a
// whole /64 of IPv6 addresses.
func addressOf(remote string) string {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return "a"
	}
	ip := at.Addr().Unmap().WithZone("")
	if ip.Is6() {
		ip = netip.PrefixFrom(ip, 64).Masked().Addr()
	}
	return "a" + ip.String()
}

func newLimits() *limits { return &limits{buckets: map[string]*bucket{}} }

func (l *limits) allow(who string, perSecond, burst int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.buckets[who]
	if b == nil {
		if len(l.buckets) >= maxBuckets && who[0] == 'a' {
			return false
		}
		b = &bucket{Limiter: rate.NewLimiter(rate.Limit(perSecond), burst)}
		l.buckets[who] = b
	}
	b.used = time.Now()
	return b.Allow()
}

// forget drops what was not used for a while.
func (l *limits) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for who, b := range l.buckets {
		if time.Since(b.used) > 3*time.Minute {
			delete(l.buckets, who)
		}
	}
}

// limited refuses requests beyond the rate of their sender: a participant or trainer, who
// is known by a cookie, or else an address.
func (s *Server) limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Even of a request that nobody reads, net/http waits for the body.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.patience))
		ok := true
		if hash, trainer := s.trains(r); trainer {
			ok = s.limits.allow("t"+hash, 2*ownRate, 2*ownBurst)
		} else if who := s.participant(r); who != 0 {
			ok = s.limits.allow("p"+string(hashOf(secretOf(r, participantCookie))), ownRate, ownBurst)
		} else {
			ok = s.limits.allow(addressOf(r.RemoteAddr), addressRate, addressBurst)
		}
		if !ok {
			w.Header().Set("Retry-After", "1")
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = w.Write([]byte(`{"error":"too many requests; wait a second"}`))
			return
		}
		next.ServeHTTP(w, r)
	})
}
