package web

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/chrome"
)

// kinds are an address and keys for each kind of page.
var kinds = []struct {
	name, place string
	keys        []string
}{
	{"first", "", nil},
	{"course", "course:", nil},
	{"chapter", "course:set-del", nil},
	{"story", "a_late_del", nil},
	{"question", "a_late_del@25", nil},
	{"violation", "del_removes_the_next_holders_lock@14", nil},
	{"level", "level:oversell", nil},
	{"matrix", "", []string{"m"}},
	{"search", "", []string{"/"}},
	{"help", "", []string{"?"}},
	{"levels", "", []string{"b"}},
	{"diploma", "course:", []string{"D"}},
	{"compare", "del_removes_the_next_holders_lock@14", []string{"d", "enter"}},
	{"present", "course:set-del", []string{"P"}},
}

// walkers are phones: two upright, one on its side.
var walkers = []chrome.Look{
	{Width: 360, Height: 740, Scale: 1, Scheme: "light", Language: "en-US", Touch: true},
	{Width: 412, Height: 915, Scale: 1, Scheme: "dark", Language: "zh-CN", Touch: true},
	{Width: 740, Height: 360, Scale: 1, Scheme: "light", Language: "en-US", Touch: true},
}

// TestWalksOfTaps: taps at random, from each kind of page on each phone, leave a page
// that lives.
func TestWalksOfTaps(t *testing.T) {
	inABrowser(t)
	browser := chrome.Start(t)
	url, _ := served(t)
	for _, l := range walkers {
		for _, k := range kinds {
			t.Run(fmt.Sprintf("%s at %dx%d", k.name, l.Width, l.Height), func(t *testing.T) {
				p := visit(t, browser, url+"#"+k.place, l)
				p.Until(`answered`)
				p.Press(k.keys...)
				p.Walk(t.Name(), testkit.Size(t, 100, 100))
			})
		}
	}
}

// TestOnePlace: what leads on is at one place, through a chapter and a level, by mouse and by
// finger, whole and above everything.
func TestOnePlace(t *testing.T) {
	inABrowser(t)
	browser := chrome.Start(t)
	url, _ := served(t)
	for _, l := range []chrome.Look{
		{Width: 1280, Height: 800, Scale: 1, Scheme: "light", Language: "en-US"},
		{Width: 360, Height: 740, Scale: 1, Scheme: "light", Language: "en-US", Touch: true},
		{Width: 320, Height: 200, Scale: 1, Scheme: "light", Language: "en-US"}, // 1280x800 at 400 %
	} {
		for _, place := range []string{"course:set-del", "level:oversell", "a_late_del@20", "course:"} {
			p := visit(t, browser, url+"#"+place, l)
			p.Until(`answered`)
			seen := map[string]bool{}
			for range 35 {
				seen[chrome.Eval[string](p, `(() => {
					const r = go.getBoundingClientRect(), at = (x, y) => go.contains(document.elementFromPoint(x, y));
					const whole = at(r.left + 5, r.top + 5) && at(r.right - 5, r.bottom - 5) && go.scrollWidth <= go.clientWidth && go.scrollHeight <= go.clientHeight;
					return [r.x, r.y, r.width, r.height, whole, [...go.parentElement.children].every(b => b.hidden || b.getBoundingClientRect().right <= innerWidth)].join(" ");
				})()`)] = true
				onward := "#go"
				if chrome.Eval[bool](p, `go.ariaDisabled === "true" && document.querySelector("fieldset button") !== null`) {
					onward = "fieldset button:last-child"
				}
				p.Do(chrome.Script(`frame.old = true`))
				if l.Touch {
					p.Tap(onward)
				} else {
					p.Do(chromedp.Click(onward))
				}
				p.Until(`!frame.old`)
			}
			if len(seen) != 1 {
				t.Errorf("%s, %d pixels: x, y, width, height, whole, nothing beside: %v", place, l.Width, slices.Sorted(maps.Keys(seen)))
			}
		}
	}
}
