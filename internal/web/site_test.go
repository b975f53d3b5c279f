package web

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"lockstep/internal/course"
	"lockstep/internal/matrix"
	"lockstep/internal/testkit"
	"lockstep/internal/testkit/chrome"
	"lockstep/scenarios"
	"lockstep/sim/explore"
	"lockstep/sim/history"
)

// TestSite drives the site in a browser as a learner would.
func TestSite(t *testing.T) {
	inABrowser(t)
	browser := chrome.Start(t)
	url, stop := served(t, siteOf(t))
	t.Run("the start", func(t *testing.T) { theStart(visit(t, browser, url, chrome.Desktop)) })
	t.Run("a chapter with a prediction", func(t *testing.T) { aChapter(visit(t, browser, url+"#a_late_del", chrome.Desktop)) })
	t.Run("a talk", func(t *testing.T) { aTalk(visit(t, browser, url+"#a_late_del", chrome.Desktop)) })
	t.Run("a level won", func(t *testing.T) { aLevel(visit(t, browser, url+"#a_late_del", chrome.Desktop)) })
	t.Run("a fork", func(t *testing.T) { aFork(visit(t, browser, url+"#a_late_del@4", chrome.Desktop)) })
	t.Run("a token", func(t *testing.T) { aToken(visit(t, browser, url+"#"+token(t), chrome.Desktop)) })
	t.Run("an address that is not well formed", func(t *testing.T) {
		p := visit(t, browser, url+"#/%E0%A4%A", chrome.Desktop)
		p.Sees("No page has the address #/%E0%A4%A;")
		p.Press("esc", "esc", "down")
		p.Sees("lock 2 of 32")
	})
	t.Run("addresses", func(t *testing.T) { theAddresses(visit(t, browser, url, chrome.Desktop)) })
	t.Run("addresses on a phone", func(t *testing.T) {
		theAddresses(visit(t, browser, url, chrome.Look{Width: 360, Height: 740, Scale: 1, Scheme: "light", Language: "en-US"}))
	})
	t.Run("a number that is typed", func(t *testing.T) { aNumber(visit(t, browser, url+"#course:zk-herd/try", chrome.Desktop)) })
	t.Run("a number that is typed on a phone", func(t *testing.T) {
		aNumber(visit(t, browser, url+"#course:zk-herd/try", chrome.Look{Width: 360, Height: 740, Scale: 1, Scheme: "light", Language: "en-US"}))
	})
	t.Run("a story that is pasted", func(t *testing.T) { aPastedStory(visit(t, browser, url+"#a_late_del", chrome.Desktop)) })
	t.Run("a phone, in Chinese", func(t *testing.T) {
		aPhone(visit(t, browser, url+"#del_removes_the_next_holders_lock@14", chrome.Look{Width: 390, Height: 844, Scale: 2, Scheme: "light", Language: "zh-CN"}))
	})
	t.Run("a finger", func(t *testing.T) {
		aFinger(visit(t, browser, url+"#level:oversell", chrome.Look{Width: 360, Height: 740, Scale: 1, Scheme: "light", Language: "en-US"}))
	})
	t.Run("the matrix, with nobody there to serve it", func(t *testing.T) { theMatrix(visit(t, browser, url, chrome.Desktop), stop) })
}

// theStart is the first minute, which a new visitor meets first, the list, and that the keyboard
// alone is enough.
func theStart(p *chrome.Tab) {
	p.Sees("You decide what happens next.")
	p.Press("a", "t", "b")
	p.Sees("Two are inside")
	p.Until(`document.querySelector("#body .diagram svg") !== null`)
	p.Shot("tour")
	p.Press("esc")
	p.Sees("In the tutorials")
	p.Until(`document.querySelector("#body [aria-current]").textContent.startsWith("setnx: ")`)
	p.Shot("start")
	p.Press("down")
	p.Sees("lock 2 of 32")
	p.Until(`document.getElementById("says").textContent.startsWith("setnx-expire")`)
	p.Do(chromedp.Click(`//div[@id="body"]//button[starts-with(., "Begin the course")]`))
	p.Sees("Choose a chapter")
	if n := chrome.Eval[int](p, `[...document.querySelectorAll("nav button")].filter(b => b.checkVisibility() && !["go", "more"].includes(b.id)).length`); n > 3 {
		p.Errorf("%d buttons beside the first one and More", n)
	}
	p.Do(chromedp.NavigateBack())
	p.Sees("In the tutorials")
	p.Do(chromedp.NavigateForward())
	p.Sees("Choose a chapter")
	p.Press("esc")
	p.Sees("In the tutorials")
	seen := map[string]bool{} // what tab comes to, from the top
	for range 80 {
		p.Press("tab")
		seen[chrome.Eval[string](p, `(document.activeElement.id || document.activeElement.dataset.press || "piece") + ":" + getComputedStyle(document.activeElement).outlineStyle`)] = true
	}
	for _, id := range []string{"skip", "body", "piece", "go", "m", "/", "more"} {
		if !seen[id+":solid"] {
			p.Errorf("tab does not come to %s, or it cannot be seen there: %v", id, seen)
		}
	}
}

func aChapter(p *chrome.Tab) {
	p.Sees("step 1/")
	p.Press("esc", "esc", "c", "enter")
	p.Sees("part 1 of")
	p.Press("right")
	p.Sees("predict one run")
	p.Press("G", "u", "G", "right")
	p.Sees("predict another run")
	p.Press("G")
	p.Until(`document.querySelector("#body fieldset legend") !== null`)
	p.Shot("question")
	p.Do(chromedp.Click(`//fieldset//button[1]`))
	p.Until(`document.querySelector("#body fieldset") === null`)
	if kept := chrome.Eval[string](p, `localStorage.getItem("lockstep.progress")`); !strings.Contains(kept, `"last":"set-del"`) {
		p.Errorf("kept: %s", kept)
	}
	p.Do(chromedp.Reload())
	p.Until(`answered`) // before that a press replaces the one before
	p.Press("esc", "esc", "esc")
	p.Sees("Begin the course")
}

// aTalk is a remote's keys, large letters, a blank screen and the timer; nothing is kept.
func aTalk(p *chrome.Tab) {
	p.Sees("step 1/")
	before := chrome.Eval[string](p, `localStorage.getItem("lockstep.progress") || ""`)
	p.Press("P", "5")
	p.Sees("Chapter 5: ")
	p.Press("enter")
	p.Sees("part 1 of 8")
	if size := chrome.Eval[float64](p, `parseFloat(getComputedStyle(document.getElementById("body")).fontSize)`); size < 20 {
		p.Errorf("letters of %v pixels are not large", size)
	}
	if width := chrome.Eval[float64](p, `document.documentElement.scrollWidth - innerWidth`); width > 0 {
		p.Errorf("%v pixels are beside the screen", width)
	}
	onwards := func(to string) {
		for n := 0; !chrome.Eval[bool](p, to); n++ {
			if n == 20 {
				p.Fatalf("20 presses do not lead to %s:\n%s", to, p.Text())
			}
			p.Press("pgdown")
			p.Until(`!turning`)
		}
	}
	onwards(`el("body").scrollHeight > el("body").clientHeight + 8`)
	p.Do(chrome.Script(`window.asked = []; window.asks = ask; ask = r => asked.push(r)`)) // an engine that takes its time
	p.Press("pgdown", "pgdown", "pgdown", "pgdown")
	if n := chrome.Eval[int](p, `asked.length`); n != 3 {
		p.Errorf("one press scrolls a page to its end and three lead on from there; %d did", n)
	}
	p.Do(chrome.Script(`ask = asks; ask(asked[0])`))
	p.Until(`!turning`)
	onwards(`document.body.innerText.includes("Does B get the lock?")`)
	p.Sees("Does B get the lock?", "[1] acquired")
	p.Shot("talk")
	p.Press("a")
	p.Sees("The answer is refused.")
	p.Press("b")
	p.Until(`getComputedStyle(document.body).visibility === "hidden"`)
	p.Press("pgdown")
	p.Until(`getComputedStyle(document.body).visibility === "visible"`)
	p.Sees("The answer is refused.")
	p.Until(`/\b\d+:(0[1-9]|[1-5]\d)\b/.test(document.body.innerText)`) // the time goes on, at whatever pace
	if kept := chrome.Eval[string](p, `localStorage.getItem("lockstep.progress") || ""`); kept != before {
		p.Errorf("kept: %s", kept)
	}
	p.Press("P")
	p.Until(`!document.documentElement.classList.contains("large")`)
}

// aLevel is won by the shortest schedule that there is, and what the explorer has
// found meanwhile, in a worker of its own, is held against it.
func aLevel(p *chrome.Tab) {
	p.Sees("step 1/")
	p.Press("esc", "esc", "b", "enter")
	p.Sees("Sell the last item twice", "Goal")
	p.Press("i")
	p.Sees("Hint 1")
	course := course.Usual()
	i := slices.IndexFunc(course.Levels, func(l scenarios.Level) bool { return l.ID == "oversell" })
	proof, err := matrix.Explorer(matrix.Limits(1<<28))(p.Ctx, &course.Levels[i])
	if err != nil {
		p.Fatal(err)
	}
	for n, a := range proof.Schedule {
		pick(p, cmp.Or(a.Client, "time")+": ")
		p.Sees(fmt.Sprintf("%d move", n+1))
	}
	p.Sees(fmt.Sprintf("Reached: %d moves; fewest %d (proven)", len(proof.Schedule), len(proof.Schedule)))
	p.Shot("level")
}

// pick picks the first move that begins with a text.
func pick(p *chrome.Tab, prefix string) {
	p.Helper()
	p.Do(chromedp.Click(`//section[@class="picks"]//li/button[starts-with(normalize-space(.), "` + prefix + `")]`))
}

func aFork(p *chrome.Tab) {
	p.Sees("step 4/")
	p.Press("t")
	p.Sees("You pick from here")
	p.Press("enter")
	p.Sees("reads stock = 3")
	p.Shot("fork")
}

func token(t *testing.T) string {
	t.Helper()
	c := history.Default()
	c.Strategy = "set-del"
	schedule := testkit.Must(history.ParseSchedule("A*2 B"))(t)
	return history.Token(c, schedule)
}

// aNumber is a missed question for a number: a box takes digits, and a button, or enter, says that it is all.
func aNumber(p *chrome.Tab) {
	p.Until(`answered`)
	p.Do(chrome.Script(`localStorage.setItem("lockstep.progress", JSON.stringify({version: 1, tour: true, last: "zk-herd", chapters: {},
		predictions: {a_release_wakes_the_herd: {"How many clients does this one delete wake?": {first: false, last: false}}}}))`))
	p.Do(chromedp.Reload())
	p.Until(`answered`)
	p.Sees("your turn")
	p.Press("f")
	p.Sees("Type the number.")
	p.Press("x", "2", "9")
	p.Until(`el("query").value === "29" && el("query").inputMode === "numeric" && !el("go").ariaDisabled && !el("go").hidden`)
	p.Shot("number")
	p.Do(chromedp.Click(`//button[@id="go"]`))
	p.Sees("You said 29, but the answer is 1 client.")
	p.Until(`el("search").hidden`)
	p.Shot("number answered")
	p.Press(" ")
	p.Sees("You missed")
}

// aToken leads to its run; that one's own address has it.
func aToken(p *chrome.Tab) {
	p.Sees("SET NX EX and plain DEL", "step 1/")
	if place := chrome.Eval[string](p, `location.hash`); place != "#"+token(p.T)+"@1" {
		p.Errorf("the address ends in %s", place)
	}
	p.Do(chrome.Script(`location.hash = "#a_late_del@3"`))
	p.Sees("step 3/")
	p.Do(chrome.Script(`location.hash = "#ls1.none"`))
	p.Sees("token")
}

// theAddresses lead back, on and, when the page is loaded again, to the same page; a page
// without one of its own is left by the way back as well.
func theAddresses(p *chrome.Tab) {
	at := func(places ...string) {
		p.Helper()
		for _, place := range places {
			p.Until(`decodeURIComponent(location.hash) === "` + place + `" && frame && "#" + frame.place === ("` + place + `" || "#")`)
		}
	}
	at("#tour:")
	p.Press("esc")
	at("")
	p.Press("m", "right")
	at("#matrix:setnx/crash")
	p.Do(chromedp.NavigateBack())
	at("")
	p.Do(chromedp.NavigateForward())
	at("#matrix:setnx/crash")
	p.Do(chromedp.Reload())
	p.Until(`answered`)
	at("#matrix:setnx/crash")
	p.Press("esc", "c", "enter", "right", "right", "?")
	at("#help:course:set-del/work@2")
	for _, place := range []string{"#course:set-del/work@2", "#course:set-del/claim", "#course:"} {
		p.Do(chromedp.NavigateBack())
		at(place)
	}
	for _, place := range []string{"#course:set-del/claim", "#course:set-del/work@2", "#help:course:set-del/work@2"} {
		p.Do(chromedp.NavigateForward())
		at(place)
	}
	p.Do(chromedp.Reload())
	p.Until(`answered`)
	at("#help:course:set-del/work@2")
	p.Do(chrome.Script(`location.hash = "#a_late_del@14"`))
	at("#a_late_del@14")
	p.Press("d", "enter")
	p.Until(`document.querySelectorAll("#body .run").length === 2`)
	p.Do(chromedp.NavigateBack())
	p.Until(`document.querySelectorAll("#body .run").length === 0 && frame.depth === 4`)
	p.Press("esc")
	p.Until(`frame.depth === 3`)
	p.Do(chromedp.NavigateBack())
	at("#help:course:set-del/work@2")
	p.Do(chrome.Script(`location.hash = "#levle:oversel"`))
	p.Sees("No page has the address #levle:oversel;")
	p.Do(chromedp.Click(`//section//li/button[contains(., "Sell the last item twice")]`))
	at("#level:oversell")
	p.Do(chromedp.NavigateBack())
	at("#search:oversel")
	p.Do(chrome.Script(`location.hash = "#nosuchthing"`))
	p.Do(chromedp.Click(`#status a[href="#matrix:set-del/overrun"]`))
	at("#matrix:set-del/overrun")
}

func aPastedStory(p *chrome.Tab) {
	p.Sees("step 1/")
	p.Do(chromedp.Click("#more"), chromedp.Click("#paste"), chromedp.SendKeys("#text", "# <img src=x onerror=alert(1)> & mine.\nworld strategy=set-lua clients=A,B\n\nrun A\n"), chromedp.Click("#play"))
	p.Sees("<img src=x onerror=alert(1)> & mine.")
	if n := chrome.Eval[int](p, `document.querySelectorAll("img").length`); n != 0 {
		p.Errorf("%d pictures", n)
	}
}

// aPhone: nothing is wider than the screen.
func aPhone(p *chrome.Tab) {
	p.Sees("步骤 14/")
	p.Shot("phone")
	if wide := chrome.Eval[int](p, `document.documentElement.scrollWidth`); wide > 390 {
		p.Errorf("%d pixels wide", wide)
	}
	if lang := chrome.Eval[string](p, `document.documentElement.lang`); lang != "zh" {
		p.Errorf("the language is %s", lang)
	}
	p.Press("L")
	p.Sees("step 14")
}

// aFinger finds every button as large as WCAG 2.2 asks (2.5.5), at the level and the list
// of locks.
func aFinger(p *chrome.Tab) {
	p.Touch()
	const small = `[...document.querySelectorAll("button, summary")].filter(b => b.checkVisibility() && b.id !== "skip")
		.filter(b => b.getBoundingClientRect().height < 44).map(b => b.innerText).join("; ")`
	p.Sees("A: begins")
	for _, place := range []string{"level:oversell", ""} {
		p.Do(chrome.Script(`location.hash = "#` + place + `"`))
		p.Until(`(frame.place || "") === "` + place + `"`)
		if found := chrome.Eval[string](p, small); found != "" {
			p.Errorf("at #%s less than 44 pixels high: %s", place, found)
		}
	}
	p.Do(chrome.Script(`location.hash = "#a_late_del@4"`))
	p.Until(`frame.place === "a_late_del@4" && document.querySelector("#keys button") !== null`)
	if !chrome.Eval[bool](p, `(() => {
		const under = document.querySelector("#keys button"), more = {press: "zz", does: "what has just been computed", rank: 1};
		drawKeys({...frame, keys: [more, ...frame.keys]}, frame);
		const stays = under.isConnected && document.querySelector("#keys button") === under;
		drawKeys(frame);
		return stays;
	})()`) {
		p.Errorf("what is computed takes the place of a button")
	}
	p.Do(chrome.Script(`location.hash = "#a_late_del@25"`))
	p.Until(`(frame.place || "").startsWith("a_late_del") && document.querySelector("fieldset") !== null`)
	p.Tap("#more")
	p.Until(`document.getElementById("rare").open`)
	if !chrome.Eval[bool](p, `(() => {
		const under = document.querySelector("#rare-keys button");
		drawKeys(frame);
		return under.isConnected;
	})()`) {
		p.Errorf("a frame takes the button away from under a finger")
	}
	p.Tap(`#rare-keys button[data-press="P"]`)
	p.Until(`document.documentElement.classList.contains("large") && !document.getElementById("rare").open && document.querySelector("#rare button[data-press]") === null`)
	p.Tap(`#go[data-press="pgdown"]`)
}

// theMatrix is computed and looked at when the server has gone.
func theMatrix(p *chrome.Tab, stop func()) {
	stop()
	p.Press("esc", "m")
	p.Sees("✓ holds", "stuck")
	p.Do(chromedp.Click(`//td/button[@aria-label="setnx, crash: ✗ stuck"]`))
	p.Sees("lock-recovers")
	p.Shot("matrix")
	p.Press("enter")
	p.Sees("step 1/")
}

// TestMatrixOfTheSite: the matrix that comes with a site is there at once, from a disk too,
// and on a phone it is a list by lock, of which a tap opens a cell.
func TestMatrixOfTheSite(t *testing.T) {
	inABrowser(t)
	p := visit(t, chrome.Start(t), "file://"+written(t, withMatrix(t))+"/index.html#matrix:set-del/overrun", chrome.Look{Width: 360, Height: 740, Scale: 1, Scheme: "dark", Language: "en-US"})
	p.Touch()
	p.Sees(fmt.Sprintf("%d of 544 cells, computed for this site by lockstep v9", 2*len(explore.Hazards())), "VIOLATED") // of two locks
	if n := chrome.Eval[int](p, `jobs.size`); n != 0 {
		p.Errorf("%d workers compute it", n)
	}
	if n := chrome.Eval[int](p, `[...document.querySelectorAll("td")].filter(d => d.checkVisibility()).length`); n != len(explore.Hazards()) {
		p.Errorf("%d cells are shown, want those of one lock", n)
	}
	p.Tap("tbody tr:nth-child(1) .pick")
	p.Until(`frame.place === "matrix:setnx/overrun"`)
	p.Tap(`[aria-label="setnx, crash: ✗ stuck"]`)
	p.Sees("step 1/", "lock-recovers under crash")
	p.Do(chromedp.NavigateBack())
	p.Until(`frame.place === "matrix:setnx/crash"`)
	p.Press("r")
	p.Until(`jobs.size === 1`)
}

// TestWidePicture: on a phone, a picture that is wider than the screen shows the lane of its last
// step, and stays where a finger has moved it if the next step shows there.
func TestWidePicture(t *testing.T) {
	inABrowser(t)
	p := visit(t, chrome.Start(t), "file://"+written(t, siteOf(t))+"/index.html#a_release_wakes_the_herd@8", chrome.Look{Width: 360, Height: 740, Scale: 2, Scheme: "light", Language: "en-US"})
	p.Touch()
	shows := func(step int, lane string, want bool) {
		t.Helper()
		p.Sees(fmt.Sprintf("step %d/", step))
		p.Shot(fmt.Sprint("wide-", step))
		if is := chrome.Eval[bool](p, `(view => [...document.querySelectorAll(".names text")].some(t => {
			const b = t.getBoundingClientRect();
			return t.textContent === "`+lane+`" && b.left >= view.left && b.right <= view.right;
		}))(document.querySelector(".diagram").getBoundingClientRect())`); is != want {
			t.Errorf("step %d shows lane %s: %t", step, lane, is)
		}
	}
	shows(8, "A", true) // A enters
	shows(8, "r1", false)
	p.Press("right")
	shows(9, "r1", true) // B's request arrives
	far := chrome.Eval[int](p, `(d => { d.scrollLeft = d.scrollWidth; return d.scrollLeft })(document.querySelector(".diagram"))`)
	p.Press("right")
	shows(10, "r1", true)
	if at := chrome.Eval[int](p, `document.querySelector(".diagram").scrollLeft`); at != far {
		t.Errorf("the picture has moved from %d to %d", far, at)
	}
}

// TestFromADisk: the page works where nothing can be fetched.
func TestFromADisk(t *testing.T) {
	inABrowser(t)
	browser := chrome.Start(t)
	p := visit(t, browser, "file://"+written(t, siteOf(t))+"/index.html#a_late_del@3", chrome.Desktop)
	p.Sees("step 3/")
	p.Press("right")
	p.Sees("step 4/")
}

// TestCourse: a site of a course opens at it.
func TestCourse(t *testing.T) {
	inABrowser(t)
	site := maps.Clone(siteOf(t))
	if err := site.TakeCourse(t.Context(), "none"); err == nil {
		t.Error("there is a course none")
	}
	testkit.OK(t, site.TakeCourse(t.Context(), "what-redlock-assumes"))
	dir := t.TempDir()
	testkit.OK(t, site.Write(dir))
	p := visit(t, chrome.Start(t), "file://"+dir+"/index.html", chrome.Desktop)
	p.Sees("What Redlock assumes")
	p.Shot("course")
}

// TestOffline: a page that was loaded whole comes again without its server.
func TestOffline(t *testing.T) {
	inABrowser(t)
	url, stop := served(t, siteOf(t))
	p := visit(t, chrome.Start(t), url+"#a_late_del@3", chrome.Desktop)
	p.Sees("step 3/")
	if _, err := chrome.Run(p, chromedp.Poll[bool](`(async () => await caches.match("engine.bin") !== undefined)()`, chromedp.WithPollingTimeout(time.Minute))); err != nil {
		p.Fatal(err)
	}
	stop()
	p.Do(chromedp.Reload())
	p.Sees("step 3/")
	p.Press("right")
	p.Sees("step 4/")
}

// TestBeforeTheEngine: the page of an address is there while the engine loads, in the
// reader's language. A click on it is noted at once, with how long it takes, and counts as
// soon as the engine has come; of several, the last. A page that is only near that of the
// address is said to be, and takes no clicks.
func TestBeforeTheEngine(t *testing.T) {
	inABrowser(t)
	files, comes := http.FileServer(http.Dir(written(t, siteOf(t)))), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/engine.bin" {
			size := len(siteOf(t)["engine.bin"])
			w.Header().Set("Content-Length", strconv.Itoa(size))
			_, _ = w.Write(siteOf(t)["engine.bin"][:size/2])
			_ = http.NewResponseController(w).Flush()
			select {
			case <-comes:
			case <-r.Context().Done():
			}
			_, _ = w.Write(siteOf(t)["engine.bin"][size/2:])
			return
		}
		files.ServeHTTP(w, r)
	}))
	defer server.Close()
	come := sync.OnceFunc(func() { close(comes) })
	defer come() // what waits for it keeps the server
	home := visit(t, chrome.Start(t), server.URL+"/", chrome.Look{Width: 360, Height: 740, Scale: 1, Scheme: "light", Language: "zh-CN"})
	p := visit(t, chrome.Start(t), server.URL+"/#course:", chrome.Look{Width: 360, Height: 740, Scale: 1, Scheme: "light", Language: "zh-CN"})
	mb := func(bytes int) string { return fmt.Sprintf("%.1f", float64(bytes)/1e6) }
	size := len(siteOf(t)["engine.bin"])
	home.Sees("接下来发生什么，由你决定。", "正在加载引擎："+mb(size/2)+"/"+mb(size)+" MB，还需 0:")
	home.Until(`document.querySelectorAll("#body .diagram svg").length === 2`)
	p.Sees("正在加载引擎")
	p.Shot("early")
	deep := visit(t, chrome.Start(t), server.URL+"/#del_removes_the_next_holders_lock@14", chrome.Desktop)
	deep.Sees("A DEL lock:stock -> 1", "Loading the engine: "+mb(size/2)+" of "+mb(size)+" MB")
	level := visit(t, chrome.Start(t), server.URL+"/#level:oversell", chrome.Desktop)
	level.Sees("Goal", "Make both sell that item", "Loading the engine")
	near := visit(t, chrome.Start(t), server.URL+"/#course:set-del/work@2", chrome.Desktop)
	near.Sees("what it claims", "The page of this address needs the engine.")
	near.Press("right")
	near.Do(chromedp.Click("#go"))
	level.Do(chromedp.Click(`//section[@class="picks"]//li/button[contains(., "A: begins")]`))
	level.Sees("Noted: that happens as soon as the engine is here.", "Loading the engine: "+mb(size/2)+" of "+mb(size)+" MB")
	level.Until(`document.querySelector("[aria-busy]").innerText.includes("A: begins") && document.getElementById("says").textContent.startsWith("Noted")`)
	for _, first := range []string{"watch-del", "setnx-expire", "set-lua"} {
		p.Do(chromedp.Click(`//section//li/button[contains(., "` + first + `")]`))
	}
	p.Until(`document.querySelectorAll("[aria-busy]").length === 1`)
	level.Shot("noted")
	// The engine begins where an address has led last, and shows nothing else on the way: a key that is pressed then is for that page.
	deep.Do(chrome.Script(`window.places = []; addEventListener("drawn", () => answered && places.push(frame.place))`))
	for _, place := range []string{"level:oversell", "del_removes_the_next_holders_lock@14"} {
		deep.Do(chrome.Script(`location.hash = "#` + place + `"`))
		deep.Until(`frame.place === "` + place + `"`)
	}
	come()
	level.Sees("1 move")
	level.Until(`document.querySelector("[aria-busy]") === null && location.hash === "#level:oversell"`)
	near.Until(`answered && location.hash === "#course:set-del/work@2" && frame.place === "course:set-del/work@2"`)
	p.Until(`location.hash.startsWith("#course:set-lua")`)
	home.Until(`answered && location.hash === "#tour:"`)
	p.Shot("later")
	deep.Press("right")
	deep.Sees("step 15/")
	if places := chrome.Eval[[]string](deep, `[...new Set(places)]`); !slices.Equal(places, []string{"del_removes_the_next_holders_lock@14", "del_removes_the_next_holders_lock@15"}) {
		t.Errorf("the pages of the engine are %v", places)
	}
}
