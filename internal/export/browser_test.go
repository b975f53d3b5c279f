package export

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/chrome"
)

// A tab is one page of a browser, and what went wrong in it.
type tab struct {
	*chrome.Tab
	mu      sync.Mutex
	trouble []string
	asked   []string // addresses that were asked for
}

func openTab(t *testing.T) *tab {
	t.Helper()
	testkit.Long(t, "a browser is slow; golden files hold the bytes of pages, and nothing quick runs their script")
	ctx := chrome.Start(t)
	b := &tab{Tab: &chrome.Tab{T: t, Ctx: ctx}}
	testkit.OK(t, chromedp.Listen(ctx, func(event any) {
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
	}))
	return b
}

// open shows a text as a file of that name. The hash may be empty.
func (b *tab) open(name string, text []byte, hash string) {
	b.Helper()
	file := filepath.Join(b.TempDir(), name)
	testkit.OK(b, os.WriteFile(file, text, 0o644))
	b.Do(chromedp.Navigate("file://" + file + hash))
}

// eval evaluates JavaScript, and waits for a promise.
func eval[T any](b *tab, script string) T {
	b.Helper()
	return chrome.Eval[T](b.Tab, script)
}

// want fails if JavaScript has another value.
func want[T comparable](b *tab, script string, value T) {
	b.Helper()
	if got := eval[T](b, script); got != value {
		b.Errorf("%s is %v, want %v", script, got, value)
	}
}

// quiet fails if anything went wrong, or anything but the page was asked for.
func (b *tab) quiet() {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, trouble := range b.trouble {
		b.Errorf("the browser says: %s", trouble)
	}
	for _, address := range b.asked {
		if !strings.HasPrefix(address, "file://") {
			b.Errorf("the page asked for %s", address)
		}
	}
	b.trouble, b.asked = nil, nil
}

// size makes the window so large.
func (b *tab) size(width, height int64) {
	b.Helper()
	b.Do(chromedp.EmulateViewport(width, height))
}

// TestFingers: taps at random leave a page that lives, and what a page says for a phone comes
// about. Each page has a subtest, whose end closes its browser: what a page goes on to play
// would slow down those after it.
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
			t.Run(strings.ReplaceAll(name+hash, "#", " at "), func(t *testing.T) { // a # in a folder's name would end its address
				b := openTab(t)
				b.open(name, text, hash)
				b.Losing(name)
				b.size(360, 740)
				b.Touch()
				want(b, `[...document.querySelectorAll(".bar button, summary")].filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 44).map(e => e.innerText).join()`, "")
				eval[any](b, string(axe)+"; 0")
				want(b, `axe.run().then((r) => r.violations.map((v) => v.id + " at " + v.nodes[0].html).join("\n"))`, "")
				b.Walk(name+hash, testkit.Size(t, 15, 15))
			})
		}
	}
}
