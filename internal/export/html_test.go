package export

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"lockstep/internal/testkit"
	"lockstep/scenarios"
)

const (
	here   = `[...document.querySelectorAll(".steps li")].findIndex((r) => r.classList.contains("here")) + 1`
	shown  = `[...document.querySelectorAll(document.querySelector(".live") ? ".steps li" : "tr.s")].filter((r) => r.offsetHeight > 0).length`
	drawn  = `parseFloat(document.querySelector(".clip").style.height) === document.querySelector(".steps li:nth-last-child(1 of :not([hidden]))").getBoundingClientRect().bottom - document.querySelector(".steps").getBoundingClientRect().top` // as far as the rows
	asking = `document.querySelectorAll(".now .choices button").length`
	status = `document.querySelector("[role=status]").textContent`
)

// TestPageStepByStep goes through a page as a reader would.
func TestPageStepByStep(t *testing.T) {
	l := lessonOf(t, sample, "en")
	text := testkit.Must(l.HTML())(t)
	b := openTab(t)
	b.size(1280, 900)
	b.open("page.html", text, "")
	want(b, here, 1)
	want(b, shown, 1)
	b.Press(kb.ArrowRight, " ", "l", kb.ArrowLeft)
	want(b, here, 3)
	want(b, `location.hash`, "#step-3")
	if said := eval[string](b, status); !strings.Contains(said, l.Commands[1].Words) && !strings.Contains(said, l.said(l.Rows[2])) {
		t.Errorf("a screen reader hears %q", said)
	}
	want(b, drawn, true)
	for i, said := range eval[[]string](b, `[...document.querySelectorAll(".steps .w")].map((e) => e.textContent)`) {
		if want := strings.TrimSpace(l.Rows[i].Who + " " + l.said(l.Rows[i])); said != want {
			t.Errorf("beside the diagram, step %d is %q, not %q", i+1, said, want)
		}
	}
	q := l.Questions()[0]
	b.Press(kb.End)
	asked := eval[int](b, here)
	if asked >= q.Step {
		t.Errorf("the end is at step %d: the question before step %d was not asked", asked, q.Step)
	}
	want(b, asking, len(q.Choices)+1)
	want(b, `document.querySelector(".code").classList.contains("guess")`, true)
	want(b, `[...document.querySelectorAll(".code li")].filter((li) => li.offsetParent && /BUG|Breaks:|Fix:/.test(li.textContent)).length`, 0)
	b.Press(fmt.Sprint(q.Right + 1))
	want(b, asking, 0)
	b.Press(kb.Escape)
	want(b, shown, len(l.Rows))
	want(b, `document.querySelectorAll("header .play").length`, 1)
	eval[any](b, `document.querySelector("header .play").click()`)
	b.Press(kb.End, "u", kb.End)
	want(b, here, len(l.Rows))
	want(b, drawn, true)
	b.Press("V")
	v := l.Violations[len(l.Violations)-1]
	want(b, here, v.Step)
	want(b, `document.querySelectorAll(".said .box").length`, len(l.Rows[v.Step-1].Found))
	want(b, `document.querySelectorAll(".steps .disc:not(:empty)").length`, len(v.Causes()))
	b.Press("1")
	want(b, here, l.step(v.Causes()[0]))
	eval[any](b, `document.querySelectorAll(".steps button")[3].click()`)
	want(b, here, 4)
	b.quiet()
}

// TestPageAtAStep: an address leads to a step; a press is on a card's link to a
// cause; a swipe goes on.
func TestPageAtAStep(t *testing.T) {
	l := lessonOf(t, sample, "en")
	text := testkit.Must(l.HTML())(t)
	step := l.Violations[0].Step
	b := openTab(t)
	b.size(390, 800)
	b.open("page.html", text, fmt.Sprintf("#step-%d", step))
	want(b, here, step)
	want(b, `scrollY`, 0)
	want(b, `document.documentElement.scrollWidth <= 390`, true)
	eval[any](b, `document.querySelector(".said .box a").click()`)
	want(b, here, l.step(l.Violations[0].Causes()[0]))
	swipe := func(from, to int) string {
		return fmt.Sprintf(`(() => { const e = document.querySelector("article"), at = (x) => new Touch({identifier: 1, target: e, clientX: x, clientY: 200});
			e.dispatchEvent(new TouchEvent("touchstart", {touches: [at(%d)], changedTouches: [at(%[1]d)]}));
			e.dispatchEvent(new TouchEvent("touchend", {touches: [], changedTouches: [at(%[2]d)]})); })()`, from, to)
	}
	eval[any](b, swipe(300, 100))
	want(b, here, l.step(l.Violations[0].Causes()[0])+1)
	eval[any](b, swipe(100, 300))
	want(b, here, l.step(l.Violations[0].Causes()[0]))
	b.quiet()
}

// TestPageWithoutScript: all steps stand below each other, each with its address.
func TestPageWithoutScript(t *testing.T) {
	l := lessonOf(t, sample, "zh")
	text := testkit.Must(l.HTML())(t)
	b := openTab(t)
	testkit.Must(chromedp.Call(b.Ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))(t)
	b.open("page.html", text, "#step-7")
	want(b, shown, len(l.Rows))
	want(b, `document.querySelectorAll("tr.card").length`, len(l.Violations))
	want(b, `document.querySelectorAll(".answer").length`, len(l.Questions()))
	want(b, `scrollY > 0`, true)
	want(b, `document.querySelectorAll("button").length`, 0)
	b.quiet()
}

// TestHostilePage: whatever a run contains is text on the page, and nothing else.
func TestHostilePage(t *testing.T) {
	l := hostileLesson(t)
	text := testkit.Must(l.HTML())(t)
	b := openTab(t)
	b.open("page.html", text, "")
	harmless(b)
	for _, s := range []string{l.Title, l.Lock, l.Lanes[0].Name, l.said(l.Rows[3]), l.Commands[0].Caption, l.Files[0].Lines[2]} {
		if got := eval[string](b, `document.body.textContent.replace(/\s+/g, " ")`); !strings.Contains(visible(got), visible(s)) {
			t.Errorf("the page does not show %q", s)
		}
	}
	b.Press(kb.ArrowRight, kb.End, "1", kb.End, "V", "v")
	harmless(b)
	want(b, `document.querySelectorAll(".now b, .now img, .side img").length`, 0)
	b.quiet()
}

// TestNothingSteersATerminal: what a page shows of a run has no control characters.
func TestNothingSteersATerminal(t *testing.T) {
	text := testkit.Must(hostileLesson(t).HTML())(t)
	for _, r := range string(text) {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
			t.Fatalf("the page has %U", r)
		}
	}
}

// harmless fails if anything of a run became more than text.
func harmless(b *tab) {
	b.Helper()
	want(b, `typeof pwned`, "undefined")
	want(b, `document.querySelectorAll("script:not(.data)").length <= 1 && document.querySelectorAll("img, iframe, object, [onerror], [onload], [onmouseover], a[href^=javascript]").length === 0`, true)
}

// TestLongRun: a run of 5,000 events is a page of at most 1 MB.
func TestLongRun(t *testing.T) {
	story := testkit.Must(scenarios.Parse("long.txt", "long", "# Many rounds.\nworld strategy=set-del clients=A,B,C,D rounds=89 stock=100000\n----\n\nrun A\n----\n\nrun B\n----\n\nrun C\n----\n\nrun D\n----\n"))(t)
	result := testkit.Must(scenarios.Run(t.Context(), story))(t)
	if n := len(result.History.Events); n < 4900 || n > 5100 {
		t.Fatalf("%d events", n)
	}
	l := testkit.Must(NewLesson(t.Context(), Told{Lang: "en"}, story, result))(t)
	text := testkit.Must(l.HTML())(t)
	if len(text) > 3<<19 {
		t.Errorf("the page has %d bytes", len(text))
	}
	b := openTab(t)
	b.open("page.html", text, "")
	b.Press(kb.End)
	want(b, here, len(l.Rows))
	took := eval[float64](b, `performance.getEntriesByType("navigation")[0].loadEventEnd`)
	t.Logf("%d events, %d steps, %d bytes, loaded in %.0f ms", len(result.History.Events), len(l.Rows), len(text), took)
	b.quiet()
}
