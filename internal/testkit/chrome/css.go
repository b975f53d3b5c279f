package chrome

import (
	"github.com/chromedp/cdproto/emulation"
)

// losing finds what a style sheet says within a media query that matches, and what does not
// come about since a rule outside of all media queries wins: an element, the property, and
// both rules.
const losing = `(() => {
	const top = text => { // the parts of a list of selectors
		const out = [""];
		let deep = 0;
		for (const c of text) {
			if ("([".includes(c)) deep++;
			if (")]".includes(c)) deep--;
			if (c === "," && !deep) out.push(""); else out[out.length - 1] += c;
		}
		return out.map(s => s.trim());
	};
	const more = (a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
	const specific = selector => { // as Selectors Level 4 counts
		const n = [0, 0, 0];
		let rest = selector.replace(/:(is|not|has|where)\(((?:[^()]|\([^()]*\))*)\)/g, (_, name, list) => {
			if (name !== "where") top(list).map(specific).sort(more).at(-1).forEach((k, i) => n[i] += k);
			return "";
		});
		const count = (i, what) => { rest = rest.replace(what, () => { n[i]++; return " "; }); };
		count(1, /\[[^\]]*\]/g); count(2, /::[\w-]+/g); count(0, /#[\w-]+/g); count(1, /\.[\w-]+/g); count(1, /:[\w-]+(\([^)]*\))?/g); count(2, /[a-z][\w-]*/gi);
		return n;
	};
	const rules = [];
	const collect = (list, media) => {
		for (const r of list) {
			if (r instanceof CSSMediaRule) { if (matchMedia(r.conditionText).matches) collect(r.cssRules, r.conditionText); }
			else if (r.selectorText) for (const s of top(r.selectorText)) rules.push({ s, media, style: r.style, at: rules.length, n: specific(s), of: s.replace(/::[\w-]+/, "") || "*", part: /::[\w-]+/.exec(s)?.[0] || "" });
		}
	};
	for (const sheet of document.styleSheets) collect(sheet.cssRules, "");
	const found = new Set();
	for (const e of document.querySelectorAll("body, body *")) {
		if (!rules.some(r => r.media && e.matches(r.of))) continue; // nothing can lose
		const won = new Map();
		const fits = rules.filter(r => e.matches(r.of));
		for (const r of fits) for (const name of r.style) {
			const key = r.part + name, loud = r.style.getPropertyPriority(name) ? 1 : 0, had = won.get(key);
			if (!had || (loud - had.loud || more(r.n, had.r.n) || r.at - had.r.at) > 0) won.set(key, { r, loud });
		}
		for (const r of fits.filter(r => r.media)) for (const name of r.style) {
			const by = won.get(r.part + name).r;
			if (!by.media && by.style.getPropertyValue(name) !== r.style.getPropertyValue(name))
				found.add("@media " + r.media + " " + r.s + " { " + name + " } loses to " + by.s + " at " + e.cloneNode().outerHTML.slice(0, 60));
		}
	}
	return [...found].slice(0, 12).join("\n");
})()`

// Widths are sizes of windows, one for each way in which a page is laid out.
var Widths = []Look{
	{Width: 320, Height: 200}, {Width: 360, Height: 740}, {Width: 480, Height: 800}, {Width: 620, Height: 400}, {Width: 740, Height: 360}, {Width: 768, Height: 1024},
	{Width: 1000, Height: 700}, {Width: 1280, Height: 720}, {Width: 1920, Height: 1080},
}

// Losing reports, at each width, what a media query says in vain.
func (p *Tab) Losing(where string) {
	p.Helper()
	was := Eval[[2]int64](p, `[innerWidth, innerHeight]`)
	for _, l := range append(Widths, Look{Width: was[0], Height: was[1]}) {
		p.Do(Call(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: l.Width, Height: l.Height, DeviceScaleFactor: 1}))
		if found := Eval[string](p, losing); found != "" {
			p.Errorf("%s, %d pixels: %s", where, l.Width, found)
		}
	}
}

// Front reports what is wrong with a page in front of a class: the picture of the run is not
// its largest part, shows less than ten rows, or cuts their words beside an empty width.
const Front = `(() => {
	const area = e => { const r = e.getBoundingClientRect(); return Math.max(0, Math.min(r.bottom, innerHeight) - Math.max(r.top, 0)) * r.width; };
	const run = document.querySelector("#body > .run"), live = run.querySelector(".diagram").getBoundingClientRect(), top = run.querySelector(".names").getBoundingClientRect().bottom;
	const rows = [...run.querySelectorAll(".steps .row")], whole = rows.filter(r => r.getBoundingClientRect().top >= top - 1 && r.getBoundingClientRect().bottom <= Math.min(live.bottom, innerHeight) + 1);
	const wrong = [];
	if (whole.length < Math.min(10, rows.length)) wrong.push(whole.length + " rows of " + rows.length);
	if (!whole.includes(rows.at(-1))) wrong.push("not the last one");
	for (const e of document.querySelectorAll("#body > *, #poll, header, footer, nav")) if (e !== run && e.checkVisibility() && area(e) >= area(run)) wrong.push((e.id || e.className) + " is larger");
	for (const w of run.querySelectorAll(".steps .w")) if (w.scrollWidth > w.clientWidth && w.getBoundingClientRect().right < innerWidth - 80) wrong.push("cut: " + w.textContent);
	if (document.documentElement.scrollHeight > innerHeight) wrong.push("higher than the screen");
	return wrong.join("; ");
})()`
