package web

import (
	"context"
	"path/filepath"
	"sync"
	"testing"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/chrome"
)

// inABrowser skips a test that drives the site in a browser unless long tests run.
func inABrowser(t *testing.T) {
	t.Helper()
	testkit.Single(t)
	testkit.Long(t, "it compiles the engine and starts a browser; internal/web/engine tests the data that the site shows")
}

// The site is built once for all tests.
var built struct {
	once sync.Once
	site Site
	err  error
}

func siteOf(t *testing.T) Site {
	t.Helper()
	built.once.Do(func() {
		if built.site, built.err = Build(context.Background(), "../.."); built.err == nil {
			built.err = built.site.TakeCourse(context.Background(), "")
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.site
}

// written is the site in a folder.
func written(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "site")
	testkit.OK(t, siteOf(t).Write(dir))
	return dir
}

// served is the address of the site, until stop or the end of the test.
func served(t *testing.T) (url string, stop func()) {
	t.Helper()
	l := listen(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	server := testkit.Must(Open(written(t)))(t)
	go func() { ended <- server.Serve(ctx, l) }()
	stop = sync.OnceFunc(func() {
		defer server.Close()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	return "http://" + l.Addr().String() + "/", stop
}

// visit opens an address of the site and waits for the first frame.
func visit(t *testing.T, browser context.Context, url string, l chrome.Look) *chrome.Tab {
	t.Helper()
	p := chrome.Visit(t, browser, url, l)
	p.Until(`!document.getElementById("go").hidden`)
	return p
}
