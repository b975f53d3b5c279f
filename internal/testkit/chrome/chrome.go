// Package chrome drives pages in Chromium, for tests.
package chrome

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Start returns a browser for the tests of one process.
func Start(t *testing.T) context.Context {
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

// A Tab is a page of the browser.
type Tab struct {
	*testing.T
	Ctx context.Context
}

// A Look is a size and a colour scheme.
type Look struct {
	Width, Height int64
	Scale         float64
	Scheme        string // "dark" or "light"
	Language      string
	Touch         bool // a finger instead of a mouse
}

// Desktop is a screen of a usual size.
var Desktop = Look{Width: 1280, Height: 800, Scale: 1, Scheme: "dark", Language: "en-US"}

// Visit opens an address in a tab of its own, with nothing kept.
func Visit(t *testing.T, browser context.Context, url string, l Look) *Tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx); err != nil { // opens the tab, for as long as ctx is
		t.Fatal(err)
	}
	ctx, crash := context.WithCancelCause(ctx)
	t.Cleanup(func() { crash(nil) })
	err := chromedp.Listen(ctx, func(ev any) {
		if _, ok := ev.(*inspector.EventTargetCrashed); ok {
			crash(errors.New("the tab has crashed"))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	p := &Tab{t, ctx}
	p.Do(
		Call(inspector.Enable, cdp.Empty{}),
		Call(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: l.Width, Height: l.Height, DeviceScaleFactor: l.Scale}),
		Call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: l.Scheme}}}),
		Call(emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: "Lockstep test", AcceptLanguage: l.Language}),
		Call(emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: l.Touch}),
		chromedp.Navigate(url),
	)
	return p
}

// Touch gives the page a finger instead of a mouse.
func (p *Tab) Touch() {
	p.Helper()
	p.Do(Call(emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true}))
	p.Until(`matchMedia("(pointer: coarse)").matches`)
}

// Run runs an action. It returns an error where the tab crashes, or does not answer within
// three minutes.
func Run[V any](p *Tab, a chromedp.Action[V]) (V, error) {
	ctx, cancel := context.WithTimeoutCause(p.Ctx, 3*time.Minute, errors.New("the tab does not answer"))
	defer cancel()
	v, err := chromedp.Run(ctx, a)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return v, err
}

// Call is a command of the protocol as an action.
func Call[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

// Until waits until an expression of JavaScript is true, however slow the machine is. It asks
// the next document where one comes meanwhile; a name that its scripts have yet to declare is
// not true.
func (p *Tab) Until(expression string) {
	p.Helper()
	declared := `(() => { try { return ` + expression + ` } catch (e) { if (e instanceof ReferenceError) return false; throw e } })()`
	err := again(p, chromedp.Poll[bool](declared, chromedp.WithPollingTimeout(2*time.Minute)), "context with specified id", "context was destroyed")
	if err != nil {
		p.Shot("failed")
		p.Fatalf("never %s: %v in\n%s", expression, err, p.Text())
	}
}

// again runs an action, and once more for as long as it ends with one of the errors.
func again[V any](p *Tab, a chromedp.Action[V], errs ...string) error {
	for {
		_, err := Run(p, a)
		if err == nil || !slices.ContainsFunc(errs, func(s string) bool { return strings.Contains(err.Error(), s) }) {
			return err
		}
	}
}

// Do does actions one after the other. One whose element a new frame replaces before the
// mouse is there looks for it once more.
func (p *Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	for _, a := range actions {
		if err := again(p, a, "not find node with given id", "Node is detached"); err != nil {
			p.Shot("failed")
			p.Fatal(err)
		}
	}
}

// Press presses keys of the keyboard, by the names of the pages.
func (p *Tab) Press(names ...string) {
	p.Helper()
	keys := map[string]string{"enter": kb.Enter, "esc": kb.Escape, "up": kb.ArrowUp, "down": kb.ArrowDown, "left": kb.ArrowLeft, "right": kb.ArrowRight, "tab": kb.Tab, "pgdown": kb.PageDown, "pgup": kb.PageUp}
	for _, name := range names {
		key := name
		if k, ok := keys[name]; ok {
			key = k
		}
		p.Do(chromedp.KeyEvent(key))
	}
}

// Sees waits until the page has all the texts.
func (p *Tab) Sees(texts ...string) {
	p.Helper()
	for _, text := range texts {
		p.Until(`document.body.innerText.replace(/\s+/g, " ").includes(` + Quote(text) + `)`)
	}
}

// Text is what the page shows as text.
func (p *Tab) Text() string {
	text, _ := Run(p, chromedp.Evaluate[string](`document.body.innerText`))
	return text
}

// Eval returns what an expression of JavaScript gives.
func Eval[V any](p *Tab, expression string) V {
	p.Helper()
	v, err := Run(p, chromedp.Evaluate[V](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.Fatalf("%s: %v", expression, err)
	}
	return v
}

// Shot keeps a picture in the folder that LOCKSTEP_SHOTS names.
func (p *Tab) Shot(name string) {
	p.Helper()
	dir := os.Getenv("LOCKSTEP_SHOTS")
	if dir == "" {
		return
	}
	png, err := Run(p, chromedp.CaptureScreenshot())
	if err != nil {
		p.Log(err)
		return
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		p.Error(err)
	}
}

// Quote writes a text as a literal of JavaScript.
func Quote(text string) string {
	return "`" + strings.NewReplacer("`", "\\`", `\`, `\\`, "$", `\$`).Replace(text) + "`"
}

// Script runs a line of JavaScript.
func Script(line string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := chromedp.Evaluate[any](line)(ctx, t)
		return err
	})
}

// Tap taps an element with a finger, once what it scrolled has been drawn.
func (p *Tab) Tap(selector string) {
	p.Helper()
	at := Eval[[2]float64](p, `(async () => {
		const e = document.querySelector(`+Quote(selector)+`);
		e.scrollIntoView({block: "center"});
		await new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)));
		const r = e.getBoundingClientRect();
		return [r.x + r.width / 2, r.y + r.height / 2];
	})()`)
	p.Do(tap(at[0], at[1])...)
}

// tap taps a place of the window.
func tap(x, y float64) []chromedp.Action[chromedp.Void] {
	touch := func(kind input.DispatchTouchEventType, points ...*input.TouchPoint) chromedp.Action[chromedp.Void] {
		return Call(input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
	}
	return []chromedp.Action[chromedp.Void]{touch(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: x, Y: y}), touch(input.DispatchTouchEventTypeTouchEnd)}
}
