package web

import (
	"context"
	"maps"
	"path/filepath"
	"sync"
	"testing"

	"lockstep/internal/matrix"
	"lockstep/internal/testkit"
	"lockstep/internal/testkit/chrome"
	"lockstep/scenarios"
	"lockstep/sim/explore"
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

var computed struct {
	once  sync.Once
	cells []explore.Report
	err   error
}

// withMatrix is the site with cells of two locks. A page without any computes the whole matrix,
// which takes the processors for minutes.
func withMatrix(t *testing.T) Site {
	t.Helper()
	computed.once.Do(func() {
		locks := []explore.Lock{testkit.Must(scenarios.LockOf("setnx"))(t), testkit.Must(scenarios.LockOf("set-del"))(t)}
		computed.cells, computed.err = explore.Matrix(t.Context(), locks, explore.Hazards(), explore.Within(matrix.Limits(1<<28), "A", "B"), 1, nil, nil)
	})
	testkit.OK(t, computed.err)
	site := maps.Clone(siteOf(t))
	testkit.OK(t, site.TakeMatrix(computed.cells, "lockstep v9"))
	return site
}

// written is a site in a folder.
func written(t *testing.T, site Site) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "site")
	testkit.OK(t, site.Write(dir))
	return dir
}

// served is the address of a site, until stop or the end of the test.
func served(t *testing.T, site Site) (url string, stop func()) {
	t.Helper()
	l := listen(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	server := testkit.Must(Open(written(t, site)))(t)
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
