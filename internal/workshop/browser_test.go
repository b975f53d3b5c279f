package workshop_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"lockstep/internal/course"
	"lockstep/internal/testkit"
	"lockstep/internal/testkit/chrome"
	"lockstep/internal/web"
	"lockstep/internal/workshop"
	"lockstep/scenarios"
	"lockstep/sim/history"
)

var (
	phone   = chrome.Look{Width: 360, Height: 740, Scale: 1, Scheme: "light", Language: "en-US"}
	chinese = chrome.Look{Width: 360, Height: 740, Scale: 1, Scheme: "dark", Language: "zh-CN"}
	laptop  = chrome.Look{Width: 1280, Height: 800, Scale: 1, Scheme: "light", Language: "en-US"}
	screen  = chrome.Look{Width: 1920, Height: 1080, Scale: 1, Scheme: "light", Language: "en-US"}
)

// inABrowser skips a test that drives the pages in a browser unless long tests run.
func inABrowser(t *testing.T) {
	t.Helper()
	testkit.Long(t, "it starts a browser; TestWords checks the texts of the pages, and the tests of the server what it sends them")
}

// A server is a workshop that can be stopped and started again at the same address.
type server struct {
	*testing.T
	options workshop.Options
	listens net.Listener
	url     string
	key     string // of the first start
	stop    func()
}

// begin opens a workshop, with the site of a folder if one is named.
func begin(t *testing.T, site string) *server {
	t.Helper()
	l := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	s := &server{T: t, listens: l, url: "http://" + l.Addr().String() + "/"}
	s.options = workshop.Options{File: filepath.Join(t.TempDir(), "room.db"), Join: s.url, Tell: func(err error) { t.Error(err) }}
	if site != "" {
		s.options.Site = testkit.Must(web.Open(site))(t)
		t.Cleanup(s.options.Site.Close)
	}
	s.start()
	t.Cleanup(func() { s.stop() })
	return s
}

// start opens the room as it was left.
func (s *server) start() {
	s.Helper()
	var err error
	if s.listens == nil {
		if s.listens, err = net.Listen("tcp", strings.Trim(strings.TrimPrefix(s.url, "http:"), "/")); err != nil {
			s.Fatal(err)
		}
	}
	room, err := workshop.New(s.Context(), s.options)
	if err != nil {
		s.Fatal(err)
	}
	s.key = cmp.Or(s.key, room.Key())
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.Context()))
	ended := make(chan error, 1)
	go func(l net.Listener) { ended <- room.Serve(ctx, l) }(s.listens)
	s.listens = nil
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := errors.Join(<-ended, room.Close()); err != nil {
			s.Error(err)
		}
	})
}

// train opens the trainer's page.
func (s *server) train(browser context.Context, l chrome.Look) *chrome.Tab {
	s.Helper()
	p := chrome.Visit(s.T, browser, s.url+"trainer?key="+s.key, l)
	p.Until(`!document.getElementById("go").hidden && document.querySelector("#contest-level option") !== null`)
	return p
}

// solution is the token of the shortest way to sell the last item twice.
func solution(t *testing.T) (string, history.Schedule) {
	t.Helper()
	course := course.Usual()
	i := slices.IndexFunc(course.Levels, func(l scenarios.Level) bool { return l.ID == "oversell" })
	schedule := testkit.Must(history.ParseSchedule("A*4 B tick B*4 A"))(t)
	return history.Token(course.Levels[i].Config, schedule), schedule
}

// join opens the participant's page, with a finger where the screen is a phone's, and joins
// under a name.
func join(t *testing.T, browser context.Context, url string, l chrome.Look, name, team string) *chrome.Tab {
	t.Helper()
	p := chrome.Visit(t, browser, url, l)
	if l.Width < 640 {
		p.Touch()
	}
	p.Until(`!document.getElementById("join").hidden && document.getElementById("name").value !== ""`)
	fine(p, "joining")
	p.Do(set("name", name), set("team", team))
	press(p, "#join button")
	p.Until(`!document.getElementById("class").hidden && document.getElementById("join").hidden`)
	return p
}

// set writes a text into a field, in place of what is there.
func set(id, text string) chromedp.Action[chromedp.Void] {
	return chrome.Script(`document.getElementById(` + chrome.Quote(id) + `).value = ` + chrome.Quote(text))
}

// press clicks an element, or taps it where there is a finger.
func press(p *chrome.Tab, selector string) {
	p.Helper()
	if chrome.Eval[bool](p, `matchMedia("(pointer: coarse)").matches`) {
		p.Tap(selector)
	} else {
		p.Do(chromedp.Click(selector))
	}
}

// axe runs axe-core on the page and says what it has against it, one a line.
const axe = `axe.run({resultTypes: ["violations"]}).then(r =>
	r.violations.map(v => v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map(n => n.html + " " + n.failureSummary).join(" | ")).join("\n"))`

// small lists what is too small for a finger (WCAG 2.2, 2.5.5).
const small = `!matchMedia("(pointer: coarse)").matches ? "" : [...document.querySelectorAll("button, summary, input, select, a")].filter(b => b.checkVisibility() && b.id !== "skip")
	.filter(b => b.getBoundingClientRect().height < 44).map(b => b.id + b.innerText).join("; ")`

// fine reports what axe-core has against a page, what a finger does not hit, and what is
// beside the screen.
func fine(p *chrome.Tab, where string) {
	p.Helper()
	if rules, err := os.ReadFile("../web/testdata/axe/node_modules/axe-core/axe.min.js"); err == nil {
		p.Do(chrome.Script(string(rules)))
		if found := chrome.Eval[string](p, axe); found != "" {
			p.Errorf("%s: %s", where, found)
		}
	} else {
		p.Logf("no axe-core: npm ci in internal/web/testdata/axe installs it")
	}
	if found := chrome.Eval[string](p, small); found != "" {
		p.Errorf("%s: less than 44 pixels high: %s", where, found)
	}
	if found := chrome.Eval[string](p, `[...document.querySelectorAll("nav button")].filter(b => b.checkVisibility() && b.getBoundingClientRect().right > innerWidth).map(b => b.innerText).join("; ")`); found != "" {
		p.Errorf("%s: beyond the edge: %s", where, found)
	}
	if wide := chrome.Eval[int](p, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
		p.Errorf("%s: %d pixels are beside the screen", where, wide)
	}
}

// TestPagesOfAClass: a trainer leads three participants through a question of a story, with an
// interruption, and through a contest.
func TestPagesOfAClass(t *testing.T) {
	inABrowser(t)
	s := begin(t, "")
	browser := chrome.Start(t)
	trainer := s.train(browser, laptop)
	beamer := chrome.Visit(t, browser, s.url+"beamer", screen)
	beamer.Until(`frame?.place === "tour:"`) // what the class will see first does not hide how to join
	beamer.Sees("Join on your phone or laptop", strings.Trim(strings.TrimPrefix(s.url, "http:"), "/"))
	beamer.Until(`document.getElementById("qr").naturalWidth > 0`)
	fine(beamer, "the address")
	heron := join(t, browser, s.url, phone, "Heron", "Water")
	otter := join(t, browser, s.url, chinese, "Otter", "Water")
	crane := join(t, browser, s.url, laptop, "Crane", "")

	trainer.Do(chrome.Script(`ask({place: "a_late_del@24"})`))
	heron.Sees("step 24/")
	otter.Sees("步骤 24/")
	beamer.Sees("step 24/")
	fine(heron, "following")
	heron.Do(chrome.Script(`scrollTo(0, 1e6)`)) // it reads what stands below
	trainer.Press("right")
	for _, p := range []*chrome.Tab{heron, crane, beamer, trainer} {
		p.Sees("Whose lock does B's DEL remove?")
	}
	otter.Until(`document.querySelectorAll(".choices button").length > 2`)
	fine(heron, "a question")
	heron.Until(`[...document.querySelectorAll(".choices button"), document.querySelector(".steps > li:last-child")].every(e => {
		const r = e.getBoundingClientRect();
		return document.elementFromPoint(r.left + 30, r.top + 5)?.closest(".choices button, .steps > li:last-child") === e && r.bottom <= document.getElementById("pages").getBoundingClientRect().top;
	})`)
	fine(otter, "a question")
	fine(trainer, "a question")
	fine(beamer, "a question")
	heron.Shot("workshop_phone")
	press(heron, ".choices button:nth-child(1)")
	heron.Sees("Your answer is kept")
	press(heron, ".choices button:nth-child(2)")
	heron.Until(`document.querySelector(".choices button:nth-child(2)").innerText.includes("your answer") && document.querySelector(".answered").innerText.includes("is kept")`)
	press(otter, ".choices button:nth-child(1)")
	otter.Sees("你的答案已保存")
	trainer.Sees("Answers: 2 of")

	lookBack(heron)

	t.Run("a server that starts again", func(*testing.T) {
		s.stop()
		heron.Sees("Reconnecting")
		otter.Sees("正在重新连接")
		press(crane, ".choices button:nth-child(3)")
		crane.Sees("It will be sent by itself")
		s.start()
		crane.Sees("Your answer is kept")
		for _, p := range []*chrome.Tab{heron, otter, crane, trainer, beamer} {
			p.Until(`document.getElementById("link").textContent === ""`)
		}
		heron.Sees("your answer", "step 25/")
		trainer.Sees("Answers: 3 of")
	})

	press(trainer, "#reveal")
	for _, p := range []*chrome.Tab{heron, crane, beamer} {
		p.Sees("✓ right", "1 (33 %)")
	}
	otter.Sees("✓ 正确", "1 人（33%）")
	heron.Sees("your answer")
	heron.Sees("step 26/")
	fine(heron, "an answer")
	fine(trainer, "an answer")
	fine(beamer, "an answer")
	beamer.Shot("workshop_beamer")

	aContest(trainer, heron, otter, beamer)

	aStory(trainer, heron)
	trainer.Do(chrome.Script(`document.getElementById("ask-own").click()`), set("ask-question", "Is it <b>clear</b>?"), set("ask-options", "yes\nno\n"))
	press(trainer, "#ask button[type=submit]")
	heron.Sees("Is it <b>clear</b>?")
	press(heron, ".choices button:nth-child(1)")
	heron.Sees("Your answer is kept")
	trainer.Sees("Answers: 1 of")
	press(trainer, "#reset")
	trainer.Sees("Drop the answers (1)?")
	press(trainer, "#reset")
	heron.Sees("Choose an answer")

	t.Run("an answer to a round that is over", func(*testing.T) {
		crane.Do(chrome.Script(`{
			const asks = fetch;
			globalThis.mend = () => { globalThis.fetch = asks; };
			globalThis.fetch = (what, ...how) => what === "/api/answer" ? Promise.reject(new Error("no network")) : asks(what, ...how);
		}`))
		press(crane, ".choices button:nth-child(2)")
		crane.Sees("It will be sent by itself")
		press(trainer, "#reset")
		press(trainer, "#reset")
		crane.Sees("Choose an answer")
		crane.Do(chrome.Script(`mend()`))
		if pending := chrome.Eval[string](crane, `JSON.stringify(answer)`); pending != "null" {
			t.Errorf("%s is still to be sent", pending)
		}
	})

	t.Run("a page that was asleep", func(*testing.T) {
		crane.Do(chrome.Script(`dispatchEvent(new Event("offline"))`))
		crane.Sees("Reconnecting")
		crane.Do(chrome.Script(`dispatchEvent(new Event("online"))`))
		crane.Until(`document.getElementById("link").textContent === ""`)
		// It takes a connection that has been silent for a minute for dead.
		crane.Do(chrome.Script(`{
			const asks = fetch;
			let now = Date.now();
			globalThis.asked = 0;
			globalThis.fetch = (...what) => { asked++; return asks(...what); };
			Date.now = () => now += 60_000; // since the last look, whatever has come meanwhile
		}`))
		crane.Until(`asked > 0`)
	})
	press(otter, `[data-lang="en"]`)
	otter.Sees("You are Otter")
	press(otter, "#before") // which only the server has, in this language
	otter.Sees("Back to the trainer", "the trainer is on")
	press(otter, "#back")
	otter.Until(`!document.getElementById("back").checkVisibility()`)
	press(trainer, `[data-lang="zh"]`)
	trainer.Sees("由你操作")
	trainer.Shot("workshop_trainer")

	t.Run("another room", func(t *testing.T) {
		s.stop()
		s.options.File = filepath.Join(t.TempDir(), "another.db")
		s.start()
		trainer.Sees("此页面仅供讲师使用")
		heron.Until(`(async () => (await fetch("/api/me")).ok)()`)
		if who := chrome.Eval[string](heron, `fetch("/api/me").then(got => got.json()).then(me => me.name + ", " + me.team)`); who != "Heron, Water" {
			t.Errorf("in another room Heron is %s", who)
		}
		s.stop() // before its file goes
	})
}

// lookBack: the page stays at an earlier frame until one tap leads back.
func lookBack(p *chrome.Tab) {
	p.Helper()
	press(p, "#before")
	p.Sees("step 24/", "Back to the trainer")
	fine(p, "looking back")
	press(p, "#back")
	p.Sees("step 25/")
	if chrome.Eval[bool](p, `document.getElementById("back").checkVisibility()`) {
		p.Error("back with the trainer, there is still a way back")
	}
	p.Press("left")
	p.Sees("step 24/")
	p.Press("esc")
	p.Sees("step 25/")
}

// aStory: a participant hands in a story, and the trainer opens it for all.
func aStory(trainer, heron *chrome.Tab) {
	trainer.Helper()
	press(heron, "#share")
	press(heron, "#story-form button[type=submit]")
	heron.Until(`document.getElementById("story-trouble").textContent !== ""`)
	fine(heron, "a story")
	heron.Do(set("story-title", "Mine"), set("text", "# <img src=x> & mine.\nworld strategy=set-lua clients=A,B\n\nrun A\n"))
	press(heron, "#story-form button[type=submit]")
	heron.Sees("Handed in. The trainer can open it.")
	press(trainer, "#shared-again")
	trainer.Sees("Mine, by Water")
	press(trainer, "#shared button")
	heron.Sees("<img src=x> & mine.", "step 1/")
}

// aContest: the trainer opens a level, and one hands its solution in.
func aContest(trainer, heron, otter, beamer *chrome.Tab) {
	trainer.Helper()
	trainer.Do(set("contest-level", "oversell"))
	press(trainer, "#contest-set button[type=submit]")
	heron.Sees("The trainer opens it")
	press(trainer, "#contest-open")
	press(trainer, `[data-minutes="5"]`)
	heron.Sees("4:5")
	heron.Do(chromedp.SendKeys("#token", "nonsense"))
	press(heron, "#hand-in button")
	heron.Until(`document.getElementById("told").checkVisibility()`)
	token, _ := solution(trainer.T)
	heron.Do(set("token", token))
	press(heron, "#hand-in button")
	heron.Sees("Handed in", "Heron (you)")
	otter.Sees("Heron")
	beamer.Sees("Heron")
	fine(heron, "a contest")
	heron.Shot("workshop_contest")
	press(trainer, "#contest-close")
	heron.Sees("The contest is over")
}

// TestPageOfALevel: who solves a level on the site that the workshop serves hands it in there.
func TestPageOfALevel(t *testing.T) {
	inABrowser(t)
	site := testkit.Must(web.Build(t.Context(), "../.."))(t)
	testkit.OK(t, site.TakeCourse(t.Context(), ""))
	dir := filepath.Join(t.TempDir(), "site")
	testkit.OK(t, site.Write(dir))
	s := begin(t, dir)
	browser := chrome.Start(t)
	trainer := s.train(browser, laptop)
	heron := join(t, browser, s.url, phone, "Heron", "")
	trainer.Do(set("contest-level", "oversell"))
	press(trainer, "#contest-set button[type=submit]")
	press(trainer, "#contest-open")
	heron.Until(`document.getElementById("play-link").checkVisibility()`)
	heron.Do(chromedp.Navigate(chrome.Eval[string](heron, `document.getElementById("play-link").href`)))
	heron.Sees("Sell the last item twice", "Goal", "To the class")
	_, schedule := solution(t)
	for n, a := range schedule {
		heron.Until(`[...document.querySelectorAll("section.picks li button")].some(b => b.innerText.trim().startsWith(` + chrome.Quote(cmp.Or(a.Client, "time")+": ") + `))`)
		heron.Do(chrome.Script(`[...document.querySelectorAll("section.picks li button")].find(b => b.innerText.trim().startsWith(` + chrome.Quote(cmp.Or(a.Client, "time")+": ") + `)).click()`))
		heron.Sees(fmt.Sprintf("%d move", n+1))
	}
	heron.Sees("Solved: hand it in")
	fine(heron, "a level that is solved")
	heron.Shot("workshop_level")
	press(heron, "#workshop button")
	heron.Sees("Handed in. Your best: 11 moves, place 1")
	trainer.Sees("Heron")
	heron.Do(chromedp.Navigate(chrome.Eval[string](heron, `document.querySelector("#workshop a").href`)))
	heron.Sees("Heron (you)")
}
