package export

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/chrome"
)

// One browser for all tests: to start one takes longer than most of them.
var browser struct {
	sync.Once
	context.Context
	end context.CancelFunc
	err error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if browser.end != nil {
		browser.end()
	}
	os.Exit(code)
}

var errNoBrowser = errors.New("no chromium on the PATH")

func startBrowser() {
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		browser.err = errNoBrowser
		return
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.WSURLReadTimeout(time.Minute))
	allocator, endAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	first, end := chromedp.NewContext(allocator)
	browser.Context, browser.end = first, func() { end(); endAllocator() }
	browser.err = chromedp.Do(first)
}

// A tab is one page of the browser, and what went wrong in it.
type tab struct {
	context.Context
	t       *testing.T
	mu      sync.Mutex
	trouble []string
	asked   []string // addresses that were asked for
}

func openTab(t *testing.T) *tab {
	t.Helper()
	testkit.Long(t, "a browser is slow; golden files hold the bytes of pages, and nothing quick runs their script")
	browser.Do(startBrowser)
	if errors.Is(browser.err, errNoBrowser) {
		t.Skip(browser.err)
	}
	if browser.err != nil {
		t.Fatal(browser.err)
	}
	ctx, end := chromedp.NewContext(browser.Context)
	ctx, stop := context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(func() { stop(); end() })
	b := &tab{Context: ctx, t: t}
	err := chromedp.Listen(ctx, func(event any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			b.trouble = append(b.trouble, fmt.Sprint(e.ExceptionDetails.Text, " ", e.ExceptionDetails.Exception))
		case *log.EventEntryAdded:
			b.trouble = append(b.trouble, e.Entry.Text)
		case *page.EventJavascriptDialogOpening:
			b.trouble = append(b.trouble, "a dialog: "+e.Message)
		case *network.EventRequestWillBeSent:
			b.asked = append(b.asked, e.Request.URL)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.Context, actions...); err != nil {
		b.t.Fatal(err)
	}
}

// open shows a text as a file of that name. The hash may be empty.
func (b *tab) open(name string, text []byte, hash string) {
	b.t.Helper()
	file := filepath.Join(b.t.TempDir(), name)
	if err := os.WriteFile(file, text, 0o644); err != nil {
		b.t.Fatal(err)
	}
	b.do(chromedp.Navigate("file://" + file + hash))
}

// eval evaluates JavaScript, and waits for a promise.
func eval[T any](b *tab, script string) T {
	b.t.Helper()
	value, err := chromedp.Run(b.Context, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", script, err)
	}
	return value
}

// want fails if JavaScript has another value.
func want[T comparable](b *tab, script string, value T) {
	b.t.Helper()
	if got := eval[T](b, script); got != value {
		b.t.Errorf("%s is %v, want %v", script, got, value)
	}
}

// quiet fails if anything went wrong, or anything but the page was asked for.
func (b *tab) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, trouble := range b.trouble {
		b.t.Errorf("the browser says: %s", trouble)
	}
	for _, address := range b.asked {
		if !strings.HasPrefix(address, "file://") {
			b.t.Errorf("the page asked for %s", address)
		}
	}
	b.trouble, b.asked = nil, nil
}

// size makes the window so large.
func (b *tab) size(width, height int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height))
}

func (b *tab) keys(names ...string) {
	b.t.Helper()
	for _, name := range names {
		b.do(chromedp.KeyEvent(name))
	}
}

// TestFingers: taps at random leave a page that lives, and what a page says for a phone comes
// about.
func TestFingers(t *testing.T) {
	pages := map[string][]byte{"course.html": first(chapterOf(t, "set-del", "en").HTML())}
	for _, name := range []string{sample, "thirty_clients_one_node"} {
		pages[name+".html"] = first(lessonOf(t, name, "en").HTML())
	}
	axe, err := os.ReadFile(filepath.Join(modules(t), "axe-core", "axe.min.js"))
	if err != nil {
		t.Skip(err)
	}
	for name, text := range pages {
		for _, hash := range []string{"", "#step-30"} {
			b := openTab(t)
			p := &chrome.Tab{T: t, Ctx: b.Context}
			b.open(name, text, hash)
			p.Losing(name)
			b.size(360, 740)
			p.Touch()
			eval[any](b, string(axe)+"; 0")
			want(b, `axe.run().then((r) => r.violations.map((v) => v.id + " at " + v.nodes[0].html).join("\n"))`, "")
			p.Walk(name+hash, testkit.Size(t, 15, 15))
		}
	}
}
