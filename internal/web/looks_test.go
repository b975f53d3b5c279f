package web

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"lockstep/internal/testkit/chrome"
)

// looks are the pages of docs/looks, and others without a name: an address, keys, and a text
// that is the point of it.
var looks = []struct {
	name, place string
	keys        []string
	shows       string
}{
	{"locks", "", nil, "Begin the course"},
	{"question", "a_late_del@25", nil, "Whose lock does B's DEL remove?"},
	{"violation", "a_late_del@25", []string{"2", "right"}, "B removed lock:stock, which C held"},
	{"level", "level:oversell", nil, "Goal"},
	{"compare", "del_removes_the_next_holders_lock@14", []string{"d", "enter", "G"}, "This schedule breaks set-del and not set-lua"},
	{"matrix", "", []string{"m", "down", "down", "down", "down", "right", "right", "right"}, "shortest"},
	{"", "course:set-del/fix", nil, "How it works"},
	{"", "diploma:", nil, "Right at once"},
	{"course", "course:", nil, "Choose a chapter"},
	{"end", "course:", []string{"w", "enter"}, "What is true of your application?"},
}

// TestLooks opens each kind of page at three widths, where nothing may be beside the screen.
// It draws the pictures of docs/looks if LOCKSTEP_SHOTS names that folder; nothing compares
// them, as another browser draws other letters.
func TestLooks(t *testing.T) {
	inABrowser(t)
	browser := chrome.Start(t)
	url, _ := served(t, withMatrix(t))
	for _, l := range []chrome.Look{{Width: 360, Height: 740, Scale: 1, Scheme: "light", Language: "en-US"}, {Width: 768, Height: 1024, Scale: 1, Scheme: "dark", Language: "en-US"}, {Width: 1280, Height: 800, Scale: 1, Scheme: "light", Language: "en-US"}} {
		p := visit(t, browser, url, l)
		for _, one := range looks {
			to(p, url, one.place, one.keys, "#go")
			p.Sees(one.shows)
			if width := chrome.Eval[float64](p, `document.documentElement.scrollWidth - innerWidth`); width > 0 {
				t.Errorf("%s, %d pixels: %v are beside the screen", one.name, l.Width, width)
			}
			if found := chrome.Eval[string](p, `(document.body.innerText.match(/.*(`+"\x60"+`|\blockstep [a-z-]+ ).*/) || [""])[0]`); found != "" {
				t.Errorf("%s, %d pixels: %q names a command, or has its marks", one.name, l.Width, found)
			}
			draw(p, fmt.Sprintf("web_%s_%d.webp", one.name, l.Width))
		}
	}
}

// draw keeps a picture in the folder that LOCKSTEP_SHOTS names, as small as WebP makes it.
func draw(p *chrome.Tab, name string) {
	p.Helper()
	dir := os.Getenv("LOCKSTEP_SHOTS")
	if dir == "" || strings.HasPrefix(name, "web__") {
		return
	}
	quality := int64(60)
	p.Do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		shot, err := cdp.Call(ctx, target, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: "webp", Quality: &quality})
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, name), shot.Data, 0o644)
	}))
}
