package web

import (
	"os"
	"testing"

	"lockstep/internal/testkit/chrome"
)

// axe runs axe-core on the page and says what it has against it, one a line.
const axe = `axe.run({resultTypes: ["violations"]}).then(r =>
	r.violations.map(v => v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map(n => n.html + " " + n.failureSummary).join(" | ")).join("\n"))`

// TestAccessible: axe-core has nothing against any kind of page, dark or light, at any
// width.
func TestAccessible(t *testing.T) {
	inABrowser(t)
	rules, err := os.ReadFile("testdata/axe/node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Skip("no axe-core: npm ci in internal/web/testdata/axe installs it")
	}
	browser := chrome.Start(t)
	url, _ := served(t, withMatrix(t))
	for _, l := range []chrome.Look{chrome.Desktop, {Width: 390, Height: 844, Scale: 2, Scheme: "light", Language: "en-US", Touch: true}, {Width: 640, Height: 400, Scale: 2, Scheme: "dark", Language: "zh-CN"}} {
		p := visit(t, browser, url, l)
		p.Until(`module !== null`) // the engine, which axe-core would take for its own
		p.Do(chrome.Script(string(rules)))
		fine := func(where string) {
			t.Helper()
			if found := chrome.Eval[string](p, axe); found != "" {
				t.Errorf("%s, %d pixels, %s: %s", where, l.Width, l.Scheme, found)
			}
		}
		p.Until(`document.querySelector("#body .prose + .run svg") !== null`)
		fine("the tour")
		p.Press("esc")
		p.Until(`document.querySelector("h1").textContent === "Lockstep"`)
		fine("the start")
		p.Do(chrome.Script(`document.getElementById("more").click()`))
		fine("all keys")
		p.Press("esc")
		p.Until(`!document.getElementById("rare").open`)
		p.Press("/", "d")
		p.Until(`!document.getElementById("search").hidden`)
		fine("a search")
		p.Press("esc", "esc")
		p.Until(`document.getElementById("search").hidden`)
		p.Press("?")
		p.Until(`!document.getElementById("body").innerText.includes("set-del")`)
		fine("the help")
		p.Press("esc", "m")
		p.Until(`document.getElementById("body").innerText.includes("✗ ")`)
		fine("the matrix")
		p.Do(chrome.Script(`location.hash = "#del_removes_the_next_holders_lock@14"`))
		p.Until(`document.getElementById("status").textContent.includes("14/")`)
		fine("a violation")
		p.Press("d", "enter")
		p.Until(`document.querySelectorAll("#body .diagram svg").length === 4`)
		fine("two runs side by side")
		p.Press("esc", "esc", "P")
		p.Until(`document.documentElement.classList.contains("large")`)
		fine("a trainer's page")
		p.Press("P")
		p.Until(`!document.documentElement.classList.contains("large")`)
		p.Do(chrome.Script(`document.getElementById("more").click(); document.getElementById("paste").click()`))
		fine("a story to be pasted")
	}
}
