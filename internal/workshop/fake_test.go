package workshop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"lockstep/internal/web"
	"lockstep/internal/web/engine"
)

// TestFakeByHand serves for a person with a browser.
func TestFakeByHand(t *testing.T) {
	addr := os.Getenv("LOCKSTEP_FAKE")
	if addr == "" {
		t.Skip()
	}
	f := newFake(t.Context(), os.Getenv("LOCKSTEP_FAKE_PLACE"))
	if err := http.ListenAndServe(addr, f); err != nil {
		t.Fatal(err)
	}
}

type m = map[string]any

type fake struct {
	mu      sync.Mutex
	frames  map[string][]*engine.Frame
	in      map[string]chan engine.Request
	subs    map[chan string]string // lang
	trainer map[chan string]bool
	poll    m
	answers map[string]int
	contest m
	board   []m
	names   map[string]m
	shared  []m
	timer   time.Time
	driver  string
	mux     *http.ServeMux
}

func newFake(ctx context.Context, place string) *fake {
	f := &fake{frames: map[string][]*engine.Frame{}, in: map[string]chan engine.Request{}, subs: map[chan string]string{}, trainer: map[chan string]bool{}, answers: map[string]int{}, names: map[string]m{}, mux: http.NewServeMux(), driver: "Trainer"}
	for _, lang := range []string{"en", "zh"} {
		in := make(chan engine.Request, 100)
		f.in[lang] = in
		go func() {
			_ = engine.Run(ctx, engine.Start{Lang: lang, Place: place, Still: true}, in, func(a engine.Answer) {
				if a.Frame == nil {
					return
				}
				f.mu.Lock()
				defer f.mu.Unlock()
				f.frames[lang] = append(f.frames[lang], a.Frame)
				if lang == "en" {
					f.asks(a.Frame)
				}
				for s, l := range f.subs {
					if l == lang {
						g := a.Frame
						if !f.trainer[s] {
							g = without(g)
						}
						push(s, "frame", m{"at": len(f.frames[lang]), "frame": g})
					}
				}
			})
		}()
	}
	f.routes()
	return f
}

func without(g *engine.Frame) *engine.Frame {
	c := *g
	c.Parts = nil
	for _, p := range g.Parts {
		if p.Kind != "ask" {
			c.Parts = append(c.Parts, p)
		}
	}
	return &c
}

func (f *fake) asks(g *engine.Frame) {
	for _, p := range g.Parts {
		if p.Kind != "ask" || f.poll != nil && f.poll["id"] == g.Place {
			continue
		}
		var options []string
		for _, l := range p.Lines[1:] {
			options = append(options, l[0].Text)
		}
		f.poll = m{"id": g.Place, "question": p.Lines[0][0].Text, "options": options[:len(options)-1], "state": "open", "answered": 0, "round": 1}
		f.answers = map[string]int{}
		f.all("poll", f.poll)
	}
}

func push(s chan string, kind string, v any) {
	text, _ := json.Marshal(v)
	select {
	case s <- fmt.Sprintf("id: 1\nevent: %s\ndata: %s\n\n", kind, text):
	default:
	}
}

func (f *fake) all(kind string, v any) {
	for s := range f.subs {
		push(s, kind, v)
	}
}

func (f *fake) withCounts() m {
	c := m{}
	for k, v := range f.poll {
		c[k] = v
	}
	counts := make([]int, len(f.poll["options"].([]string)))
	for _, a := range f.answers {
		counts[a]++
	}
	c["counts"] = counts
	return c
}

func (f *fake) left() m {
	if f.timer.IsZero() {
		return m{"ends": "", "left": 0}
	}
	return m{"ends": f.timer.Format(time.RFC3339), "left": int(time.Until(f.timer).Seconds())}
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) { f.mux.ServeHTTP(w, r) }

func who(r *http.Request) string {
	c, err := r.Cookie("lockstep")
	if err != nil {
		return ""
	}
	return c.Value
}

func (f *fake) routes() {
	face, err := web.Face()
	if err != nil {
		panic(err)
	}
	f.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		name := strings.Trim(r.URL.Path, "/")
		switch name {
		case "":
			name = "room.html"
		case "trainer", "beamer":
			name += ".html"
		case "qr.svg":
			w.Header().Set("Content-Type", "image/svg+xml")
			_, _ = w.Write([]byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 21 21"><path d="M0 0h7v7H0zM14 0h7v7h-7zM0 14h7v7H0zM9 9h3v3H9z"/></svg>`))
			return
		}
		if text, ok := face[name]; ok {
			w.Header().Set("Content-Type", map[string]string{".css": "text/css", ".js": "text/javascript"}[filepath.Ext(name)])
			_, _ = w.Write(text)
			return
		}
		http.ServeFile(w, r, "static/"+name)
	})
	if site := os.Getenv("LOCKSTEP_FAKE_SITE"); site != "" {
		f.mux.Handle("/site/", http.StripPrefix("/site/", http.FileServer(http.Dir(site))))
	} else {
		f.mux.HandleFunc("/site/", http.NotFound)
	}
	api := func(path string, do func(r *http.Request, in m) (any, int)) {
		f.mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			var in m
			_ = json.NewDecoder(r.Body).Decode(&in)
			f.mu.Lock()
			defer f.mu.Unlock()
			id := who(r)
			if path == "/api/join" && f.names[id] == nil {
				id = fmt.Sprint(len(f.names)+1, time.Now().UnixNano())
				http.SetCookie(w, &http.Cookie{Name: "lockstep", Value: id, Path: "/", HttpOnly: true})
				r.AddCookie(&http.Cookie{Name: "lockstep", Value: id})
				f.names[id] = m{"id": len(f.names) + 1, "name": fmt.Sprintf("Quiet Heron %d", len(f.names)+1), "team": ""}
			}
			out, status := do(r, in)
			w.Header().Set("Content-Type", "application/json")
			if status != 200 {
				w.WriteHeader(status)
				out = m{"error": out}
			}
			_ = json.NewEncoder(w).Encode(out)
		})
	}
	me := func(r *http.Request) m {
		cs := r.CookiesNamed("lockstep")
		for i := len(cs) - 1; i >= 0; i-- {
			if p := f.names[cs[i].Value]; p != nil {
				return p
			}
		}
		return nil
	}
	api("/api/join", func(r *http.Request, in m) (any, int) {
		p := me(r)
		for _, k := range []string{"name", "team"} {
			if s, _ := in[k].(string); s != "" {
				p[k] = s
			}
		}
		return p, 200
	})
	api("/api/me", func(r *http.Request, _ m) (any, int) {
		if p := me(r); p != nil {
			return p, 200
		}
		return "join first", 401
	})
	api("/api/answer", func(r *http.Request, in m) (any, int) {
		p := me(r)
		if p == nil {
			return "join first", 401
		}
		if f.poll == nil || f.poll["state"] != "open" || f.poll["id"] != in["poll"] {
			return "the poll is closed", 409
		}
		f.answers[p["name"].(string)] = int(in["choice"].(float64))
		f.poll["answered"] = len(f.answers)
		f.all("count", m{"online": len(f.subs), "joined": len(f.names), "answered": len(f.answers)})
		f.rooms()
		return in, 200
	})
	api("/api/result", func(r *http.Request, in m) (any, int) {
		if p := me(r); p == nil {
			return "join first", 401
		} else if !strings.HasPrefix(in["token"].(string), "ls1.") {
			return "the token is no solution of this level", 422
		} else {
			f.board = append(f.board, m{"rank": len(f.board) + 1, "name": p["name"], "team": p["team"], "steps": 11})
		}
		f.contest["board"] = f.board
		f.all("contest", f.contest)
		return m{"steps": 11, "best": true, "rank": len(f.board)}, 200
	})
	api("/api/share", func(r *http.Request, in m) (any, int) {
		if p := me(r); p == nil {
			return "join first", 401
		} else if in["text"] == "" {
			return "the story has no world line", 422
		} else {
			f.shared = append(f.shared, m{"id": len(f.shared), "name": p["name"], "team": p["team"], "title": in["title"], "place": "a_late_del@3"})
		}
		return m{"id": 1}, 200
	})
	api("/api/frames", func(r *http.Request, _ m) (any, int) {
		var from, to int
		_, _ = fmt.Sscan(r.FormValue("from"), &from)
		_, _ = fmt.Sscan(r.FormValue("to"), &to)
		out := []m{}
		for i, g := range f.frames[r.FormValue("lang")] {
			if i+1 >= from && i+1 <= to {
				out = append(out, m{"at": i + 1, "frame": without(g)})
			}
		}
		return out, 200
	})
	api("/api/trainer/drive", func(r *http.Request, in m) (any, int) {
		text, _ := json.Marshal(in)
		for _, c := range f.in {
			var req engine.Request
			_ = json.Unmarshal(text, &req)
			c <- req
		}
		return m{}, 200
	})
	api("/api/trainer/take", func(r *http.Request, in m) (any, int) { f.driver = in["name"].(string); f.rooms(); return m{}, 200 })
	api("/api/trainer/levels", func(r *http.Request, in m) (any, int) {
		return []m{{"name": "oversell", "title": "Sell the last item twice"}}, 200
	})
	api("/api/trainer/shared", func(r *http.Request, in m) (any, int) {
		if f.shared == nil {
			return []m{}, 200
		}
		return f.shared, 200
	})
	api("/api/trainer/timer", func(r *http.Request, in m) (any, int) {
		f.timer = time.Time{}
		if n := in["minutes"].(float64); n > 0 {
			f.timer = time.Now().Add(time.Duration(n * float64(time.Minute)))
		}
		f.all("timer", f.left())
		return m{}, 200
	})
	api("/api/trainer/contest", func(r *http.Request, in m) (any, int) {
		switch in["do"] {
		case "set":
			f.board = nil
			f.contest = m{"level": in["level"], "title": "Sell the last item twice", "state": "locked", "by": in["by"], "board": []m{}}
		case "open":
			f.contest["state"] = "open"
		case "close":
			f.contest["state"] = "closed"
		}
		f.all("contest", f.contest)
		return m{}, 200
	})
	api("/api/trainer/poll", func(r *http.Request, in m) (any, int) {
		switch in["do"] {
		case "ask":
			var options []string
			for _, o := range in["options"].([]any) {
				options = append(options, o.(string))
			}
			f.answers = map[string]int{}
			f.poll = m{"id": fmt.Sprint("own", time.Now().UnixNano()), "question": in["question"], "options": options, "state": "open", "answered": 0, "round": 1}
			if in["right"] != nil {
				f.poll["hidden"] = int(in["right"].(float64))
			}
		case "close":
			f.poll["state"] = "closed"
		case "reveal":
			f.poll["state"] = "revealed"
			if f.poll["hidden"] == nil {
				for _, c := range f.in {
					c <- engine.Request{Press: "2"}
				}
			}
			f.poll["right"] = 1
			f.poll["why"] = "B compares nothing: its DEL removes whatever is there."
			f.poll["counts"] = f.withCounts()["counts"]
		case "reopen", "reset":
			f.poll["state"] = "open"
			for _, k := range []string{"right", "why", "counts"} {
				delete(f.poll, k)
			}
			if in["do"] == "reset" {
				f.answers = map[string]int{}
				f.poll["round"] = f.poll["round"].(int) + 1
				f.poll["answered"] = 0
			}
		}
		f.all("poll", f.poll)
		f.rooms()
		return m{}, 200
	})
	events := func(trainer bool) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			lang := r.FormValue("lang")
			s := make(chan string, 100)
			f.mu.Lock()
			f.subs[s] = lang
			if trainer {
				f.trainer[s] = true
			}
			var g *engine.Frame
			at := len(f.frames[lang])
			if at > 0 {
				g = f.frames[lang][at-1]
				if !trainer {
					g = without(g)
				}
			}
			p := f.poll
			if p != nil {
				p = m{}
				for k, v := range f.poll {
					p[k] = v
				}
				p["mine"] = nil
				if me := me(r); me != nil {
					if a, ok := f.answers[me["name"].(string)]; ok {
						p["mine"] = a
					}
				}
				if trainer {
					p["counts"] = f.withCounts()["counts"]
				}
			}
			push(s, "state", m{"epoch": "e1", "frame": g, "at": at, "poll": p, "contest": f.contest, "timer": f.left(), "online": len(f.subs), "joined": len(f.names), "join": "http://192.168.1.20:8067/",
				"agenda": []m{{"title": "SETNX", "place": "course:setnx", "minutes": 5, "now": true}, {"title": "SET NX EX and plain DEL", "place": "course:set-del", "minutes": 8}}})
			f.rooms()
			f.mu.Unlock()
			defer func() { f.mu.Lock(); delete(f.subs, s); delete(f.trainer, s); f.mu.Unlock() }()
			w.Header().Set("Content-Type", "text/event-stream")
			rc := http.NewResponseController(w)
			tick := time.NewTicker(15 * time.Second)
			defer tick.Stop()
			for {
				select {
				case text := <-s:
					_, _ = w.Write([]byte(text))
				case <-tick.C:
					_, _ = w.Write([]byte(":\n\n"))
				case <-r.Context().Done():
					return
				}
				if rc.Flush() != nil {
					return
				}
			}
		}
	}
	f.mux.HandleFunc("/api/events", events(false))
	f.mux.HandleFunc("/api/trainer/events", events(true))
}

func (f *fake) rooms() {
	for s := range f.trainer {
		push(s, "room", m{"driver": f.driver, "you": f.driver == "Trainer", "lost": []m{{"poll": "x", "question": "Whose lock does B's DEL remove?", "wrong": 12, "answered": 20, "missing": 9}}, "missing": []string{"Quiet Heron 3"}})
		if f.poll != nil {
			push(s, "poll", f.withCounts())
		}
	}
}
