package workshop

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"lockstep/internal/testkit"
	"lockstep/internal/web/engine"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A hall is a workshop with a server, in a test.
type hall struct {
	*testing.T
	*Server
	web *httptest.Server
}

// opened opens the workshop in a file, until the test ends or shut is called.
func opened(t *testing.T, file string) *hall {
	t.Helper()
	s := testkit.Must(New(t.Context(), Options{File: file, Tell: func(err error) { t.Log(err) }}))(t)
	h := &hall{t, s, httptest.NewServer(s.handler())}
	t.Cleanup(h.shut)
	return h
}

// anew opens a new workshop.
func anew(t *testing.T) *hall {
	t.Helper()
	return opened(t, filepath.Join(t.TempDir(), "room.db"))
}

// again is the same workshop after a restart, with some who were there.
func (h *hall) again(stay ...*visitor) *hall {
	h.Helper()
	h.shut()
	next := opened(h.T, h.File)
	for _, v := range stay {
		v.hall, v.Client.Transport = next, next.web.Client().Transport
	}
	return next
}

func (h *hall) shut() {
	if h.web == nil {
		return
	}
	h.stop() // the streams end
	h.web.Close()
	h.web = nil
	if err := h.Close(); err != nil {
		h.Error(err)
	}
}

// A visitor is a browser.
type visitor struct {
	*hall
	http.Client
	jar map[string]string
}

func (h *hall) visitor() *visitor {
	v := &visitor{hall: h, jar: map[string]string{}}
	v.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	v.Client.Transport = h.web.Client().Transport
	return v
}

// ask sends a request and returns the status and the text.
func (v *visitor) ask(method, path string, body any, headers ...string) (int, string) {
	v.Helper()
	text, is := body.(string)
	if !is {
		text = string(testkit.Must(json.Marshal(body))(v))
	}
	r := testkit.Must(http.NewRequestWithContext(v.Context(), method, v.web.URL+path, strings.NewReader(text)))(v)
	if text != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	for name, value := range v.jar {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	got := testkit.Must(v.Do(r))(v)
	defer func() { _ = got.Body.Close() }()
	for _, c := range got.Cookies() {
		v.jar[c.Name] = c.Value
		if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode {
			v.Errorf("a cookie is %v", c)
		}
	}
	answer := testkit.Must(io.ReadAll(got.Body))(v)
	return got.StatusCode, strings.TrimSpace(string(answer))
}

// wants is ask for an answer that is to have a status, and to say something.
func (v *visitor) wants(status int, method, path string, body any, says ...string) string {
	v.Helper()
	got, said := v.ask(method, path, body)
	if got != status || lacks(said, says) {
		v.Errorf("%s %s %.99v: %d %s, want %d %q", method, path, body, got, said, status, says)
	}
	return said
}

// lacks reports whether a text has not all of the others.
func lacks(text string, says []string) bool {
	return slices.ContainsFunc(says, func(s string) bool { return !strings.Contains(text, s) })
}

// must is ask for a POST that is to succeed.
func (v *visitor) must(path string, body any) string {
	v.Helper()
	return v.wants(http.StatusOK, "POST", path, body)
}

func (h *hall) participant(name, team string) *visitor {
	h.Helper()
	v := h.visitor()
	v.must("/api/join", m{"name": name, "team": team})
	return v
}

func (h *hall) trainer() *visitor {
	h.Helper()
	v := h.visitor()
	v.wants(http.StatusSeeOther, "GET", "/trainer?key="+h.Key(), "")
	return v
}

type m = map[string]any

// shared is what participants have handed in.
func (v *visitor) shared() (list []shared) {
	v.Helper()
	testkit.OK(v, json.Unmarshal([]byte(v.wants(http.StatusOK, "GET", "/api/trainer/shared", "")), &list))
	return list
}

// events are what a visitor hears from now on: kind and data.
func (v *visitor) events(path string, headers ...string) <-chan [2]string {
	v.Helper()
	r := testkit.Must(http.NewRequestWithContext(v.Context(), "GET", v.web.URL+path, nil))(v)
	for name, value := range v.jar {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	got, err := v.Do(r) // it asks for gzip
	if err != nil || got.StatusCode != http.StatusOK {
		v.Fatalf("%v, %v", got, err)
	}
	out := make(chan [2]string, 100)
	go func() {
		defer close(out)
		defer func() { _ = got.Body.Close() }()
		lines := bufio.NewScanner(got.Body)
		lines.Buffer(nil, 4<<20)
		kind := ""
		for lines.Scan() {
			if k, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				kind = k
			} else if d, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				out <- [2]string{kind, d}
			}
		}
	}()
	return out
}

// heard waits for an event of a kind, or of any for "", that has a text.
func heard(t *testing.T, events <-chan [2]string, kind string, has ...string) string {
	t.Helper()
	late := time.After(5 * time.Minute)
	for {
		select {
		case e, ok := <-events:
			if !ok {
				t.Fatalf("the stream ended before %s %q", kind, has)
			}
			if (kind == "" || e[0] == kind) && !lacks(e[1], has) {
				return e[1]
			}
		case <-late:
			t.Fatalf("no %s with %q", kind, has)
		}
	}
}

// TestJoin: who joins is the same after a reload and a restart, under a name of its own or
// an invented one, and nobody else is it.
func TestJoin(t *testing.T) {
	h := anew(t)
	a, b := h.participant("Ada", "red"), h.participant("", "")
	a.wants(http.StatusOK, "GET", "/api/me", "", `{"id":1,"name":"Ada","team":"red"}`)
	if said := a.must("/api/join", m{}); said != `{"id":1,"name":"Ada","team":"red"}` {
		t.Errorf("again: %s", said)
	}
	if said := a.must("/api/join", m{"name": "Eve\u202e"}); said != `{"id":1,"name":"Eve","team":""}` {
		t.Errorf("renamed: %s", said)
	}
	if _, said := b.ask("GET", "/api/me", ""); !strings.Contains(said, `"id":2,"name":"`) || strings.Contains(said, `"name":""`) {
		t.Errorf("invented: %s", said)
	}
	for _, jar := range []map[string]string{{}, {"lockstep": ""}, {"lockstep": "guessed"}, {"lockstep": strings.Repeat("x", 5000)}} {
		v := h.visitor()
		v.jar = jar
		v.wants(http.StatusUnauthorized, "GET", "/api/me", "")
	}
	h = h.again(a)
	a.wants(http.StatusOK, "GET", "/api/me", "", `{"id":1,"name":"Eve","team":""}`)
	if _, err := openStore(h.File); err == nil {
		t.Error("two have the same file")
	}
}

// told is a poll as an event has it.
func told(t *testing.T, text string) (p pollView) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return p
}

const theStory = "del_removes_the_next_holders_lock"

// TestClass: a trainer shows a story; its question is a poll, whose answers are counted
// once each and hidden until the end; a restart loses nothing.
func TestClass(t *testing.T) {
	h := anew(t)
	trainer, a, b := h.trainer(), h.participant("A", ""), h.participant("B", "")
	en, zh, room := a.events("/api/events?lang=en"), b.events("/api/events?lang=zh"), trainer.events("/api/trainer/events?lang=en")
	heard(t, en, "state", `"epoch":"`)
	heard(t, zh, "state")
	heard(t, room, "room", `"driver":""`)
	trainer.must("/api/trainer/drive", m{"place": theStory})
	heard(t, room, "room", `"driver":"Trainer"`, `"you":true`)
	heard(t, en, "frame", theStory+"@1")
	trainer.must("/api/trainer/drive", m{"press": "G"}) // to the first question
	p := told(t, heard(t, en, "poll", `"state":"open"`))
	if p.Counts != nil || p.Right != nil || p.Why != "" || len(p.Options) < 2 {
		t.Errorf("%+v", p)
	}
	if said := heard(t, zh, "poll", `"state":"open"`, p.ID); strings.Contains(said, p.Question) {
		t.Errorf("in Chinese: %s", said)
	}
	if whole := heard(t, room, "frame", `"kind":"ask"`); strings.Contains(whole, `"Right"`) {
		t.Error("the trainer's frame has the answer")
	}
	if _, said := a.ask("GET", "/api/frames?lang=en&from=1&to=100", ""); strings.Contains(said, `"kind":"ask"`) || strings.Count(said, `"at":`) < 2 {
		t.Errorf("earlier frames: %.200s", said)
	}
	a.must("/api/answer", m{"poll": p.ID, "choice": 0})
	a.must("/api/answer", m{"poll": p.ID, "choice": 1})
	a.must("/api/answer", m{"poll": p.ID, "choice": 1})
	b.must("/api/answer", m{"poll": p.ID, "choice": 0})
	for body, want := range map[string]int{
		`{"poll":"none","choice":0}`:                   http.StatusConflict,
		`{"poll":"` + p.ID + `","choice":99}`:          http.StatusBadRequest,
		`{"poll":"` + p.ID + `","choice":-1}`:          http.StatusBadRequest,
		`{"poll":`:                                     http.StatusBadRequest,
		`{"poll":"` + strings.Repeat("x", 9999) + `"}`: http.StatusRequestEntityTooLarge,
	} {
		a.wants(want, "POST", "/api/answer", body)
	}

	h.again(trainer, a, b)
	en = a.events("/api/events?lang=en")
	heard(t, trainer.events("/api/trainer/events?lang=en"), "room", `"driver":"Trainer"`, `"you":true`)
	back := heard(t, en, "state")
	if !strings.Contains(back, `"mine":1`) || !strings.Contains(back, `"answered":2`) {
		t.Errorf("after a restart: %.300s", back)
	}
	trainer.must("/api/trainer/poll", m{"do": "reveal", "id": p.ID})
	end := told(t, heard(t, en, "poll", `"state":"revealed"`))
	if end.Counts[0] != 1 || end.Counts[1] != 1 || end.Right == nil {
		t.Errorf("%+v", end)
	}
	if status, said := b.ask("POST", "/api/answer", `{"poll":"`+p.ID+`","choice":0}`, "Accept-Language", "zh-CN"); status != http.StatusConflict || !strings.Contains(said, "投票已关闭") {
		t.Errorf("after the end: %d %s", status, said)
	}
	trainer.must("/api/trainer/poll", m{"do": "reset", "id": p.ID})
	if again := told(t, heard(t, en, "poll", `"state":"open"`, `"round":2`)); again.Answered != 0 {
		t.Errorf("%+v", again)
	}
	for _, names := range []string{"0", "1"} {
		_, text := trainer.ask("GET", "/api/trainer/report?format=markdown&names="+names, "")
		if !strings.Contains(text, "2 joined") || !strings.Contains(text, "### ") {
			t.Errorf("the report: %s", text)
		}
	}
}

// TestQuestion: a question of the trainer's own; names are in the report only if asked
// for, and mean nothing there but themselves.
func TestQuestion(t *testing.T) {
	h := anew(t)
	trainer, a := h.trainer(), h.participant("<b>*Ada*</b>", "")
	for _, bad := range []m{
		{"do": "ask", "question": "", "options": []string{"a", "b"}},
		{"do": "ask", "question": "?", "options": []string{"a"}},
		{"do": "ask", "question": "?", "options": []string{"a", " "}},
		{"do": "ask", "question": "?", "options": strings.Split("abcdefghi", "")},
		{"do": "ask", "question": "?", "options": []string{"a", "b"}, "right": 2},
		{"do": "explode", "id": "own/1"},
		{"do": "close", "id": "own/1"},
	} {
		trainer.wants(http.StatusBadRequest, "POST", "/api/trainer/poll", bad)
	}
	trainer.must("/api/trainer/poll", m{"do": "ask", "question": "Ready?", "options": []string{"yes", "no"}, "right": 0, "why": "Because."})
	a.must("/api/answer", m{"poll": "own/1", "choice": 0})
	trainer.must("/api/trainer/poll", m{"do": "close", "id": "own/1"})
	a.wants(http.StatusConflict, "POST", "/api/answer", m{"poll": "own/1", "choice": 1})
	_, without := trainer.ask("GET", "/api/trainer/report?format=markdown", "")
	_, page := trainer.ask("GET", "/api/trainer/report?format=html&names=1", "")
	if strings.Contains(without, "Ada") || !strings.Contains(without, "1 of 1 right") {
		t.Errorf("%s", without)
	}
	if strings.Contains(page, "<b>") || strings.Contains(page, "<em>") || !strings.Contains(page, "&lt;b&gt;*Ada*&lt;/b&gt;") {
		t.Errorf("%s", page)
	}
}

// TestContest: a result counts only if it can be played and reaches the goal, and only while
// the contest is open.
func TestContest(t *testing.T) {
	h := anew(t)
	trainer, a, b := h.trainer(), h.participant("A", "red"), h.participant("B", "")
	level := h.levels["oversell"]
	solved := solution(t, level)
	best := history.Token(level.Config, solved)
	result := func(status int, v *visitor, token string, says ...string) {
		t.Helper()
		v.wants(status, "POST", "/api/result", m{"level": "oversell", "token": token}, says...)
	}
	result(http.StatusConflict, a, best)
	trainer.must("/api/trainer/contest", m{"do": "set", "level": "oversell", "by": "person"})
	result(http.StatusConflict, a, best)
	trainer.must("/api/trainer/contest", m{"do": "open"})
	other := history.Default()
	other.Strategy = "setnx"
	for token, want := range map[string]string{
		"":                                      "token",
		"ls1.nonsense":                          "token",
		history.Token(level.Config, nil):        "do not reach the goal",
		history.Token(level.Config, solved[:3]): "do not reach the goal",
		history.Token(other, solved):            "another world",
		history.Token(level.Config, slices.Repeat(history.Schedule{{Verb: history.Crash, Client: "A"}}, 20)): "cannot be played",
		history.Token(level.Config, slices.Repeat(history.Schedule{{Verb: history.Step, Client: "A"}}, 600)): "at most 500",
	} {
		result(http.StatusUnprocessableEntity, a, token, want)
	}
	result(http.StatusOK, a, best, fmt.Sprintf(`"best":true,"rank":1,"steps":%d`, len(solved)))
	result(http.StatusOK, b, best, `"rank":1`) // as many steps
	result(http.StatusUnauthorized, h.visitor(), best)
	heard(t, h.again().visitor().events("/api/events?lang=en"), "state", `"board":[{"rank":1,"name":"A","team":"red"`, `"state":"open"`)
}

// solution is the shortest way to the goal of a level, by the explorer.
func solution(t *testing.T, l *scenarios.Level) (way history.Schedule) {
	t.Helper()
	engine.Explore(t.Context(), engine.Job{ID: 1, Level: l.ID}, func(f engine.Finding) {
		if f.Report != nil {
			for _, found := range f.Report.Found {
				if found.Violation.Invariant == l.Goal {
					way = found.Schedule
				}
			}
		}
	})
	if way == nil {
		t.Fatalf("%s: the explorer finds no way", l.ID)
	}
	return way
}

// TestShare: a story or a token that can be played is kept for the trainer; code and
// nonsense are not.
func TestShare(t *testing.T) {
	h := anew(t)
	trainer, a := h.trainer(), h.participant("A", "red")
	text := "world strategy=setnx clients=A,B ttl=5s\n----\n\nrun A until=in-critical\n----\n\ncrash A\n----\n"
	a.must("/api/share", m{"title": "  A crash\u202e ", "text": text})
	for _, bad := range []string{"", "package main", "ls1.x", "lst1.x", "world strategy=none\n----\n"} {
		a.wants(http.StatusUnprocessableEntity, "POST", "/api/share", m{"title": "x", "text": bad})
	}
	list := trainer.shared()
	if len(list) != 1 || list[0].Title != "A crash" || list[0].Team != "red" {
		t.Fatalf("%+v", list)
	}
	events := a.events("/api/events?lang=en")
	heard(t, events, "state")
	trainer.must("/api/trainer/drive", m{"place": list[0].Place})
	heard(t, events, "frame", "strategy=setnx")
}

// TestDrivers: only one trainer drives; another one can take over.
func TestDrivers(t *testing.T) {
	h := anew(t)
	one, two, a := h.trainer(), h.trainer(), h.participant("A", "")
	one.must("/api/trainer/drive", m{"press": "down"})
	two.wants(http.StatusConflict, "POST", "/api/trainer/drive", m{"press": "down"}, "Trainer drives")
	two.must("/api/trainer/take", m{"name": "Grace"})
	two.must("/api/trainer/drive", m{"press": "up"})
	one.wants(http.StatusConflict, "POST", "/api/trainer/drive", m{"press": "down"}, "Grace drives")
	for _, path := range []string{"drive", "take", "poll", "contest", "timer", "clear"} {
		a.wants(http.StatusUnauthorized, "POST", "/api/trainer/"+path, m{})
	}
	for _, path := range []string{"/api/trainer/events", "/api/trainer/shared", "/api/trainer/levels", "/api/trainer/report", "/trainer", "/trainer?key=", "/trainer?key=guessed"} {
		a.wants(http.StatusUnauthorized, "GET", path, "")
	}
	one.must("/api/trainer/timer", m{"minutes": 5})
	for _, bad := range []any{-1, 1e9, "x"} {
		one.wants(http.StatusBadRequest, "POST", "/api/trainer/timer", m{"minutes": bad})
	}
}

// TestHostile: no request of another site counts, none is too large, none too frequent; no
// file is served but those of the pages.
func TestHostile(t *testing.T) {
	h := anew(t)
	a := h.participant("A", "")
	for _, headers := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Origin", "https://elsewhere.example"}} {
		if status, _ := a.ask("POST", "/api/join", `{"name":"Mallory"}`, headers...); status != http.StatusForbidden {
			t.Errorf("%q: %d", headers, status)
		}
	}
	if status, _ := a.ask("POST", "/api/join", `{"name":"Mallory"}`, "Content-Type", "text/plain"); status != http.StatusUnsupportedMediaType {
		t.Errorf("as text: %d", status)
	}
	for _, path := range []string{"/../go.mod", "/static/room.html", "/room.db", "/site/", "/api/", "/words.en.json/", "/api/trainer/../join"} {
		if status, _ := a.ask("GET", path, ""); status != http.StatusNotFound && status != http.StatusTemporaryRedirect && status != http.StatusMovedPermanently {
			t.Errorf("%s: %d", path, status)
		}
	}
	for _, path := range []string{"/", "/beamer", "/room.js", "/draw.js", "/style.css", "/words.zh.json", "/qr.svg"} {
		a.wants(http.StatusOK, "GET", path, "")
	}
	refused := 0
	for range 2 * ownBurst {
		if status, _ := a.ask("GET", "/api/me", ""); status == http.StatusTooManyRequests {
			refused++
		}
	}
	if refused == 0 {
		t.Error("a participant may ask as often as it likes")
	}
	if b := h.participant("B", ""); b.jar["lockstep"] == "" {
		t.Error("so nobody else gets in")
	}
}

// TestStreams: a reader gets the latest of each kind; the oldest of too many streams of one
// participant ends.
func TestStreams(t *testing.T) {
	h := anew(t)
	a := h.participant("A", "")
	first := a.events("/api/events?lang=en")
	heard(t, first, "state")
	var rest []<-chan [2]string
	for range maxStreams {
		e := a.events("/api/events?lang=en")
		heard(t, e, "state")
		rest = append(rest, e)
	}
	late := time.After(5 * time.Minute)
	ended := 0
	for _, e := range append(rest, first) {
		select {
		case _, more := <-e:
			if !more {
				ended++
			}
		case <-late:
			t.Fatal("none ends")
		default:
		}
	}
	h.mu.Lock()
	n := h.room.people[1].streams
	h.mu.Unlock()
	if n > maxStreams+1 {
		t.Errorf("%d streams", n)
	}
}

// TestMessages: what is compressed once can stand anywhere in a stream.
func TestMessages(t *testing.T) {
	var all, want []byte
	all = append(all, gzipHeader...)
	for i := range 5 {
		msg := newMessage("frame", i, strings.Repeat(fmt.Sprint("text ", i), 100*i))
		all, want = append(all, msg.packed...), append(want, msg.plain...)
	}
	z := testkit.Must(gzip.NewReader(strings.NewReader(string(all))))(t)
	got := make([]byte, len(want))
	if _, err := io.ReadFull(z, got); err != nil || string(got) != string(want) {
		t.Errorf("%d bytes of %d, %v", len(got), len(want), err)
	}
}

// TestStore: many writes at once are few transactions, and one that fails does not end the
// store.
func TestStore(t *testing.T) {
	file := filepath.Join(t.TempDir(), "room.db")
	s := testkit.Must(openStore(file))(t)
	var all sync.WaitGroup
	for i := range 300 {
		all.Go(func() {
			if err := s.change(t.Context(), nil, []any{"INSERT INTO answers VALUES ('p', 1, ?, 0)", i}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if err := s.change(t.Context(), nil, []any{"INSERT INTO nowhere VALUES (1)"}); err == nil {
		t.Error("it writes into no table")
	}
	testkit.OK(t, s.change(t.Context(), nil, []any{"INSERT INTO answers VALUES ('q', 1, 1, 0)"}))
	testkit.OK(t, s.close())
	s = testkit.Must(openStore(file))(t)
	n := 0
	if err := s.each("SELECT count(*) FROM answers", func() {}, &n); err != nil || n != 301 {
		t.Errorf("%d answers, %v", n, err)
	}
	testkit.OK(t, s.close())
	testkit.OK(t, os.WriteFile(file, []byte("no database, and long enough not to be taken for an empty one"), 0o600))
	if _, err := openStore(file); err == nil || !strings.Contains(err.Error(), "not a room of lockstep workshop") {
		t.Errorf("%v", err)
	}
}

// TestLeftBehind: a poll closes when the trainer leaves its question, once: one that is
// opened again stays open. In another story it is gone.
func TestLeftBehind(t *testing.T) {
	h := anew(t)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.room.ask(aPoll("a_story/1/0"))
	p := h.room.current
	h.goesOn("")
	if p.State != isOpen {
		t.Error("a frame without a place closes it")
	}
	h.goesOn("a_story@4")
	if p.State != isClosed {
		t.Errorf("left behind it is %s", p.State)
	}
	p.do("reopen")
	h.goesOn("a_story@5")
	if p.State != isOpen || h.room.current != p {
		t.Errorf("opened again it is %s", p.State)
	}
	h.goesOn("another_story@1")
	if h.room.current != nil {
		t.Error("it is shown in another story")
	}
}
