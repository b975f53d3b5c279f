package workshop_test

import (
	"context"
	"os"
	"testing"

	"github.com/chromedp/chromedp"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/chrome"
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
const small = `!matchMedia("(pointer: coarse)").matches ? "" : [...document.querySelectorAll("button, summary, input, select, a")].filter(b => b.checkVisibility())
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
	if wide := chrome.Eval[int](p, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
		p.Errorf("%s: %d pixels are beside the screen", where, wide)
	}
}

// TestClass: a trainer leads three participants through a question of a story, with an
// interruption, and through a contest.
func TestClass(t *testing.T) {
	inABrowser(t)
	s := begin(t)
	browser := chrome.Start(t)
	trainer := chrome.Visit(t, browser, s.trainer, laptop)
	trainer.Until(`document.querySelector("#keys button") !== null`)
	beamer := chrome.Visit(t, browser, s.url+"beamer", screen)
	heron := join(t, browser, s.url, phone, "Heron", "Water")
	otter := join(t, browser, s.url, chinese, "Otter", "Water")
	crane := join(t, browser, s.url, laptop, "Crane", "")

	trainer.Do(chrome.Script(`ask({place: "a_late_del@24"})`))
	heron.Sees("step 24/")
	otter.Sees("步骤 24/")
	beamer.Sees("step 24/")
	fine(heron, "following")
	trainer.Press("right")
	for _, p := range []*chrome.Tab{heron, crane, beamer, trainer} {
		p.Sees("Whose lock does B's DEL remove?")
	}
	otter.Until(`document.querySelectorAll(".choices button").length > 2`)
	fine(heron, "a question")
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

	t.Run("a page that was asleep", func(*testing.T) {
		crane.Do(chrome.Script(`dispatchEvent(new Event("offline"))`))
		crane.Sees("Reconnecting")
		crane.Do(chrome.Script(`dispatchEvent(new Event("online"))`))
		crane.Until(`document.getElementById("link").textContent === ""`)
	})
	press(otter, `[data-lang="en"]`)
	otter.Sees("step 26/", "You are Otter")
	press(trainer, `[data-lang="zh"]`)
	trainer.Sees("由你操作")
	trainer.Shot("workshop_trainer")
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

// aContest: the trainer opens a level, and one hands its solution in.
func aContest(trainer, heron, otter, beamer *chrome.Tab) {
	trainer.Helper()
	trainer.Until(`document.querySelector("#contest-level option") !== null`)
	trainer.Do(set("contest-level", "oversell"))
	press(trainer, "#contest-set button[type=submit]")
	heron.Sees("The trainer opens it")
	press(trainer, "#contest-open")
	press(trainer, `[data-minutes="5"]`)
	heron.Sees("4:5")
	heron.Do(chromedp.SendKeys("#token", "nonsense"))
	press(heron, "#hand-in button")
	heron.Sees("token")
	heron.Do(set("token", solution))
	press(heron, "#hand-in button")
	heron.Sees("Handed in", "Heron (you)")
	otter.Sees("Heron")
	beamer.Sees("Heron")
	fine(heron, "a contest")
	heron.Shot("workshop_contest")
	press(trainer, "#contest-close")
	heron.Sees("The contest is over")
}
