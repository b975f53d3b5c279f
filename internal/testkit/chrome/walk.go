package chrome

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// choose brings the element that a number from 0 to 1 chooses to the screen, and returns
// where a finger hits it, what it is, and what is wrong with the focus. An open dialog
// takes all taps, and links to other sites lead nowhere. Where it waits, the page answers the last
// one first, for which it has some time, or at once where nothing was asked of an engine.
const choose = `(async (chance, waits) => {
	window.stays ||= !addEventListener("click", e => {
		const link = e.target.closest("a[href]");
		if (link && (link.target || link.origin !== location.origin)) e.preventDefault();
	}, true);
	if (typeof worker !== "undefined" && worker && typeof owed === "undefined") {
		window.owed = false; // something was asked, and nothing came since
		const post = worker.postMessage.bind(worker);
		worker.postMessage = request => { owed = true; post(request); };
		worker.addEventListener("message", () => owed = false);
	}
	const now = () => typeof frame === "undefined" ? null : frame, was = now(), until = performance.now() + 300;
	const answered = () => typeof owed === "undefined" ? !was || now() !== was : !owed;
	if (waits) await new Promise(requestAnimationFrame);
	while (waits && performance.now() < until && !answered()) await new Promise(r => setTimeout(r, 5));
	const at = document.activeElement, shown = e => e.checkVisibility({visibilityProperty: true, contentVisibilityAuto: true});
	const wrong = at && at !== document.body && !shown(at) ? "the focus is in something closed: " + at.outerHTML.slice(0, 200) : "";
	const all = [...(document.querySelector("dialog[open]") || document).querySelectorAll("button, a[href], summary, input:not([type=file]), textarea, [tabindex='0'], #body li")]
		.filter(shown);
	for (let i = Math.floor(chance * all.length), n = 0; n < all.length; i = (i + 1) % all.length, n++) {
		all[i].scrollIntoView({block: "nearest"});
		const r = all[i].getBoundingClientRect(), x = r.x + Math.min(r.width, innerWidth) / 2, y = r.y + Math.min(r.height, 44) / 2;
		if (all[i].contains(document.elementFromPoint(x, y))) return {x, y, what: all[i].outerHTML.slice(0, 100), wrong};
	}
	return {x: 1, y: 1, what: "nothing", wrong};
})`

type chosen struct {
	X, Y        float64
	What, Wrong string
}

// Walk taps at random what is on the page, half of the time before it has answered the tap
// before. It reports a tab that has died, an error that no script has caught, and a focus in
// something closed or hidden.
func (p *Tab) Walk(name string, taps int) {
	p.Helper()
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	random := rand.New(rand.NewPCG(h.Sum64(), 0))
	ctx, cancel := context.WithCancel(p.Ctx)
	defer cancel()
	thrown := make(chan string, taps)
	err := chromedp.Listen(ctx, func(ev any) {
		if ev, ok := ev.(*runtime.EventExceptionThrown); ok {
			select {
			case thrown <- ev.ExceptionDetails.Text + " " + ev.ExceptionDetails.Exception.Description:
			default:
			}
		}
	})
	if err != nil {
		p.Fatal(err)
	}
	p.Do(Call(page.SetInterceptFileChooserDialog, page.SetInterceptFileChooserDialogParams{Enabled: true}))
	var tapped []string
	for range taps {
		at, err := Run(p, chromedp.Evaluate[chosen](fmt.Sprintf("%s(%v, %v)", choose, random.Float64(), random.IntN(2) == 0), chromedp.EvalAwaitPromise))
		if err == nil {
			tapped = append(tapped, at.What)
			_, err = Run(p, chromedp.Steps(tap(at.X, at.Y)...))
		}
		wrong := at.Wrong
		select {
		case wrong = <-thrown:
		default:
		}
		if err != nil || wrong != "" {
			p.Shot("walk")
			p.Errorf("%s, after %d taps: %v %s\nthe last:\n%s", name, len(tapped), err, wrong, strings.Join(tapped[max(0, len(tapped)-5):], "\n"))
			return
		}
	}
}
