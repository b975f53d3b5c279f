package web

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"lockstep/internal/course"
	"lockstep/internal/matrix"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

// TestSite drives the site in a browser as a learner would.
func TestSite(t *testing.T) {
	inABrowser(t)
	browser := chromium(t)
	url, stop := served(t)
	t.Run("the start", func(t *testing.T) { theStart(visit(t, browser, url, desktop)) })
	t.Run("a chapter with a prediction", func(t *testing.T) { aChapter(visit(t, browser, url+"#a_late_del", desktop)) })
	t.Run("a talk", func(t *testing.T) { aTalk(visit(t, browser, url+"#a_late_del", desktop)) })
	t.Run("a level won", func(t *testing.T) { aLevel(visit(t, browser, url+"#a_late_del", desktop)) })
	t.Run("a fork", func(t *testing.T) { aFork(visit(t, browser, url+"#a_late_del@4", desktop)) })
	t.Run("a token", func(t *testing.T) { aToken(visit(t, browser, url+"#"+token(t), desktop)) })
	t.Run("an address that is not well formed", func(t *testing.T) {
		p := visit(t, browser, url+"#/%E0%A4%A", desktop)
		p.sees("In the tutorials")
		p.press("down")
		p.sees("lock 2 of 31")
	})
	t.Run("a story that is pasted", func(t *testing.T) { aPastedStory(visit(t, browser, url+"#a_late_del", desktop)) })
	t.Run("a phone, in Chinese", func(t *testing.T) {
		aPhone(visit(t, browser, url+"#del_removes_the_next_holders_lock@14", look{390, 844, 2, "light", "zh-CN"}))
	})
	t.Run("a finger", func(t *testing.T) {
		aFinger(visit(t, browser, url+"#level:oversell", look{360, 740, 1, "light", "en-US"}))
	})
	t.Run("the matrix, with nobody there to serve it", func(t *testing.T) { theMatrix(visit(t, browser, url, desktop), stop) })
}

// theStart is the tour, the list, and that the keyboard alone is enough.
func theStart(p *tab) {
	p.sees("In the tutorials")
	p.press("?", "T")
	p.sees("tour 1 of 5")
	p.until(`document.querySelector("#body .diagram svg") !== null`)
	p.shot("tour")
	p.press("q", "esc")
	p.sees("In the tutorials")
	p.until(`document.querySelector("#body [aria-current]").textContent.startsWith("setnx ")`)
	p.shot("start")
	p.press("down")
	p.sees("lock 2 of 31")
	p.until(`document.getElementById("says").textContent.startsWith("setnx-expire")`)
	p.do(chromedp.Click(`//div[@id="keys"]//button[span="course"]`))
	p.sees("Choose a chapter")
	p.do(chromedp.NavigateBack())
	p.sees("In the tutorials")
	p.do(chromedp.NavigateForward())
	p.sees("Choose a chapter")
	p.press("esc")
	p.sees("In the tutorials")
	seen := map[string]bool{} // what tab comes to, from the top
	for range 80 {
		p.press("tab")
		seen[eval[string](p, `(document.activeElement.id || document.activeElement.dataset.press || "piece") + ":" + getComputedStyle(document.activeElement).outlineStyle`)] = true
	}
	for _, id := range []string{"body", "piece", "c", "m", "?", "L", "paste", "save", "load"} {
		if !seen[id+":solid"] {
			p.Errorf("tab does not come to %s, or it cannot be seen there: %v", id, seen)
		}
	}
}

func aChapter(p *tab) {
	p.sees("step 1/")
	p.press("esc", "esc", "c", "enter")
	p.sees("part 1 of")
	p.press("right")
	p.sees("watch it work")
	p.press("G", "0", "G", "right")
	p.sees("predict, watch it break")
	p.press("G")
	p.until(`document.querySelector("#body fieldset legend") !== null`)
	p.shot("question")
	p.do(chromedp.Click(`//fieldset//button[1]`))
	p.until(`document.querySelector("#body fieldset") === null`)
	if kept := eval[string](p, `localStorage.getItem("lockstep.progress")`); !strings.Contains(kept, `"last":"set-del"`) {
		p.Errorf("kept: %s", kept)
	}
	p.do(chromedp.Reload())
	p.until(`document.querySelector("#keys button") !== null`)
	p.press("esc", "esc", "esc")
	p.sees("Begin the course")
}

// aTalk is a remote's keys, large letters, a blank screen and the timer; nothing is kept.
func aTalk(p *tab) {
	p.sees("step 1/")
	before := eval[string](p, `localStorage.getItem("lockstep.progress") || ""`)
	p.press("P", "5")
	p.sees("Chapter 5: enter goes there")
	p.press("enter")
	p.sees("part 1 of 8")
	if size := eval[float64](p, `parseFloat(getComputedStyle(document.getElementById("body")).fontSize)`); size < 20 {
		p.Errorf("letters of %v pixels are not large", size)
	}
	if width := eval[float64](p, `document.documentElement.scrollWidth - innerWidth`); width > 0 {
		p.Errorf("%v pixels are beside the screen", width)
	}
	p.press("pgdown", "pgdown", "pgdown", "pgdown", "pgdown")
	p.sees("Does B get the lock?", "[a] acquired")
	p.shot("talk")
	p.press("a")
	p.sees("The answer is refused.")
	p.press("b")
	p.until(`getComputedStyle(document.body).visibility === "hidden"`)
	p.press("pgdown")
	p.until(`getComputedStyle(document.body).visibility === "visible"`)
	p.sees("The answer is refused.", "0:01")
	if kept := eval[string](p, `localStorage.getItem("lockstep.progress") || ""`); kept != before {
		p.Errorf("kept: %s", kept)
	}
	p.press("P")
	p.until(`!document.documentElement.classList.contains("large")`)
}

// aLevel is won by the shortest schedule that there is, and what the explorer has
// found meanwhile, in a worker of its own, is held against it.
func aLevel(p *tab) {
	p.sees("step 1/")
	p.press("esc", "esc", "b", "enter")
	p.sees("Sell the last item twice", "Goal")
	p.press("i")
	p.sees("Hint 1")
	course, err := course.Usual()
	if err != nil {
		p.Fatal(err)
	}
	i := slices.IndexFunc(course.Levels, func(l scenarios.Level) bool { return l.ID == "oversell" })
	proof, err := matrix.Explorer(matrix.Limits(1<<28), 1).Shortest(p.ctx, &course.Levels[i])
	if err != nil {
		p.Fatal(err)
	}
	for n, a := range proof.Schedule {
		p.pick(cmp.Or(a.Client, "time") + ": ")
		p.sees(fmt.Sprintf("%d move", n+1))
	}
	p.sees(fmt.Sprintf("Reached: %d moves; fewest %d (proven)", len(proof.Schedule), len(proof.Schedule)))
	p.shot("level")
}

// pick picks the first move that begins with a text.
func (p *tab) pick(prefix string) {
	p.Helper()
	p.do(chromedp.Click(`//section[@class="picks"]//li/button[starts-with(normalize-space(.), "` + prefix + `")]`))
}

func aFork(p *tab) {
	p.sees("step 4/")
	p.press("t")
	p.sees("You pick from here")
	p.press("enter")
	p.sees("reads stock = 3")
	p.shot("fork")
}

func token(t *testing.T) string {
	t.Helper()
	c := history.Default()
	c.Strategy = "set-del"
	schedule, err := history.ParseSchedule("A*2 B")
	if err != nil {
		t.Fatal(err)
	}
	return history.Token(c, schedule)
}

// aToken leads to its run; that one's own address has it.
func aToken(p *tab) {
	p.sees("SET NX EX and plain DEL", "step 1/")
	if place := eval[string](p, `location.hash`); place != "#"+token(p.T) {
		p.Errorf("the address ends in %s", place)
	}
	p.do(script(`location.hash = "#a_late_del@3"`))
	p.sees("step 3/")
	p.do(script(`location.hash = "#ls1.none"`))
	p.sees("token")
}

func aPastedStory(p *tab) {
	p.sees("step 1/")
	p.do(chromedp.Click("#paste"), chromedp.SendKeys("#text", "# <img src=x onerror=alert(1)> & mine.\nworld strategy=set-lua clients=A,B\n\nrun A\n"), chromedp.Click("#play"))
	p.sees("<img src=x onerror=alert(1)> & mine.")
	if n := eval[int](p, `document.querySelectorAll("img").length`); n != 0 {
		p.Errorf("%d pictures", n)
	}
}

// aPhone: nothing is wider than the screen.
func aPhone(p *tab) {
	p.sees("步骤 14/")
	p.shot("phone")
	if wide := eval[int](p, `document.documentElement.scrollWidth`); wide > 390 {
		p.Errorf("%d pixels wide", wide)
	}
	if lang := eval[string](p, `document.documentElement.lang`); lang != "zh" {
		p.Errorf("the language is %s", lang)
	}
	p.press("L")
	p.sees("step 14")
}

// aFinger finds every button as large as WCAG 2.2 asks (2.5.5), at the level and the list
// of locks.
func aFinger(p *tab) {
	p.do(call(emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true}))
	p.until(`matchMedia("(pointer: coarse)").matches`)
	const small = `[...document.querySelectorAll("button, summary")].filter(b => b.checkVisibility())
		.filter(b => b.getBoundingClientRect().height < 44).map(b => b.innerText).join("; ")`
	p.sees("A: begins")
	for _, place := range []string{"level:oversell", ""} {
		p.do(script(`location.hash = "#` + place + `"`))
		p.until(`(frame.place || "") === "` + place + `"`)
		if found := eval[string](p, small); found != "" {
			p.Errorf("at #%s less than 44 pixels high: %s", place, found)
		}
	}
	p.do(script(`location.hash = "#a_late_del@25"`))
	p.until(`(frame.place || "").startsWith("a_late_del")`)
	p.tap("summary")
	p.tap(`#rare-keys button[data-press="P"]`)
	p.until(`document.documentElement.classList.contains("large") && !document.getElementById("rare").open`)
	p.tap(`#keys button[data-press="pgdown"]`)
}

// tap taps an element with a finger.
func (p *tab) tap(selector string) {
	p.Helper()
	at := eval[[2]float64](p, `(() => {
		const e = document.querySelector(`+quote(selector)+`);
		e.scrollIntoView({block: "center"});
		const r = e.getBoundingClientRect();
		return [r.x + r.width / 2, r.y + r.height / 2];
	})()`)
	touch := func(kind input.DispatchTouchEventType, points ...*input.TouchPoint) chromedp.Action[chromedp.Void] {
		return call(input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: points})
	}
	p.do(touch(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: at[0], Y: at[1]}), touch(input.DispatchTouchEventTypeTouchEnd))
}

// theMatrix is computed and looked at when the server has gone.
func theMatrix(p *tab, stop func()) {
	stop()
	p.press("q", "m")
	p.sees("✓ holds", "stuck")
	p.do(chromedp.Click(`//td/button[@aria-label="setnx, crash: ✗ stuck"]`))
	p.sees("lock-recovers")
	p.shot("matrix")
	p.press("enter")
	p.sees("step 1/")
}

// TestFromADisk: the page works where nothing can be fetched.
func TestFromADisk(t *testing.T) {
	inABrowser(t)
	browser := chromium(t)
	p := visit(t, browser, "file://"+written(t)+"/index.html#a_late_del@3", desktop)
	p.sees("step 3/")
	p.press("right")
	p.sees("step 4/")
}

// TestCourse: a site of a course opens at it.
func TestCourse(t *testing.T) {
	inABrowser(t)
	site := maps.Clone(siteOf(t))
	if err := site.TakeCourse(t.Context(), "none"); err == nil {
		t.Error("there is a course none")
	}
	if err := site.TakeCourse(t.Context(), "what-redlock-assumes"); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := site.Write(dir); err != nil {
		t.Fatal(err)
	}
	p := visit(t, chromium(t), "file://"+dir+"/index.html", desktop)
	p.sees("What Redlock assumes")
	p.shot("course")
}

// TestOffline: a page that was loaded whole comes again without its server.
func TestOffline(t *testing.T) {
	inABrowser(t)
	url, stop := served(t)
	p := visit(t, chromium(t), url+"#a_late_del@3", desktop)
	p.sees("step 3/")
	if _, err := chromedp.Run(p.ctx, chromedp.Poll[bool](`(async () => await caches.match("engine.bin") !== undefined)()`, chromedp.WithPollingTimeout(time.Minute))); err != nil {
		p.Fatal(err)
	}
	stop()
	p.do(chromedp.Reload())
	p.sees("step 3/")
	p.press("right")
	p.sees("step 4/")
}

// TestBeforeTheEngine: the first page is there while the engine loads, in the reader's
// language, and a click on it counts as soon as the engine has come.
func TestBeforeTheEngine(t *testing.T) {
	inABrowser(t)
	files, comes := http.FileServer(http.Dir(written(t))), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/engine.bin" {
			select {
			case <-comes:
			case <-r.Context().Done():
			}
		}
		files.ServeHTTP(w, r)
	}))
	defer server.Close()
	p := visit(t, chromium(t), server.URL+"/", look{360, 740, 1, "light", "zh-CN"})
	p.sees("教程里的写法", "Loading the engine")
	p.until(`document.querySelectorAll("#body .diagram svg").length === 2`)
	p.shot("early")
	deep := visit(t, chromium(t), server.URL+"/#del_removes_the_next_holders_lock@14", desktop)
	deep.sees("A DEL lock:stock -> 1", "Loading the engine")
	p.do(chromedp.Click(`//section//li/button[starts-with(normalize-space(.), "set-del")]`))
	close(comes)
	p.until(`document.querySelector("h1").textContent.includes("set-del") || document.getElementById("where").textContent.includes("set-del")`)
	p.shot("later")
	deep.press("right")
	deep.sees("step 15/")
}
