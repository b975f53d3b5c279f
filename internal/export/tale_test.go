package export

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"lockstep/internal/testkit"
	"lockstep/internal/testkit/chrome"
)

// told is the story of the pages in docs/ that need no installation.
const told = "del_removes_the_next_holders_lock"

// TestTenMinutes: the pages in docs/ are what lockstep export --scroll makes of the story, small,
// each with three questions.
func TestTenMinutes(t *testing.T) {
	for lang, file := range map[string]string{"en": "ten-minutes.html", "zh": "ten-minutes.zh.html"} {
		text := testkit.Must(lessonOf(t, told, lang).Tale())(t)
		file = filepath.Join("../../docs", file)
		if *update {
			testkit.OK(t, os.WriteFile(file, text, 0o644))
		}
		if kept, err := os.ReadFile(file); err != nil || !bytes.Equal(kept, text) {
			t.Errorf("%s is not what the command makes, %v; look at it, and then: go test ./internal/export -update", file, err)
		}
		if n := bytes.Count(text, []byte(`<p class="ask">`)); n != 3 || len(text) > 150_000 {
			t.Errorf("%s has %d questions in %d bytes", lang, n, len(text))
		}
	}
}

// TestTaleGrows: as far as one has scrolled, so far the picture goes, and it is whole at the end;
// it is whole from the start where motion is reduced. A finger and a keyboard open the answers.
func TestTaleGrows(t *testing.T) {
	b := openTab(t)
	text := testkit.Must(lessonOf(t, told, "en").Tale())(t)
	const height, whole = `parseFloat(document.querySelector(".clip").style.height || "1e9")`, `+document.querySelector(".clip svg").getAttribute("height")`
	const tall = height + ` >= ` + whole
	for _, w := range []int64{1280, 360} {
		b.size(w, 740)
		b.open("tale.html", text, "")
		b.Until(`document.querySelector(".tale.grows") !== null`)
		want(b, tall, false)
		want(b, height+` > 100`, true) // some of the run is there at once
		b.Shot("tale-" + string(rune('a'+w%7)) + "-top")
		for n, at := range []string{"0.25", "0.5", "0.75"} {
			eval[any](b, `window.was = `+height+`; scrollTo(0, document.documentElement.scrollHeight * `+at+`); 0`)
			b.Until(height + ` > was`)
			b.Shot("tale-" + string(rune('a'+w%7)) + "-" + string(rune('1'+n)))
		}
		want(b, tall, false)
		eval[any](b, `scrollTo(0, 1e6); 0`)
		b.Until(tall)
		b.Shot("tale-" + string(rune('a'+w%7)) + "-end")
		want(b, `document.documentElement.scrollWidth <= innerWidth`, true)
	}
	b.Tap(".quiz summary")
	b.Until(`document.querySelector(".quiz details").open`)
	eval[any](b, `document.querySelectorAll(".quiz summary")[1].focus(); 0`)
	b.Press("\r")
	b.Until(`document.querySelectorAll(".quiz details")[1].open`)
	b.Do(chrome.Call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}, {Name: "prefers-color-scheme", Value: "dark"}}}))
	b.open("still.html", text, "")
	b.Until(`document.readyState === "complete"`)
	want(b, tall, true)
	want(b, `document.querySelector(".grows") === null`, true)
	b.Shot("tale-still")
	b.quiet()
	axe := testkit.Must(os.ReadFile(filepath.Join(modules(t), "axe-core", "axe.min.js")))(t)
	eval[any](b, string(axe)+"; 0")
	want(b, `axe.run().then((r) => r.violations.map((v) => v.id + " at " + v.nodes[0].html).join("\n"))`, "")
}
