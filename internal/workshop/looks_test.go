package workshop_test

import (
	"testing"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/chrome"
)

// TestLooksOfAClass: at a step, a question and a violation the beamer shows the picture, what
// each page says for a width comes about, a phone has the words of a step, and taps at random
// leave pages that live.
func TestLooksOfAClass(t *testing.T) {
	inABrowser(t)
	s := begin(t, "")
	browser := chrome.Start(t)
	trainer := s.train(browser, laptop)
	beamer := chrome.Visit(t, browser, s.url+"beamer", chrome.Look{Width: 1280, Height: 720, Scale: 1, Scheme: "light", Language: "en-US"})
	heron := join(t, browser, s.url, phone, "Heron", "Water")
	for _, one := range []struct{ place, keys, now, says string }{
		{"a_late_del@20", "", "20  5.001s  time 1s -> 5.001s", "time 1s -> 5.001s"},
		{"a_late_del@24", "right", "25  5.001s  C reads stock = 1", "Only now does B's DEL arrive."},
		{"del_removes_the_next_holders_lock@14", "", "14  3.001s  A DEL lock:stock -> 1", "A removed lock:stock"},
	} {
		trainer.Do(chrome.Script(`ask({place: ` + chrome.Quote(one.place) + `})`))
		trainer.Until(`frame.place.startsWith(` + chrome.Quote(one.place[:10]) + `)`)
		if one.keys != "" {
			trainer.Press(one.keys)
		}
		for _, p := range []*chrome.Tab{heron, beamer} {
			p.Sees(one.says)
			p.Until(`document.querySelector(".now")?.textContent === ` + chrome.Quote(one.now))
		}
		if found := chrome.Eval[string](beamer, chrome.Front); found != "" {
			t.Errorf("%s: %s", one.place, found)
		}
		beamer.Shot("beamer_" + one.place)
		if now := chrome.Eval[string](heron, `(e => e.checkVisibility() ? e.innerText.replace(/ +/g, " ") : "hidden")(document.querySelector(".now"))`); now == "hidden" {
			t.Errorf("%s: a phone does not say %q", one.place, one.now)
		}
		if n := chrome.Eval[int](heron, `[...document.querySelectorAll(".steps .w")].filter(w => w.checkVisibility() && w.clientWidth > 60).length`); n == 0 {
			t.Errorf("%s: no words beside the lanes of a phone", one.place)
		}
		for name, p := range map[string]*chrome.Tab{"trainer": trainer, "beamer": beamer, "participant": heron} {
			p.Losing(name + " at " + one.place)
		}
	}
	trainer.Do(chrome.Script(`ask({place: "matrix:set-del/overrun"})`))
	beamer.Until(`document.querySelector(".wide") !== null`)
	fine(beamer, "the matrix")
	for _, l := range []chrome.Look{phone, {Width: 412, Height: 915, Scale: 1, Scheme: "dark", Language: "zh-CN"}, {Width: 740, Height: 360, Scale: 1, Scheme: "light", Language: "en-US"}} {
		l.Touch = true
		s.train(browser, l).Walk("trainer", testkit.Size(t, 50, 50))
		join(t, browser, s.url, l, "Otter", "").Walk("participant", testkit.Size(t, 50, 50))
	}
}
