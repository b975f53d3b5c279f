"use strict";
// Without this script all steps stand below each other. It shows one step at a
// time. Text is only ever put into the page as text.
(() => {
	const make = (name, cls, text) => {
		const e = document.createElement(name);
		if (cls) e.className = cls;
		if (text !== undefined) e.textContent = text;
		return e;
	};
	const open = new Map();

	function player(article) {
		const data = JSON.parse(article.querySelector("script.data").textContent);
		const say = data.say, prefix = article.dataset.p;
		const rows = [...article.querySelectorAll("tr.s")];
		const stage = article.querySelector(".stage");
		const code = article.querySelector(".code"), diagram = article.querySelector(".diagram"), plot = diagram.querySelector(".plot"), clip = plot.querySelector(".clip");
		const text = (row, what) => row.querySelector(what).textContent.trim();
		const steps = make("ol", "steps"), lines = data.rows.map(line);
		const given = new Map();
		let at = 0, seen = 0, lit = null, marked = [];

		const bar = make("nav", "bar"), now = make("div", "now"), side = make("div", "side");
		const status = make("p", "v"), where = make("span", "at");
		bar.setAttribute("aria-label", say.steps);
		status.setAttribute("role", "status");
		status.setAttribute("aria-live", "polite");
		status.setAttribute("aria-atomic", "true");
		const button = (cls, label, to) => {
			const b = make("button", cls, label);
			b.type = "button";
			b.addEventListener("click", to);
			bar.append(b);
			return b;
		};
		const first = button("first", say.first, () => go(0));
		const back = button("back", say.back, () => go(at - 1));
		const next = button("next", say.next, () => go(at + 1));
		const last = button("last", say.last, () => go(rows.length - 1));
		const whole = button("whole", say.whole, () => close());
		bar.append(where);
		const keys = make("ul", "keys"), beliefs = make("ul");
		const sub = article.querySelector("header h1") ? "h2" : "h4";
		side.append(make(sub, "sub", say.keys), keys, make(sub, "sub", say.beliefs), beliefs);
		const card = make("div", "said");

		// words are what happens at a row, without its links. A lane may have the class w, too.
		function words(row) {
			let out = "";
			for (const node of row.querySelector("td.w:not(.l)").childNodes) {
				if (node.nodeType === 1 && node.matches(".src,.cause,br")) break;
				if (node.nodeType !== 1 || !node.matches(".disc")) out += node.textContent;
			}
			return out.trim();
		}
		// line is a row beside the diagram.
		function line([end, by], i) {
			const li = make("li"), b = make("button", "row c" + by + (rows[i].matches(".f") ? " bad" : ""));
			b.type = "button";
			b.append(make("span", "n", String(i + 1)), make("span", "t", i && text(rows[i], ".t") === text(rows[i - 1], ".t") ? "" : text(rows[i], ".t")), make("b", "disc"), make("span", "w", words(rows[i])));
			b.addEventListener("click", () => go(i));
			li.style.height = end - (i ? data.rows[i - 1][0] : 0) + "px";
			li.append(b);
			steps.append(li);
			return li;
		}
		// from is the first command whose questions are asked before a row.
		const asksBefore = (row) => data.asks.map((q, i) => [q, i]).filter(([q, i]) => q.row === row && !given.has(i));
		// gate is how far one may go: no further than the next question.
		function gate(to) {
			for (const [i, q] of data.asks.entries())
				if (at < q.row && q.row <= to && !given.has(i)) return q.row - 1;
			return to;
		}
		function go(to, through) {
			to = Math.max(0, Math.min(to, rows.length - 1));
			if (!through) to = gate(to);
			at = to;
			seen = Math.max(seen, at);
			draw();
			const id = prefix + "step-" + (at + 1);
			if (location.hash !== "#" + id) history.replaceState(null, "", "#" + id);
		}
		function commandOf(row) {
			let n = 0;
			while (n + 1 < data.commands.length && data.commands[n + 1].from <= row) n++;
			return data.commands[n];
		}
		function draw() {
			where.textContent = say.step + " " + (at + 1) + "/" + rows.length + "  t=" + text(rows[at], ".t");
			first.disabled = back.disabled = at === 0;
			next.disabled = last.disabled = at === rows.length - 1;
			drawNow();
			drawState();
			drawCode();
			drawCards();
			if (steps.contains(document.activeElement)) diagram.focus({preventScroll: true}); // its line may be hidden
			lines.forEach((li, i) => {
				li.hidden = i > at;
				li.classList.toggle("here", i === at);
			});
			const w = lines[at].querySelector(".w");
			now.querySelector(".what").classList.toggle("cut", w.scrollWidth > w.clientWidth);
			clip.style.height = data.rows[at][0] + "px";
			for (const ghost of clip.querySelectorAll("[data-known]")) ghost.style.display = ghost.dataset.known > at ? "none" : "";
			diagram.scrollTop = diagram.scrollHeight;
		}
		function drawNow() {
			const asked = asksBefore(at + 1);
			const command = commandOf(asked.length ? at + 1 : at);
			now.replaceChildren();
			if (command.caption) now.append(make("p", "say", command.caption));
			else if (command.words) now.append(make("p", "say", command.words));
			now.append(make("p", "cmd", command.text), make("p", "what", words(rows[at])));
			if (at === 0 && say.before) now.append(make("p", "hint", say.before));
			if (at === rows.length - 1 && say.after) now.append(make("p", "hint", say.after));
			if (asked.length) {
				const [q, i] = asked[0];
				now.append(make("p", "ask", q.ask));
				const choices = make("div", "choices");
				q.choices.forEach((c, n) => choices.append(choice(q, i, c, n, String(n + 1))));
				choices.append(choice(q, i, say.unsure, -1, "u"));
				now.append(choices);
			} else {
				for (const [i, q] of data.asks.entries())
					if (given.has(i) && q.row <= at && at < q.step - 1 && commandOf(q.row) === command) now.append(make("p", "ask", q.ask));
			}
			status.textContent = (command.caption || command.words || "") + " " + words(rows[at]);
		}
		function choice(q, i, label, n, key) {
			const b = make("button", "", label);
			b.type = "button";
			b.dataset.key = key;
			b.addEventListener("click", () => {
				given.set(i, n);
				if (asksBefore(at + 1).length) draw();
				else go(at + 1);
				next.focus({preventScroll: true});
			});
			return b;
		}
		function drawState() {
			const ks = data.keys.of[data.keys.at[at]], [bs, owner] = data.beliefs.of[data.beliefs.at[at]];
			keys.replaceChildren(...(ks.length ? ks : [[say.nokeys, "", "", 0, 0]]).map(([name, says, left, who, changed]) => {
				const li = make("li", "c" + who + (changed ? " changed" : ""));
				li.append(make("span", "", (changed ? "▸ " : "") + name), make("span", "", says), make("span", "left", left));
				return li;
			}));
			beliefs.replaceChildren(...bs.map(([hold, words], i) => {
				const li = make("li", "c" + (i + 1));
				li.append(make("b", "", data.clients[i]), make("span", hold === 3 ? "bad" : "", (hold === 3 ? "✗ " : "") + words));
				return li;
			}));
			const li = make("li", "c0");
			li.append(make("b", "", data.store), make("span", "", owner));
			beliefs.append(li);
		}
		function drawCode() {
			if (!code) return;
			let row = at, link = null;
			while (row > 0 && !(link = rows[row].querySelector(".src"))) row--;
			const revealed = data.asks.length ? data.asks.every((q, i) => given.has(i)) : seen === rows.length - 1;
			code.classList.toggle("guess", !revealed && !data.fails.some((f) => f.step - 1 <= seen));
			if (lit) lit.className = lit.className.replace(/\b(lit|was|c\d)\b/g, "").trim();
			lit = link && document.getElementById(decodeURIComponent(link.hash.slice(1)));
			const files = [...code.querySelectorAll(".file")];
			files.forEach((f, i) => f.hidden = lit ? !f.contains(lit) : i > 0);
			if (!lit) return;
			lit.classList.add(row === at ? "lit" : "was");
			const by = /\bc\d\b/.exec(link.className);
			if (by) lit.classList.add(by[0]);
			const list = lit.parentElement;
			list.scrollTop = lit.offsetTop - list.offsetTop - list.clientHeight / 2;
		}
		function drawCards() {
			card.replaceChildren();
			for (const [i, q] of data.asks.entries()) {
				if (!given.has(i) || q.step - 1 !== at) continue;
				const a = document.getElementById(prefix + "a" + (i + 1)).cloneNode(true);
				a.removeAttribute("id");
				a.querySelector(".right").textContent = given.get(i) < 0 ? q.told : q.results[given.get(i)];
				card.append(a);
			}
			const here = data.fails.filter((f) => f.step - 1 === at);
			for (const f of here) {
				const box = document.querySelector("#" + CSS.escape(prefix + "v" + f.n) + " .box").cloneNode(true);
				card.append(box);
			}
			marked.forEach((disc) => disc.textContent = "");
			marked = here.length ? here[0].causes.map((step) => lines[step - 1].querySelector(".disc")) : [];
			marked.forEach((disc, i) => disc.textContent = String(i + 1));
		}
		function violation(by) {
			const steps = [...new Set(data.fails.map((f) => f.step - 1))].sort((a, b) => a - b);
			const to = by > 0 ? steps.find((s) => s > at) : steps.reverse().find((s) => s < at);
			if (to !== undefined) go(to);
		}
		const moves = {
			ArrowRight: () => go(at + 1), l: () => go(at + 1), " ": () => go(at + 1), Enter: () => go(at + 1), PageDown: () => go(at + 1),
			ArrowLeft: () => go(at - 1), h: () => go(at - 1), PageUp: () => go(at - 1),
			Home: () => go(0), g: () => go(0), End: () => go(rows.length - 1), G: () => go(rows.length - 1),
			v: () => violation(1), V: () => violation(-1), Escape: () => close(),
		};
		function press(e) {
			if (e.ctrlKey || e.metaKey || e.altKey) return;
			const on = e.target.closest ? e.target.closest("a,button,summary") : null;
			if (on && (e.key === " " || e.key === "Enter")) return;
			if (/^[0-9u]$/.test(e.key)) {
				const b = now.querySelector('button[data-key="' + e.key + '"]');
				const fail = data.fails.find((f) => f.step - 1 === at);
				if (b) b.click();
				else if (fail && fail.causes[e.key - 1]) go(fail.causes[e.key - 1] - 1);
				return;
			}
			const move = moves[e.key];
			if (!move) return;
			e.preventDefault();
			move();
		}
		let touch = null;
		article.addEventListener("touchstart", (e) => { touch = e.touches.length === 1 ? [e.touches[0].clientX, e.touches[0].clientY] : null; }, {passive: true});
		article.addEventListener("touchend", (e) => {
			if (!touch || !article.classList.contains("live")) return;
			const x = e.changedTouches[0].clientX - touch[0], y = e.changedTouches[0].clientY - touch[1];
			if (Math.abs(x) > 50 && Math.abs(x) > 2 * Math.abs(y)) go(x < 0 ? at + 1 : at - 1);
		}, {passive: true});
		// While one step is shown, no link scrolls to another one.
		function named(on) {
			rows.forEach((r, i) => on ? r.id = prefix + "step-" + (i + 1) : r.removeAttribute("id"));
		}
		function start(step) {
			named(false);
			document.body.classList.remove("all");
			article.classList.add("live");
			article.querySelector("header").after(bar);
			bar.after(status, now);
			plot.append(steps);
			diagram.style.setProperty("--lanes", clip.firstElementChild.getAttribute("width") + "px");
			stage.append(side);
			if (code) stage.insertBefore(code, side);
			stage.after(card);
			go(step, true);
		}
		function close() {
			named(true);
			article.classList.remove("live");
			for (const e of [bar, status, now, side, card, steps]) e.remove();
			clip.style.height = "";
			for (const ghost of clip.querySelectorAll("[data-known]")) ghost.style.display = "";
			if (code) article.querySelector(".token").before(code);
			playing = null;
			offer(article);
			document.body.classList.add("all");
			article.querySelector("header .play").focus({preventScroll: true});
			article.scrollIntoView();
		}
		return {start, press, go};
	}

	// offer puts a button where an article can be played.
	function offer(article) {
		const b = make("button", "play next", document.body.dataset.play);
		b.type = "button";
		b.addEventListener("click", () => play(article, 0));
		article.querySelector("header").append(b);
	}
	let playing = null;
	function play(article, step) {
		if (!open.has(article)) open.set(article, player(article));
		article.querySelectorAll("header .play").forEach((b) => b.remove());
		if (!article.classList.contains("live")) {
			playing = open.get(article);
			playing.start(step);
		} else playing.go(step, true);
	}
	const articles = [...document.querySelectorAll("article.lesson")];
	function follow() {
		const [, prefix, step] = /^(.*)step-(\d+)$/.exec(decodeURIComponent(location.hash.slice(1))) || [];
		const article = step && articles.find((a) => a.dataset.p === prefix);
		if (article) {
			article.closest("details")?.setAttribute("open", "");
			play(article, step - 1);
			if (articles.length > 1) article.scrollIntoView();
		}
		return !!article;
	}
	addEventListener("keydown", (e) => { if (playing) playing.press(e); });
	addEventListener("hashchange", follow);
	articles.forEach((a) => offer(a));
	if (!follow() && articles.length === 1 && document.body.dataset.alone === "true") play(articles[0], 0);
})();
