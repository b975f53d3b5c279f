package web

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"lockstep/internal/testkit/chrome"
)

// kinds are, for each kind of page, an address, keys, and an element that it has.
var kinds = []struct {
	name, place string
	keys        []string
	has         string
}{
	{"first", "", nil, ".list"},
	{"course", "course:", nil, ".list"},
	{"chapter", "course:set-del", nil, ".prose"},
	{"story", "a_late_del", nil, ".run"},
	{"question", "a_late_del@25", nil, "fieldset"},
	{"violation", "del_removes_the_next_holders_lock@14", nil, ".card"},
	{"level", "level:oversell", nil, ".picks"},
	{"matrix", "", []string{"m"}, "table"},
	{"search", "", []string{"/"}, "#search:not([hidden])"},
	{"help", "", []string{"?"}, "#go[data-press=esc]"},
	{"levels", "", []string{"b"}, ".list"},
	{"diploma", "course:", []string{"D"}, "#go[data-press=esc]"},
	{"compare", "del_removes_the_next_holders_lock@14", []string{"d", "enter"}, ".run ~ .run"},
	{"present", "course:set-del", []string{"P"}, ".large .prose"},
}

// walkers are phones: two upright, one on its side.
var walkers = []chrome.Look{
	{Width: 360, Height: 740, Scale: 1, Scheme: "light", Language: "en-US", Touch: true},
	{Width: 412, Height: 915, Scale: 1, Scheme: "dark", Language: "zh-CN", Touch: true},
	{Width: 740, Height: 360, Scale: 1, Scheme: "light", Language: "en-US", Touch: true},
}

// TestWalksOfTaps: taps at random, from each kind of page on each phone, leave a page
// that lives. All kinds of a phone are in one tab, as the engine takes long to load.
func TestWalksOfTaps(t *testing.T) {
	inABrowser(t)
	browser := chrome.Start(t)
	url, _ := served(t, withMatrix(t))
	for _, l := range walkers {
		t.Run(fmt.Sprintf("%dx%d", l.Width, l.Height), func(t *testing.T) {
			t.Parallel()
			p := visit(t, browser, url, l)
			for _, k := range kinds {
				ok := t.Run(k.name, func(t *testing.T) {
					p := &chrome.Tab{T: t, Ctx: p.Ctx}
					to(p, url, k.place, k.keys, k.has)
					p.Walk(t.Name(), 25)
				})
				if !ok {
					return // the tab can be dead
				}
			}
		})
	}
}

// to leads a tab of the site to a page, as from an address that was opened: without the
// presenter's mode and dialogs of the page before.
func to(p *chrome.Tab, url, place string, keys []string, has string) {
	p.Helper()
	if !chrome.Eval[bool](p, `typeof answered !== "undefined"`) { // a page without an engine
		p.Do(chromedp.Navigate(url))
	}
	p.Until(`answered`)
	goes := func(place string) { // again, where a click or a way back of the walk before comes after it
		p.Helper()
		p.Do(chrome.Script(`frame.old = true; window.again = 0`))
		p.Until(`(place => {
			const is = frame.place || "";
			if (!frame.old && (place ? is === place || is.startsWith(place + "@") || is.startsWith(place + "/") : document.title === "Lockstep")) return true;
			if (performance.now() > again) {
				again = performance.now() + 10000;
				frame.old = true;
				ask({place});
			}
			return false;
		})(` + chrome.Quote(place) + `)`)
	}
	p.Do(chrome.Script(`document.querySelectorAll("dialog[open]").forEach(d => d.close()); if (frame.blank) ask({press: "b"})`))
	goes("course:")
	if chrome.Eval[bool](p, `document.documentElement.classList.contains("large")`) {
		p.Do(chrome.Script(`ask({press: "P"})`))
		p.Until(`!document.documentElement.classList.contains("large")`)
	}
	goes(place)
	for _, key := range keys {
		// Not by the keyboard, whose Enter would press a button that a walk before left the focus on.
		p.Do(chrome.Script(`frame.old = true; ask({press: ` + chrome.Quote(key) + `})`))
		p.Until(`!frame.old`)
	}
	p.Until(`document.querySelector(` + chrome.Quote(has) + `) !== null`)
}

// TestOnePlace: what leads on is at one place, through a chapter and a level, by mouse and by
// finger, whole and above everything.
func TestOnePlace(t *testing.T) {
	inABrowser(t)
	browser := chrome.Start(t)
	url, _ := served(t, withMatrix(t))
	for _, l := range []chrome.Look{
		{Width: 1280, Height: 800, Scale: 1, Scheme: "light", Language: "en-US"},
		{Width: 360, Height: 740, Scale: 1, Scheme: "light", Language: "en-US", Touch: true},
		{Width: 320, Height: 200, Scale: 1, Scheme: "light", Language: "en-US"}, // 1280x800 at 400 %
	} {
		p := visit(t, browser, url, l)
		for _, place := range []string{"course:set-del", "level:oversell", "a_late_del@20", "course:"} {
			to(p, url, place, nil, "#go")
			seen := map[string]bool{}
			for range 35 {
				seen[chrome.Eval[string](p, `(() => {
					const r = go.getBoundingClientRect(), at = (x, y) => go.contains(document.elementFromPoint(x, y));
					const whole = at(r.left + 5, r.top + 5) && at(r.right - 5, r.bottom - 5) && go.scrollWidth <= go.clientWidth && go.scrollHeight <= go.clientHeight;
					return [r.x, r.y, r.width, r.height, whole, [...go.parentElement.children].every(b => b.hidden || b.getBoundingClientRect().right <= innerWidth)].join(" ");
				})()`)] = true
				onward := "#go"
				if chrome.Eval[bool](p, `go.ariaDisabled === "true" && document.querySelector("fieldset button") !== null`) {
					onward = "fieldset button:last-child, #go" // the answer before can still be on its way
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

// TestMediaQueries: what the style sheet says for a width or a finger comes about.
func TestMediaQueries(t *testing.T) {
	inABrowser(t)
	browser := chrome.Start(t)
	url, _ := served(t, withMatrix(t))
	for _, touch := range []bool{false, true} {
		l := walkers[0]
		l.Touch = touch
		p := visit(t, browser, url, l)
		for _, k := range kinds {
			to(p, url, k.place, k.keys, k.has)
			p.Losing(k.name)
		}
	}
}

// TestColumns: on a wide page nothing stands lower than what is above it, and a step whose row
// has no room for it is below the picture.
func TestColumns(t *testing.T) {
	inABrowser(t)
	browser := chrome.Start(t)
	url, _ := served(t, withMatrix(t))
	p := visit(t, browser, url, chrome.Desktop)
	for _, place := range []string{"a_late_del@1", "a_late_del@25", "a_late_del@27", "del_removes_the_next_holders_lock@14", "level:oversell", "matrix:set-del/overrun", ""} {
		to(p, url, place, nil, "#body .run .steps")
		for _, width := range []int64{1000, 1280, 1920} {
			p.Do(chrome.Call(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 800, DeviceScaleFactor: 1}))
			if found := chrome.Eval[string](p, `new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r))).then(() => {
				scrollTo(0, 0);
				const at = [...document.querySelectorAll("#body > *")].map(e => [e, e.getBoundingClientRect()]), wrong = [];
				for (const [e, r] of at) {
					const above = Math.max(document.getElementById("body").getBoundingClientRect().top, ...at.filter(([b, s]) => b !== e && s.bottom <= r.top + 1 && s.left < r.right && s.right > r.left).map(([, s]) => s.bottom));
					if (r.top - above > 45) wrong.push(e.className + " is " + (r.top - above) + " below what is above it");
				}
				for (const clip of document.querySelectorAll(".run .clip")) {
					const over = clip.getBoundingClientRect().bottom - clip.nextSibling.getBoundingClientRect().bottom;
					if (over > 1) wrong.push("a picture scrolls by " + over);
				}
				for (const row of document.querySelectorAll("li:last-child > .row")) {
					const w = row.querySelector(".w"), now = row.closest(".run").querySelector(".now");
					if (w.scrollWidth > w.clientWidth !== now.checkVisibility()) wrong.push(w.textContent + " is cut: " + !now.checkVisibility());
				}
				return wrong.join("; ");
			})`); found != "" {
				t.Errorf("%s, %d pixels: %s", place, width, found)
			}
		}
	}
}

// TestPhone: on a phone each step of a run has its number, time and words, in full. The focus
// leaves a row of the matrix that closes, and a dialog that closes, also where what opened it has
// gone meanwhile.
func TestPhone(t *testing.T) {
	inABrowser(t)
	url, _ := served(t, withMatrix(t))
	p := visit(t, chrome.Start(t), url, walkers[0])
	to(p, url, "a_late_del@16", nil, ".now")
	for i := 16; i < 24; i++ {
		p.Until(`frame.place.endsWith("@` + strconv.Itoa(i) + `") && frame.parts.some(p => p.kind === "steps")`)
		got := chrome.Eval[[2]string](p, `(() => {
			const e = document.querySelector(".now"), row = frame.parts.find(p => p.kind === "steps").rows, time = row.findLast(r => r.at).at;
			return [e.checkVisibility() ? e.innerText.replace(/\s+/g, " ") : "hidden", row.at(-1).i + " " + time + " " + row.at(-1).t];
		})()`)
		if got[0] != got[1] {
			t.Errorf("step %d is %q, not %q", i, got[0], got[1])
		}
		p.Do(chrome.Script(`ask({press: "right"})`))
	}
	to(p, url, "matrix:set-del/overrun", nil, "#body .here .cell")
	if !chrome.Eval[bool](p, `(() => {
		document.querySelector("#body .here .cell").focus();
		const parts = structuredClone(frame.parts);
		parts.find(p => p.kind === "table").here[0]++;
		refresh(parts);
		return document.activeElement.checkVisibility();
	})()`) {
		t.Error("the focus is in a cell that nobody sees")
	}
	to(p, url, "course:", nil, ".list")
	p.Do(chrome.Script(`el("more").click(); el("paste").focus(); el("paste").click(); el("paste").hidden = true; el("cancel").focus()`))
	p.Do(chrome.Script(`window.on = ""; el("story").addEventListener("close", () => on = document.activeElement.tagName); el("cancel").click()`))
	p.Until(`on !== ""`)
	if on := chrome.Eval[string](p, `on`); on != "BODY" && on != "MAIN" {
		t.Errorf("the focus is in a closed dialog: %s", on)
	}
}

// TestSeenTogether: on a phone the last steps of the picture are seen with the question about them,
// and with the explanation after it; and all that the first minute can be led by.
func TestSeenTogether(t *testing.T) {
	inABrowser(t)
	url, _ := served(t, withMatrix(t))
	p := visit(t, chrome.Start(t), url, walkers[0])
	const hidden = `(() => {
		const top = document.querySelector(".names").getBoundingClientRect().bottom, end = bar.getBoundingClientRect().top, wrong = [];
		const parts = [...[...document.querySelectorAll(".steps > li")].slice(-4), ...document.querySelectorAll(".card h2, fieldset > *, fieldset button")];
		for (const e of parts) {
			const r = e.getBoundingClientRect();
			if (r.top < top - 1 || r.bottom > end + 1) wrong.push(e.innerText + " is at " + r.top + " to " + r.bottom + ", not between " + top + " and " + end);
			if (e.matches("button") && r.height < 44) wrong.push(e.innerText + " is " + r.height + " high");
		}
		return wrong.join("; ");
	})()`
	tap := func(on string) { // to another place: the causes of a violation come in a frame of their own
		p.Do(chrome.Script(`window.was = frame.place`))
		p.Tap(on)
		p.Until(`frame.place !== was`)
	}
	to(p, url, "course:set-del/break@12", nil, ".run")
	for _, c := range []struct{ place, has, on string }{
		{"course:set-del/break@13", "fieldset", "fieldset button"}, {"course:set-del/break@14", ".card", "#go"},
		{"course:set-del/break@15", "fieldset", "fieldset button:nth-child(2)"},
		{"course:set-del/break@23", ".card", "#go"}, {"course:set-del/break@24", ".card", ""},
	} {
		for taps := 0; !chrome.Eval[bool](p, `frame.place === `+chrome.Quote(c.place)+` && document.querySelector(`+chrome.Quote(c.has)+`) !== null`); taps++ {
			if taps > 20 {
				t.Fatalf("no %s at %s, but at %s", c.has, c.place, chrome.Eval[string](p, `frame.place`))
			}
			tap("#go")
		}
		if found := chrome.Eval[string](p, hidden); found != "" {
			p.Shot("apart")
			t.Errorf("%s: %s", c.place, found)
		}
		for _, l := range []chrome.Look{walkers[2], walkers[0]} { // it is turned
			p.Do(chrome.Call(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: l.Width, Height: l.Height, DeviceScaleFactor: 1}))
			p.Until(`(() => {
				const r = document.querySelector(".steps > li:last-child").getBoundingClientRect();
				return innerWidth === ` + strconv.Itoa(int(l.Width)) + ` && r.top >= document.querySelector(".names").getBoundingClientRect().bottom - 1 && r.bottom <= bar.getBoundingClientRect().top + 1;
			})()`)
		}
		if c.on != "" {
			tap(c.on)
		}
	}
	p.Do(chrome.Script(`ask({press: "?"})`)) // help, where there are no keys
	p.Sees("lease, by its owner")
	p.Do(chrome.Script(`ask({press: "esc"})`))
	p.Until(`document.querySelector(".run") !== null`)
	to(p, url, "tour:", nil, ".run")
	for _, moves := range []string{"A goes on, B goes on, let time pass", "B goes on, let time pass, undo"} {
		if got := chrome.Eval[string](p, `[go, ...document.querySelectorAll("#keys button")].filter(b => {
			const r = b.getBoundingClientRect();
			return [[r.left + 5, r.top + 5], [r.right - 5, r.bottom - 5]].every(([x, y]) => b.contains(document.elementFromPoint(x, y)));
		}).map(b => b.innerText).join(", ")`); got != moves {
			t.Errorf("the first minute is led by %s, not %s", got, moves)
		}
		p.Do(chrome.Script(`frame.old = true`))
		p.Tap("#go")
		p.Until(`!frame.old && frame.parts.length > 0`)
	}
}

// TestFocusIsSeen: what has the focus is above the bar of keys (WCAG 2.2, 2.4.11), and the
// first stop leads to the bar.
func TestFocusIsSeen(t *testing.T) {
	inABrowser(t)
	browser := chrome.Start(t)
	url, _ := served(t, withMatrix(t))
	for _, l := range []chrome.Look{{Width: 1280, Height: 800}, {Width: 360, Height: 740}, {Width: 320, Height: 200}} {
		l.Scale, l.Scheme, l.Language = 1, "light", "en-US"
		p := visit(t, browser, url+"#course:", l)
		p.Until(`answered`)
		stops, end := 0, false
		for stops < 300 {
			p.Press("tab")
			at := chrome.Eval[string](p, `(() => {
				const e = document.activeElement, r = e.getBoundingClientRect(), bar = document.getElementById("bar").getBoundingClientRect();
				if (e === document.body || e.closest("nav")) return "end";
				return r.top >= -1 && (r.bottom <= bar.top + 1 || r.top <= 1 && r.height > bar.top) ? "" : e.outerHTML.slice(0, 80) + " at " + r.top + " to " + r.bottom + ", the bar at " + bar.top;
			})()`)
			if end = at == "end"; end {
				break
			}
			if stops++; at != "" {
				t.Errorf("%d pixels: %s", l.Width, at)
			}
		}
		if stops < 30 || !end {
			t.Errorf("%d pixels: %d stops above the bar, at its end: %v, at %s", l.Width, stops, end, chrome.Eval[string](p, `document.activeElement.outerHTML.slice(0, 200)`))
		}
		p.Do(chrome.Script(`document.activeElement.blur(); document.getElementById("skip").focus()`))
		p.Press("enter")
		p.Until(`document.activeElement.id === "go"`)
	}
}

// TestInFrontOfAClass: in the presenter's mode the picture is the largest part, at a step, a
// question and a violation, and a mouse finds the way out.
func TestInFrontOfAClass(t *testing.T) {
	inABrowser(t)
	browser := chrome.Start(t)
	url, _ := served(t, withMatrix(t))
	p := visit(t, browser, url, chrome.Look{Width: 1280, Height: 720, Scale: 1, Scheme: "light", Language: "en-US"})
	for _, place := range []string{"del_removes_the_next_holders_lock@13", "a_late_del@25"} {
		to(p, url, place, nil, "#body .run")
		p.Press("P")
		p.Until(`document.documentElement.classList.contains("large")`)
		for i := range 7 {
			if found := chrome.Eval[string](p, `document.querySelector("#body > .run") ? `+chrome.Front+` : "no picture"`); found != "" {
				p.Shot(fmt.Sprint("front", i))
				t.Errorf("%s, page %d: %s", place, i, found)
			}
			p.Do(chrome.Script(`document.getElementById("body").scrollTop = 1e6; frame.old = true`), chromedp.Click("#go"))
			p.Until(`!frame.old && document.getElementById("body").scrollTop === 0`) // an explanation can come before the click
		}
		p.Do(chromedp.Click("#leave"))
		p.Until(`!document.documentElement.classList.contains("large")`)
	}
}
