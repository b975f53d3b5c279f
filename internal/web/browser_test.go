package web

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"lockstep/internal/testkit"
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
	if err := siteOf(t).Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// served is the address of the site, until stop or the end of the test.
func served(t *testing.T) (url string, stop func()) {
	t.Helper()
	l := listen(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	server, err := Open(written(t))
	if err != nil {
		t.Fatal(err)
	}
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

// chromium is a browser for the tests of one process.
func chromium(t *testing.T) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium: Debian's package of that name has it")
	}
	o := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()), chromedp.Flag("disable-quic", true))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), o...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil { // starts it
		t.Fatal(err)
	}
	return ctx
}

// A tab is a page of the browser.
type tab struct {
	*testing.T
	ctx context.Context
}

// A look is a size and a colour scheme.
type look struct {
	width, height int64
	scale         float64
	scheme        string // "dark" or "light"
	language      string
}

var desktop = look{1280, 800, 1, "dark", "en-US"}

// visit opens an address in a tab of its own, with nothing kept, and waits for the
// first frame.
func visit(t *testing.T, browser context.Context, url string, l look) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	p := &tab{t, ctx}
	p.do(
		call(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: l.width, Height: l.height, DeviceScaleFactor: l.scale}),
		call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: l.scheme}}}),
		call(emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: "Lockstep test", AcceptLanguage: l.language}),
		chromedp.Navigate(url),
	)
	p.until(`document.querySelector("#keys button") !== null`)
	return p
}

// call is a command of the protocol as an action.
func call[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

// until waits until an expression of JavaScript is true, however slow the machine is.
func (p *tab) until(expression string) {
	p.Helper()
	if _, err := chromedp.Run(p.ctx, chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(2*time.Minute))); err != nil {
		p.shot("failed")
		p.Fatalf("never %s: %v in\n%s", expression, err, p.text())
	}
}

func (p *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.shot("failed")
		p.Fatal(err)
	}
}

// press presses keys of the keyboard, by the names of the pages.
func (p *tab) press(names ...string) {
	p.Helper()
	keys := map[string]string{"enter": kb.Enter, "esc": kb.Escape, "up": kb.ArrowUp, "down": kb.ArrowDown, "left": kb.ArrowLeft, "right": kb.ArrowRight, "tab": kb.Tab, "pgdown": kb.PageDown, "pgup": kb.PageUp}
	for _, name := range names {
		key := name
		if k, ok := keys[name]; ok {
			key = k
		}
		p.do(chromedp.KeyEvent(key))
	}
}

// sees waits until the page has all the texts.
func (p *tab) sees(texts ...string) {
	p.Helper()
	for _, text := range texts {
		p.until(`document.body.innerText.replace(/\s+/g, " ").includes(` + quote(text) + `)`)
	}
}

func (p *tab) text() string {
	text, _ := chromedp.Run(p.ctx, chromedp.Evaluate[string](`document.body.innerText`))
	return text
}

// eval is what an expression of JavaScript gives.
func eval[V any](p *tab, expression string) V {
	p.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[V](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.Fatalf("%s: %v", expression, err)
	}
	return v
}

// shot keeps a picture in the folder that LOCKSTEP_SHOTS names.
func (p *tab) shot(name string) {
	p.Helper()
	dir := os.Getenv("LOCKSTEP_SHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.Log(err)
		return
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		p.Error(err)
	}
}

func quote(text string) string {
	return "`" + strings.NewReplacer("`", "\\`", `\`, `\\`, "$", `\$`).Replace(text) + "`"
}

// script runs a line of JavaScript.
func script(line string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := chromedp.Evaluate[any](line)(ctx, t)
		return err
	})
}
