package web

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// TestServe: the files of a site and nothing else, to be read and nothing else.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	site := Site{"index.html": []byte("<p>start"), "app.js": []byte("1"), "engine.bin": []byte("\x1f"), "style.css": []byte("p{}")}
	if err := site.Write(dir); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "secret.html")
	put(t, filepath.Dir(secret), "secret.html", "secret")
	put(t, dir, ".env", "secret")
	put(t, dir, "notes.txt", "secret")
	if err := os.Symlink(secret, filepath.Join(dir, "link.html")); err != nil {
		t.Skip(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "sub.html"), 0o755); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	h := handler(root)
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
		{"GET", "/none.html", 404, "", "not found"}, {"GET", "/sub.html", 404, "", "not found"}, {"GET", "/sub.html/", 404, "", "not found"},
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

// TestServeEnds: with its context, and nothing is left of it; a folder that is no site
// is not served at all.
func TestServeEnds(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	dir := t.TempDir()
	if err := (Site{"index.html": []byte("start")}).Write(dir); err != nil {
		t.Fatal(err)
	}
	l := listen(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, dir, l) }()
	client := &http.Client{Transport: &http.Transport{}}
	r, err := client.Get("http://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
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
	l = listen(t)
	if err := Serve(t.Context(), t.TempDir(), l); err == nil || !strings.Contains(err.Error(), "is no site") {
		t.Errorf("%v", err)
	}
	if _, err := l.Accept(); err == nil {
		t.Error("it still listens")
	}
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}
