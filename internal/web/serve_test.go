package web

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"lockstep/internal/testkit"
)

// TestServe: the files of a site and nothing else, to be read and nothing else.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	site := Site{"index.html": []byte("<p>start"), "app.js": []byte("1"), "engine.bin": []byte("\x1f"), "style.css": []byte("p{}")}
	testkit.OK(t, site.Write(dir))
	secret := filepath.Join(t.TempDir(), "secret.html")
	put(t, filepath.Dir(secret), "secret.html", "secret")
	put(t, dir, ".env", "secret")
	put(t, dir, "notes.txt", "secret")
	if err := os.Symlink(secret, filepath.Join(dir, "link.html")); err != nil {
		t.Skip(err)
	}
	testkit.OK(t, os.Mkdir(filepath.Join(dir, "sub.html"), 0o755))
	if err := exec.Command("mkfifo", filepath.Join(dir, "pipe.html")).Run(); err != nil {
		t.Log("no pipe:", err)
	}
	root := testkit.Must(os.OpenRoot(dir))(t)
	defer func() { _ = root.Close() }()
	h := handler(root, stall)
	for _, c := range []struct {
		method, path string
		code         int
		kind, body   string
	}{
		{"GET", "/", 200, "text/html; charset=utf-8", "<p>start"},
		{"GET", "/index.html", 200, "text/html; charset=utf-8", "<p>start"},
		{"HEAD", "/app.js", 200, "text/javascript; charset=utf-8", ""},
		{"GET", "/engine.bin", 200, "application/octet-stream", "\x1f"},
		{"GET", "/style.css?x=1", 200, "text/css; charset=utf-8", "p{}"},
		{"POST", "/", 405, "", "only"}, {"PUT", "/new.html", 405, "", "only"}, {"DELETE", "/app.js", 405, "", "only"},
		{"GET", "/none.html", 404, "", "not found"}, {"GET", "/sub.html", 404, "", "not found"}, {"GET", "/sub.html/", 404, "", "not found"}, {"GET", "/pipe.html", 404, "", "not found"},
		{"GET", "/.env", 404, "", "not found"}, {"GET", "/notes.txt", 404, "", "not found"}, {"GET", "/link.html", 404, "", "not found"},
		{"GET", "/../" + filepath.Base(dir) + "/app.js", 404, "", "not found"}, {"GET", "/%2e%2e/secret.html", 404, "", "not found"},
		{"GET", `/..\app.js`, 404, "", "not found"}, {"GET", "//app.js", 404, "", "not found"}, {"GET", "/a\x00.html", 404, "", "not found"},
	} {
		r, _ := http.NewRequest(c.method, "http://x/", nil)
		path, query, _ := strings.Cut(c.path, "?")
		r.URL.Path, r.URL.RawQuery = strings.ReplaceAll(path, "%2e", "."), query
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		got := w.Body.String()
		if w.Code != c.code || c.kind != "" && w.Header().Get("Content-Type") != c.kind || c.code == 200 && got != c.body || !strings.Contains(strings.ToLower(got), c.body) {
			t.Errorf("%s %s: %d %s %q", c.method, c.path, w.Code, w.Header(), got)
		}
	}
}

// TestServeEnds: with its context, and nothing is left of it. A folder that is no site
// is not opened.
func TestServeEnds(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	dir := t.TempDir()
	testkit.OK(t, (Site{"index.html": []byte("start")}).Write(dir))
	l := listen(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	server := testkit.Must(Open(dir))(t)
	defer server.Close()
	go func() { ended <- server.Serve(ctx, l) }()
	client := &http.Client{Transport: &http.Transport{}}
	r := testkit.Must(client.Get("http://" + l.Addr().String()))(t)
	text, _ := io.ReadAll(r.Body)
	_ = r.Body.Close()
	if string(text) != "start" {
		t.Errorf("%q", text)
	}
	client.CloseIdleConnections()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is not a site") {
		t.Errorf("%v", err)
	}
	testkit.OK(t, os.Remove(filepath.Join(dir, "index.html")))
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "is not a whole site: it has no index.html") {
		t.Errorf("half of a site: %v", err)
	}
}

// TestServeManyRanges: who asks for several parts gets the whole, since parts are
// put together in memory.
func TestServeManyRanges(t *testing.T) {
	h, _ := site(t, 100)
	for _, c := range []struct {
		ranges  string
		code    int
		written int64
	}{{"bytes=0-9", http.StatusPartialContent, 10}, {"bytes=0-9,20-29", http.StatusOK, 100}} {
		r := httptest.NewRequest(http.MethodGet, "/engine.bin", nil)
		r.Header.Set("Range", c.ranges)
		s := &sink{header: http.Header{}, code: http.StatusOK}
		if h.ServeHTTP(s, r); s.code != c.code || s.written != c.written {
			t.Errorf("%s: %d, %d bytes", c.ranges, s.code, s.written)
		}
	}
}

// site is the handler of a folder with one file, engine.bin.
func site(t *testing.T, size int64) (h http.Handler, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "engine.bin")
	put(t, filepath.Dir(file), filepath.Base(file), "")
	testkit.OK(t, os.Truncate(file, size))
	root := testkit.Must(os.OpenRoot(filepath.Dir(file)))(t)
	t.Cleanup(func() { _ = root.Close() })
	return handler(root, stall), file
}

// A sink is a response that counts what is written.
type sink struct {
	header  http.Header
	code    int
	written int64
}

func (s *sink) Header() http.Header  { return s.header }
func (s *sink) WriteHeader(code int) { s.code = code }
func (s *sink) Write(text []byte) (int, error) {
	s.written += int64(len(text))
	return len(text), nil
}

func get(h http.Handler, etag string) *sink {
	r := httptest.NewRequest(http.MethodGet, "/engine.bin", nil)
	if etag != "" {
		r.Header.Set("If-None-Match", etag)
	}
	s := &sink{header: http.Header{}}
	h.ServeHTTP(s, r)
	return s
}

// TestServeTakesLittleMemory: a response is read from its file while it is sent, so that
// many slow readers do not have a copy each.
func TestServeTakesLittleMemory(t *testing.T) {
	const size, most = 64 << 20, 1 << 20
	h, _ := site(t, size)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s := get(h, "")
	runtime.ReadMemStats(&after)
	if s.code != http.StatusOK || s.written != size {
		t.Errorf("%d, %d bytes", s.code, s.written)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > most {
		t.Errorf("an answer of %d bytes takes %d of memory, more than %d", size, took, most)
	}
}

// TestServeUnchanged: who has a file is told that it is the same, and only then.
func TestServeUnchanged(t *testing.T) {
	h, file := site(t, 100)
	etag := get(h, "").header.Get("ETag")
	if s := get(h, etag); s.code != http.StatusNotModified || s.written != 0 {
		t.Errorf("the same file: %d, %d bytes", s.code, s.written)
	}
	later := time.Unix(1_000_000_000, 1)
	testkit.OK(t, os.Chtimes(file, later, later))
	if s := get(h, etag); s.code != http.StatusOK || s.written != 100 {
		t.Errorf("a file that was written again: %d, %d bytes", s.code, s.written)
	}
}

// A caller is a connection from an address.
type caller struct {
	net.Conn
	at     string
	closed chan struct{}
}

func (c *caller) RemoteAddr() net.Addr { return addr(c.at) }
func (c *caller) Close() error         { close(c.closed); return nil }

type addr string

func (addr) Network() string  { return "tcp" }
func (a addr) String() string { return string(a) }

// TestGate: one connection too many takes the place of another: of an idle one, else of a new
// one or a stranger's request, else of a holder of a place, else of one that has used it; there of the
// address that has most, and of these the oldest.
func TestGate(t *testing.T) {
	for name, test := range map[string]struct {
		here string // address and rank of each, in the order in which they came
		goes int
	}{
		"the oldest silent one":             {"a1 a1 a1", 0},
		"the address that has most":         {"a1 b1 b1 c1", 1},
		"a class behind one, all known":     {"a2 a2 a2 b1", 3},
		"... and a stranger there":          {"a2 a2 a1 a2 a1", 2},
		"idle ones first":                   {"a1 a1 b0 a3", 2},
		"idle ones, where most are":         {"b0 a1 a0 a0", 2},
		"who has done nothing":              {"a3 a3 a2 b3", 2},
		"nobody else, but nobody kept out":  {"a3 a3 b3", 0},
		"none that came a moment ago":       {"a1 a1 b1 b1 b1", 2},
		"the trainer, alone at an address":  {"t3 a2 a2 a1 a1", 3},
		"a beamer among silent ones":        {"b1 a1 a1 a1", 1},
		"many addresses, each with as much": {"a1 b1 c1 d1", 0},
	} {
		words := strings.Fields(test.here)
		g := gate{most: len(words), open: map[net.Conn]*connection{}}
		enter := func(at string) (*caller, func(int)) {
			c := &caller{at: "192.0.2." + strconv.Itoa(int(at[0])) + ":1", closed: make(chan struct{})}
			r := httptest.NewRequest("GET", "/", nil)
			r = r.WithContext(g.enters(r.Context(), c))
			return c, func(rank int) { Ranks(r, rank) }
		}
		var all []*caller
		for _, word := range words {
			c, ranks := enter(word)
			all = append(all, c)
			switch word[1] {
			case '0':
				g.changes(c, http.StateActive)
				g.changes(c, http.StateIdle)
			case '1': // is new
			default:
				g.changes(c, http.StateActive)
				ranks(int(word[1] - '0'))
			}
		}
		last, _ := enter("x1")
		for i, c := range append(all, last) {
			if (g.open[c] == nil) != (i == test.goes) {
				t.Fatalf("%s: %d is open: %t, and %d has to go", name, i, g.open[c] != nil, test.goes)
			}
		}
		<-all[test.goes].closed
		g.changes(last, http.StateClosed)
		g.changes(all[test.goes], http.StateClosed) // the server hears of it later
		g.changes(all[test.goes], http.StateIdle)
		if len(g.open) != len(words)-1 {
			t.Errorf("%s: %d are open, and one has ended", name, len(g.open))
		}
	}
}

// TestServeBounds: whoever holds as many connections as there may be keeps nobody out, and
// not one that is served.
func TestServeBounds(t *testing.T) {
	l := listen(t)
	ctx, stop := context.WithCancel(t.Context())
	begun, end, ended := make(chan bool), make(chan bool), make(chan error)
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/known" {
			Ranks(r, Known)
			begun <- true
			<-end
		}
	})}
	const most = 5
	go func() { ended <- ServeUntil(ctx, l, most, server) }()
	dial := func(text string) net.Conn {
		c, err := net.Dial("tcp", l.Addr().String())
		if err == nil {
			_, err = io.WriteString(c, text)
		}
		testkit.OK(t, err)
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	known := dial("GET /known HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	<-begun
	for i := range 4 * most {
		dial([]string{"", "GET / HT", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"}[i%4])
		if got, err := io.ReadAll(dial("GET /new HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")); err != nil || !strings.Contains(string(got), "200 OK") {
			t.Errorf("after %d, a newcomer gets %q, %v", i, got, err)
		}
	}
	close(end)
	if got, err := io.ReadAll(known); err != nil || !strings.Contains(string(got), "200 OK") {
		t.Errorf("who is known gets %q, %v", got, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestAddress(t *testing.T) {
	for remote, want := range map[string]string{
		"192.0.2.7:1234": "192.0.2.7", "[::ffff:192.0.2.7]:1": "192.0.2.7",
		"[2001:db8:1:2:3:4:5:6]:1": "2001:db8:1:2::", "[2001:db8:1:2::9]:2": "2001:db8:1:2::", "[fe80::1%eth0]:3": "fe80::", "pipe": "",
	} {
		if got := Address(remote); got != want {
			t.Errorf("%s: %s, want %s", remote, got, want)
		}
	}
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	return l
}

// TestSlowReaders: an answer takes as long as its reader does, who is cut only without any
// progress.
func TestSlowReaders(t *testing.T) {
	const size, limit = 12 << 20, 150 * time.Millisecond
	dir := t.TempDir()
	testkit.OK(t, os.WriteFile(filepath.Join(dir, "engine.bin"), make([]byte, size), 0o644))
	root := testkit.Must(os.OpenRoot(dir))(t)
	defer func() { _ = root.Close() }()
	slowly(t, handler(root, limit), size, limit)
}

func slowly(t *testing.T, h http.Handler, size int, limit time.Duration) {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	g := gate{most: 10, open: map[net.Conn]*connection{}}
	server.Config.ConnContext, server.Config.ConnState = g.enters, g.changes
	server.Start()
	defer server.Close()
	ask := func() net.Conn {
		c := testkit.Must(net.Dial("tcp", server.Listener.Addr().String()))(t)
		_ = c.(*net.TCPConn).SetReadBuffer(64 << 10)
		testkit.Must(io.WriteString(c, "GET /engine.bin HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))(t)
		return c
	}
	slow := ask()
	defer func() { _ = slow.Close() }()
	read, began := 0, time.Now()
	buffer := make([]byte, 512<<10)
	for {
		n, err := slow.Read(buffer)
		read += n
		if err != nil {
			break
		}
		time.Sleep(time.Duration(n) * 4 * limit / time.Duration(size)) // four times as long as a stall may take
	}
	if read < size {
		t.Errorf("a slow reader got %d bytes of %d in %v", read, size, time.Since(began))
	}
	idle := ask()
	defer func() { _ = idle.Close() }()
	time.Sleep(10 * limit)
	n, err := io.Copy(io.Discard, idle)
	if n >= int64(size) {
		t.Errorf("a reader who takes nothing is not cut: %d bytes, %v", n, err)
	}
}
