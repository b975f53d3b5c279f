package web

import (
	"os"
	"testing"
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
	browser := chromium(t)
	url, _ := served(t)
	for _, l := range []look{desktop, {390, 844, 2, "light", "en-US"}, {640, 400, 2, "dark", "zh-CN"}} {
		p := visit(t, browser, url, l)
		p.until(`module !== null`) // the engine, which axe-core would take for its own
		p.do(script(string(rules)))
		fine := func(where string) {
			t.Helper()
			if found := eval[string](p, axe); found != "" {
				t.Errorf("%s, %d pixels, %s: %s", where, l.width, l.scheme, found)
			}
		}
		p.press("?", "T")
		p.until(`document.querySelector("#body .prose + .run svg") !== null`)
		fine("the tour")
		p.press("q", "esc")
		p.until(`document.querySelector("h1").textContent === "Lockstep"`)
		fine("the start")
		p.do(script(`document.getElementById("rare").open = true`))
		fine("all keys")
		p.press("/", "d")
		p.until(`!document.getElementById("search").hidden`)
		fine("a search")
		p.press("esc", "esc")
		p.until(`document.getElementById("search").hidden`)
		p.press("?")
		p.until(`!document.getElementById("body").innerText.includes("set-del")`)
		fine("the help")
		p.press("esc", "m")
		p.until(`document.getElementById("body").innerText.includes("✗ ")`)
		fine("the matrix")
		p.do(script(`location.hash = "#del_removes_the_next_holders_lock@14"`))
		p.until(`document.getElementById("status").textContent.includes("14/")`)
		fine("a violation")
		p.press("d", "enter")
		p.until(`document.querySelectorAll("#body .run svg").length === 4`)
		fine("two runs side by side")
		p.press("esc", "esc", "P")
		p.until(`document.documentElement.classList.contains("large")`)
		fine("a trainer's page")
		p.press("P")
		p.until(`!document.documentElement.classList.contains("large")`)
		p.do(script(`document.getElementById("paste").click()`))
		fine("a story to be pasted")
	}
}
