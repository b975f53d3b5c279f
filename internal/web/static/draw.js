// What makes elements of frames: sections of pages, without the engine. All text comes to the
// page by textContent.
"use strict";

const el = id => document.getElementById(id);
let ask = null; // sends a request to the pages; a page that only shows them has none, and its elements press nothing
let frame = null; // that is shown
let shown = []; // its sections, as they were drawn

function say(id, text) {
  const at = el(id);
  if (at.textContent !== text) at.textContent = text;
}

// hide hides an element or shows it. What is hidden first gives up the focus.
function hide(id, is) {
  if (is && el(id).contains(document.activeElement)) focusMain();
  el(id).hidden = is;
}

const focusMain = () => el("main").focus({ preventScroll: true });

// Children -----------------------------------------------------------------

let turning = false; // a key has left a page of large letters, and what follows begins at its top

// refresh makes anew only the sections that have changed. What had the focus has it again
// if it is still there.
function refresh(all) {
  const body = el("body"), focused = document.activeElement;
  const place = body.contains(focused) && focused !== body ? [...body.children].findIndex(c => c.contains(focused)) : -1;
  const buttons = at => [...(body.children[at]?.querySelectorAll("button, summary") || [])];
  const nth = place < 0 ? -1 : buttons(place).indexOf(focused);
  if (!shown.length) body.replaceChildren();
  while (body.children.length > all.length) body.lastChild.remove();
  const fresh = [], lefts = new Map();
  all.forEach((what, i) => {
    const text = JSON.stringify(what), old = body.children[i];
    if (shown[i] === text && old) return;
    const made = section(what, old), left = old?.querySelector(".diagram")?.scrollLeft || 0;
    if (old && made !== old) old.replaceWith(made); else if (!old) body.append(made);
    shown[i] = text;
    fresh.push(made);
    lefts.set(made, left);
  });
  if (turning && (fresh.length || frame.notice)) {
    turning = false;
    if (fresh.length) body.scrollTop = 0;
  }
  const one = reads(body);
  (frame.large ? [...body.children] : fresh).forEach(made => settle(made, lefts.get(made))); // on a large page all share the height
  shown.length = all.length;
  if (one && fresh.some(f => f.matches(".run, fieldset"))) brings(body, fresh.some(f => f.matches(".card, fieldset")));
  if (!document.activeElement?.getClientRects().length) focusMain(); // as in a row of a table that has closed
  if (place < 0 || document.contains(focused)) return;
  const next = body.children[place]?.querySelector("[aria-current]") || buttons(place)[nth] || body;
  next.focus({ preventScroll: true });
}

// reads makes one column of the page of a run: its picture grows downwards, below a sentence that
// stays, and the page scrolls to what is new.
function reads(body) {
  const [first, run] = body.children, is = folds() && first?.matches(".prose:not(:has(.list))") && run?.matches(".run:not(:has(~ .run))");
  body.classList.toggle("reads", Boolean(is));
  document.documentElement.style.setProperty("--top", is && getComputedStyle(first).position === "sticky" ? first.offsetHeight + "px" : "0px");
  body.querySelectorAll(".diagram").forEach(widens);
  document.documentElement.style.setProperty("--names", is ? run.querySelector(".names").getBoundingClientRect().height + "px" : "0px");
  return is;
}

// brings scrolls to what is new; to what is explained or asked no further than it takes. Of what
// has no room together the last counts most.
function brings(body, talks) {
  if (talks) scrollTo(0, 0);
  const rows = [...body.querySelectorAll(".run .steps > li")], last = rows.at(-1), diagram = body.querySelector(".diagram"), left = diagram.scrollLeft;
  for (const to of [body.querySelector(".card") || body.querySelector(".code"), body.querySelector(".wider") || rows.at(-4) || rows[0], body.querySelector("fieldset"), last]) to?.scrollIntoView({ block: "nearest" });
  diagram.scrollLeft = left;
}

// A phone that is turned shows what is new again. A bar of the browser that goes away changes no
// width.
let across = innerWidth;
addEventListener("resize", () => {
  if (across !== innerWidth && frame && reads(el("body"))) brings(el("body"), true);
  across = innerWidth;
});

const folds = () => !frame.large && !document.body.matches(".beamer"); // in front of a class all is open

// Sections -----------------------------------------------------------------

const fine = matchMedia("(pointer: fine)");

function section(part, old) {
  const made = part.kind === "table" && old?.matches(".table") ? old : make(part.kind === "ask" ? "fieldset" : "section", part.kind === "steps" ? "run" : part.kind);
  if (part.kind === "steps") made.append(...steps(part));
  else if (part.kind === "table") table(part, made);
  else if (part.kind === "keys" && !fine.matches && shapes?.lang === frame.lang && folds()) { // there are no keys, and the buttons say what they do
    made.classList.replace("keys", "legend");
    made.append(make("h2", "", frame.words.legend), shapes.cloneNode(true));
  }
  else if (part.kind === "keys") made.append(...keymap(part.lines));
  else if (part.kind === "ask") made.append(...question(part.lines));
  else if (part.kind === "code") made.append(...source(part));
  else if (part.kind === "state") made.append(...folds() ? [fold(part.title, part.title, columns(part.lines))] : [...headed(part), columns(part.lines)]);
  else made.append(...headed(part), ...flow(part.lines || []));
  if (part.kind === "card" && made.firstChild?.matches("p")) headline(made.firstChild);
  if (made.querySelector(":scope > p:first-child > .ask:only-child") && made.querySelector(".list")) choices(made);
  return made;
}

// choices makes a group of a question and the list of its answers.
function choices(made) {
  const [asked, ...rest] = made.childNodes, box = make("fieldset", "ask");
  box.append(make("legend", "", asked.textContent), ...rest);
  asked.replaceWith(box);
}

// headline makes a heading of a passage.
function headline(p) {
  const h = make("h2");
  h.append(...p.childNodes);
  p.replaceWith(h);
}

const headed = part => part.title ? [make("h2", "", part.title)] : [];

// settle scrolls to what counts now.
function settle(made, left = 0) {
  const pre = made.querySelector("pre"), lit = made.querySelector("pre .lit, pre .strong");
  if (lit) pre.scrollTop = lit.parentNode.offsetTop - (pre.clientHeight - lit.parentNode.offsetHeight) / 2; // it is the offset's parent
  const diagram = made.querySelector(".diagram");
  if (diagram) {
    diagram.scrollTo(left, diagram.scrollHeight); // as far to the right as the reader had it
    reaches(diagram);
  }
  const current = made.querySelector("[aria-current]");
  if (fine.matches) current?.scrollIntoView({ block: "nearest" }); // a finger scrolls by itself
}

// reaches scrolls a picture that is wider than the screen to the shapes of the last step, as
// little as it takes.
function reaches(diagram) {
  const view = diagram.getBoundingClientRect(), row = diagram.querySelector(".here")?.getBoundingClientRect();
  const near = [...row ? diagram.querySelectorAll(".clip svg :is(path, circle, text)") : []].map(s => s.getBoundingClientRect())
    .filter(b => b.width && b.width < view.width && b.height < row.height * 2 && b.bottom > row.top && b.top < row.bottom);
  const left = Math.min(...near.map(b => b.left)) - view.left - 32, right = Math.max(...near.map(b => b.right)) - view.right + 32;
  if (near.length && (right > 0 || left < 0)) diagram.scrollLeft += right > 0 ? right : left;
}

function make(name, style, text) {
  const made = document.createElement(name);
  if (style) made.className = style;
  if (text !== undefined) made.textContent = text;
  return made;
}

// pressing is an element that a click may press; where nothing is pressed, a part of the text.
function pressing(style, text, pressed) {
  const made = make(ask ? "button" : "span", style, text);
  if (!ask) return made;
  made.type = "button";
  made.onclick = pressed;
  return made;
}

const filled = line => line ? line.filter(p => p.t.trim()) : [];

// flow makes headings, lists, code and passages of lines.
function flow(all) {
  const made = [];
  let list = null, pre = [];
  const ends = () => { list = null; if (pre.length) { made.push(code(pre)); pre = []; } };
  for (const line of all) {
    const has = filled(line);
    if (line?.some(p => (p.c || "").includes("number"))) { list = null; pre.push(line); continue; }
    if (!has.length) { ends(); continue; }
    const whole = has[0].k && has.every(p => p.k === has[0].k && p.n === has[0].n);
    if (whole) {
      if (!list) { ends(); list = make("ol", "list"); made.push(list); }
      list.append(item(has));
      continue;
    }
    ends();
    if (has.every(p => p.c === "head")) made.push(make("h2", "", has.map(p => p.t).join("").trim()));
    else made.push(passage(line));
  }
  ends();
  return made;
}

// item is a line that can be picked. What moves to it picks it too.
function item(has) {
  const li = make("li"), { k, n } = has[0], moves = k === "up" || k === "down";
  const b = pressing("item", undefined, () => {
    ask({ press: k, times: n });
    if (moves) ask({ press: "enter" });
  });
  const here = /^[▸>]/.test(has[0].t.trim());
  if (here) b.setAttribute("aria-current", "true");
  for (const p of has) {
    const text = p === has[0] ? p.t.replace(/^[▸>]? */, "") : p.t.trim();
    if (text) b.append(make("span", p.c || "", text), " ");
  }
  li.append(b);
  return li;
}

// passage is a paragraph; words in it may press a key.
function passage(line) {
  const p = make("p");
  for (const run of line) {
    if (!run.t) continue;
    p.append(run.k ? pressing(run.c || "", run.t, () => ask({ press: run.k, times: run.n })) : linked(make("span", run.c || "", run.t)));
  }
  return p;
}

// linked makes code of what is between backticks, and links of what is an address: of an
// issue by its owner, repository and number, of this site by its #, or of a page elsewhere.
const addresses = /(`[^`]+`|https?:\/\/[^\s)>\]，。；）]*[^\s)>\]，。；）.,;:]|[\w.-]+\/[\w.-]+#\d+|#[a-z]+:[\w\/@-]*[\w:]|#\w+@\d+)/;
function linked(made) {
  const parts = made.textContent.split(addresses);
  if (parts.length < 2) return made;
  made.replaceChildren(...parts.map((text, i) => {
    if (i % 2 === 0) return text;
    if (text[0] === "`") return make("code", "", text.slice(1, -1));
    const a = make("a", "", text);
    a.href = text.replace(/^([^#/]+\/[^#/]+)#(\d+)$/, "https://github.com/$1/issues/$2");
    if (!text.startsWith("#")) a.rel = "noreferrer";
    return a;
  }));
  return made;
}

// table has a button in each cell, which moves the cursor there; where it is already, it
// opens. On a narrow page it is a list: of each row its name and its signs, and of the
// cursor's row the cells, which open at once. A table of the same size is filled anew, so
// that a click while cells are still computed does not miss its button.
const narrow = matchMedia("(max-width: 40rem)");
let picked = -1; // the row that was chosen by its name

function table(part, into) {
  const [head, ...rows] = part.lines, had = into.querySelector("table");
  if (had?.rows.length !== part.lines.length || had.rows[0].cells.length !== head.length) into.replaceChildren(emptyTable(part.lines));
  const [top, ...below] = into.querySelector("table").rows, [row, column] = part.here;
  const to = (i, j) => {
    if (i !== row) ask({ press: i > row ? "down" : "up", times: Math.abs(i - row) });
    if (j !== column) ask({ press: j > column ? "right" : "left", times: Math.abs(j - column) });
  };
  head.forEach((p, j) => { top.cells[j].textContent = p.t; });
  rows.forEach(([name, ...cells], i) => {
    const [th, ...tds] = below[i].cells, pick = th.firstChild, [label, signs] = pick.children;
    below[i].className = i === row ? "here" : "";
    label.textContent = name.t;
    if (ask) pick.onclick = () => { picked = i; to(i, column); };
    signs.replaceChildren(...cells.map(p => make("span", p.c || "", [...p.t][0])));
    cells.forEach((p, j) => {
      const b = tds[j].firstChild, here = i === row && j === column;
      b.textContent = p.t;
      b.className = `cell ${p.c || ""}`;
      b.dataset.column = head[j + 1].t;
      if (ask) b.setAttribute("aria-label", `${name.t}, ${head[j + 1].t}: ${p.t}`);
      if (here) b.setAttribute("aria-current", "true"); else b.removeAttribute("aria-current");
      if (ask) b.onclick = () => { to(i, j); if (here || narrow.matches) ask({ press: "enter" }); };
    });
  });
  if (picked === row) below[row].scrollIntoView({ block: "nearest" }); // the row above it has become lower
  picked = -1;
}

function emptyTable([head, ...rows]) {
  const box = Object.assign(make("div", "wide"), { tabIndex: ask ? -1 : 0 }), all = make("table"), th = scope => Object.assign(make("th"), { scope });
  all.append(make("thead"), make("tbody"));
  all.tHead.insertRow().append(...head.map(() => th("col")));
  for (const [, ...cells] of rows) {
    const tr = all.tBodies[0].insertRow(), name = th("row"), pick = pressing("pick");
    pick.append(make("span"), make("span", "signs"));
    pick.lastChild.setAttribute("aria-hidden", "true");
    name.append(pick);
    tr.append(name);
    for (let j = 0; j < cells.length; j++) tr.insertCell().append(pressing("cell"));
  }
  box.append(all);
  return box;
}

// keymap lists keys, group by group; where nobody has keys, what buttons do.
function keymap(all) {
  const named = all.some(line => filled(line).length > 1), group = () => make(named ? "dl" : "ul"), made = [group()];
  for (const line of all) {
    const has = filled(line);
    if (!has.length) made.push(group());
    if (has.length > 1) made.at(-1).append(make("dt", "", has[0].t.trim()));
    if (has.length) made.at(-1).append(make(named ? "dd" : "li", "", has.at(-1).t.trim()));
  }
  return made;
}

function question([asked, ...answers]) {
  const all = make("div", "answers");
  for (const line of answers) {
    const made = pressing("", line.map(p => p.t).join(""), () => ask({ press: line[0].k }));
    all.append(made);
  }
  return [make("legend", "", asked.map(p => p.t).join("")), all];
}

// fold is what a reader can ask for. It stays as open as it was on the pages before. It holds
// nothing that takes the focus.
function fold(kind, title, within) {
  const made = make("details", "fold");
  made.open = opened.has(kind);
  made.ontoggle = () => opened[made.open ? "add" : "delete"](kind);
  made.append(make("summary", "", title), within);
  return made;
}

const opened = new Set();

// source is the line that is next, and the one before it; the rest of the file on request.
function source(part) {
  if (!folds()) return [...headed(part), code(part.lines)];
  const now = part.lines.filter(line => line?.some(p => /lit|strong|mark/.test(p.c)));
  return [...now.length ? [code(now)] : [], fold("code", part.title, Object.assign(code(part.lines), { tabIndex: -1 }))];
}

function code(all) {
  const pre = make("pre");
  pre.tabIndex = 0;
  for (const line of all) {
    const row = make("span", "line");
    for (const p of line || []) row.append(make("span", p.c || "", p.t));
    pre.append(row);
  }
  return pre;
}

function columns(all) {
  const list = make("ul");
  for (const line of all || []) {
    const li = make("li");
    for (const p of line || []) li.append(make("span", p.c || "", p.t));
    list.append(li);
  }
  return list;
}

// steps is the picture of a run with its steps in words beside it.
function steps(part) {
  const diagram = make("div", "live diagram"), names = make("div", "names"), plot = make("div", "plot"), clip = make("div", "clip"), list = make("ol", "steps");
  diagram.style.setProperty("--lanes", part.width + "px");
  diagram.tabIndex = 0;
  diagram.setAttribute("role", "region");
  diagram.setAttribute("aria-label", part.title);
  names.append(picture(part.names));
  clip.append(picture(part.lanes));
  for (const row of part.rows) {
    const li = make("li"), b = make(row.k && ask && fine.matches ? "button" : "div", "row " + (row.c === "alarm" ? "bad" : row.c ? row.c.replace("client", "c") : "") + (row.p ? " parts" : ""));
    if (row === part.rows.at(-1)) li.className = "here";
    li.style.height = row.h + "px";
    li.value = row.i;
    b.append(make("span", "n", String(row.i)), make("span", "t", row.at || ""), make("b", "disc", row.z ? String(row.z) : ""), make("span", "w", row.t));
    if (row.k && ask) b.onclick = () => ask({ press: row.k, times: row.n });
    li.append(b);
    list.append(li);
  }
  plot.append(clip, list);
  diagram.append(names, plot);
  diagram.dataset.lanes = part.width + 50;
  diagram.dataset.needs = part.width + 130 + 8.2 * Math.max(...part.rows.map(r => r.t.length));
  fits.observe(diagram);
  const last = part.rows.at(-1), time = part.rows.findLast(r => r.at)?.at, has = part.rows.filter(r => drawn.page === frame.page && drawn.title === part.title && r.i > drawn.step);
  drawn = { page: frame.page, title: part.title, step: last.i };
  if (has.length && lively.matches) clip.animate([{ clipPath: `inset(0 0 ${has.reduce((sum, r) => sum + r.h, 0)}px 0)` }, { clipPath: "inset(0)" }], Math.min(150 * has.length, 600));
  const said = part.said === last.t ? "" : part.said;
  return [make("h2", "", part.title), ...flow(part.lines || []), diagram, make("p", "now", [last.i, time, last.t].filter(t => t).join("  ")), ...said ? [make("p", "said", said)] : [], ...legend(part.legend)];
}

// widens gives a picture that is read the width there is; one whose lanes have little too little
// room is smaller.
function widens(diagram) {
  const room = diagram.parentNode.clientWidth, lanes = room / diagram.dataset.lanes;
  const by = diagram.closest(".reads") ? String(lanes > 0.7 && lanes < 1 ? lanes : Math.min(1.4, Math.max(1, room / diagram.dataset.needs))) : "";
  if (by !== diagram.style.zoom) diagram.style.zoom = by;
  diagram.style.setProperty("--zoom", by || 1);
  diagram.classList.toggle("wider", diagram.firstChild.scrollWidth > room);
}

// fits shows the last step below its picture where its row has no room for it.
const fits = new ResizeObserver(all => all.forEach(({ target }) => {
  const words = target.querySelector("li:last-child .w");
  widens(target);
  if (target.nextElementSibling.classList.toggle("cut", words.scrollWidth > words.clientWidth)) target.scrollTop = target.scrollHeight;
}));

let shapes = null; // what those of the picture that was drawn last mean

// legend says what the shapes of a picture mean, where that is asked for.
function legend(signs) {
  if (!signs || !frame.words?.legend) return [];
  const list = make("ul");
  for (const sign of signs) {
    const li = make("li");
    li.append(picture(sign.Shape), make("span", "", sign.Says));
    list.append(li);
  }
  list.lang = frame.lang;
  shapes = list;
  const made = fold("legend", frame.words.legend, list);
  made.classList.add("legend");
  return [made];
}

let drawn = {}; // the run and the step that were drawn last
const lively = matchMedia("(prefers-reduced-motion:no-preference)");

// picture is an SVG of the engine.
const picture = text => document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
