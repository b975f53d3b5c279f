// What the browser adds to the engine: it hands on keys, and makes elements of frames. All
// text comes to the page by textContent.
"use strict";

const el = id => document.getElementById(id);
const lesson = globalThis.lockstepCourse; // the site's own course, packed; "" for the usual one
const kept = "lockstep.progress" + (lesson ? "." + globalThis.lockstepCourseID : ""); // in localStorage
const keptBefore = "lockstep.progress" + (lesson ? location.pathname.replace(/[^/]*$/, "") : ""); // by older versions
const jobs = new Map();
let dead = false, module = null, worker = null, frame = null, shown = [], query = "";

// Requests wait for the first answer of the engine.
const waiting = [];
let answered = false;

function ask(request) {
  if (!answered) waiting.push(request);
  else if (worker) worker.postMessage(JSON.stringify(request));
}

// The engine ---------------------------------------------------------------

// engine is the compiled module: fetched, or where a page may not fetch, as from a USB
// stick, out of a script that holds the same bytes.
async function engine() {
  let bytes;
  if (location.protocol === "file:") {
    await new Promise((done, failed) => {
      const script = document.createElement("script");
      script.src = "engine.js";
      script.onload = done;
      script.onerror = () => failed(new Error("engine.js is missing"));
      document.body.append(script);
    });
    bytes = Uint8Array.from(atob(globalThis.lockstepEngine), c => c.charCodeAt(0));
  } else {
    const got = await fetch("engine.bin");
    if (!got.ok) throw new Error(`engine.bin: ${got.status}`);
    bytes = await fetched(got);
  }
  if (packed(bytes)) return WebAssembly.compileStreaming(new Response(unpacked(bytes), { headers: { "Content-Type": "application/wasm" } }));
  if (!engineBegins.every((b, i) => bytes[i] === b)) {
    throw new Error("engine.bin is not the engine. Does this network ask you to log in first?");
  }
  return WebAssembly.compile(bytes);
}

const packed = bytes => bytes[0] === 0x1f; // a server may have unpacked it
const unpacked = bytes => new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
const engineBegins = [0x00, 0x61, 0x73, 0x6d]; // every WebAssembly module does

// fetched reads an answer and says how much of it has come.
async function fetched(got) {
  const all = Number(got.headers.get("Content-Length")), parts = [];
  const reader = got.body.getReader();
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    size += value.length;
    const told = el("loading") || el("where"); // on the first page nothing else is there
    if (all && !got.headers.get("Content-Encoding")) told.textContent = `Loading the engine: ${Math.floor(100 * size / all)} % of ${(all / 1e6).toFixed(1)} MB`;
  }
  (el("loading") || el("where")).textContent = "Starting ...";
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const part of parts) { bytes.set(part, at); at += part.length; }
  return bytes;
}

// start is a worker that has the engine.
function start(what, hears, dies) {
  const code = URL.createObjectURL(new Blob([`(${lockstepWorker})()`], { type: "text/javascript" }));
  const started = new Worker(code);
  started.onmessage = ({ data }) => hears(JSON.parse(data));
  started.onerror = e => dies(e.message);
  started.postMessage({ module, ...what });
  return started;
}

// A job is an exploration. It has a worker of its own, which ends with it.
function begins(job) {
  const end = found => {
    jobs.get(job.id)?.terminate();
    jobs.delete(job.id);
    ask({ found });
  };
  const hears = found => {
    if (found.died) end({ id: job.id, end: true, error: found.died });
    else if (found.end) end(found);
    else ask({ found });
  };
  jobs.set(job.id, start({ job: JSON.stringify({ ...job, course: lesson }) }, hears, why => end({ id: job.id, end: true, error: why })));
}

function stops(id) {
  jobs.get(id)?.terminate();
  jobs.delete(id);
}

async function begin() {
  module = await engine();
  worker = start({ start: JSON.stringify({
    lang: stored("lockstep.lang") || navigator.language, place: placed(), course: lesson,
    progress: stored(kept) || stored(keptBefore), still: matchMedia("(prefers-reduced-motion: reduce)").matches, touch: matchMedia("(pointer: coarse)").matches,
  }) }, hear, died);
}

// early shows what was made with the site, until the engine is there: the page of an
// address, or for a new visitor the first one.
async function early() {
  const langs = globalThis.lockstepFirst || {}, wanted = (stored("lockstep.lang") || navigator.language).toLowerCase().split("-")[0];
  const lang = langs[wanted] ? wanted : "en", place = placed(), fresh = !stored(kept) && !stored(keptBefore);
  if (!place) return fresh && langs[lang] && shows(langs[lang]);
  if (location.protocol === "file:" || place.startsWith("course:") && !fresh) return;
  const got = await fetch(`first.${lang}.bin`);
  if (!got.ok) return;
  const bytes = new Uint8Array(await got.arrayBuffer());
  const all = await new Response(packed(bytes) ? unpacked(bytes) : bytes).json();
  const frame = all[place] || all[place + "@1"];
  if (frame && !answered && !dead && placed() === place) shows(frame);
}

function shows(first) {
  draw(first);
  say("where", "Loading the engine ...");
}

// keep has a service worker store the site's files for use without a network. A page from
// a disk does not need one; browsers refuse one to a page that another machine sends
// without TLS.
async function keep() {
  if (!navigator.serviceWorker || location.protocol === "file:") return;
  await navigator.serviceWorker.register("offline.js");
  (await navigator.serviceWorker.ready).active.postMessage("keep");
}

function hear(answer) {
  if (!answered) {
    answered = true;
    keep().catch(() => {}); // a browser that keeps nothing
    waiting.splice(0).forEach(ask);
  }
  if (answer.frame) draw(answer.frame);
  if (answer.save) store(kept, answer.save);
  if (answer.aside) store(kept + ".damaged", answer.aside);
  if (answer.copy) copy(answer.copy);
  if (answer.job) begins(answer.job);
  if (answer.stop) stops(answer.stop);
  if (answer.died) died(answer.died);
}

function died(why) {
  if (dead) return; // the first reason counts
  dead = true;
  worker = null;
  el("body").replaceChildren(Object.assign(document.createElement("p"), { id: "loading", textContent: `Lockstep has stopped. Load this page again. ${why}` }));
}

// What is kept -------------------------------------------------------------

function stored(name) {
  try { return localStorage.getItem(name) || ""; } catch { return ""; }
}

function store(name, text) {
  try { localStorage.setItem(name, text); } catch { /* a browser that keeps nothing */ }
}

function copy(token) {
  const address = location.href.split("#")[0] + "#" + token;
  if (navigator.clipboard) navigator.clipboard.writeText(address).catch(() => {});
}

addEventListener("storage", e => { if (e.key === kept) ask({ stored: e.newValue || "" }); });

// Frames -------------------------------------------------------------------

function draw(f) {
  const was = frame;
  frame = f;
  document.documentElement.lang = f.lang;
  document.documentElement.classList.toggle("blank", Boolean(f.blank));
  const turns = document.documentElement.classList.toggle("large", Boolean(f.large)) !== Boolean(was?.large);
  if (was && was.lang !== f.lang) store("lockstep.lang", f.lang);
  const [left, right] = f.title;
  say("title", left);
  say("where", right);
  document.title = left === "Lockstep" ? left : `${left} - Lockstep`;
  say("status-left", f.notice || f.status[0]);
  say("status-right", f.notice ? "" : f.status[1]);
  el("status").classList.toggle("told", Boolean(f.notice));
  refresh(f.parts);
  drawKeys(f.keys);
  if (turns) el("rare").open = false; // once its buttons are drawn: Chromium's page crashes where the tapped one is still to be moved
  drawQuery(f);
  say("says", f.says);
  words(f.words);
  const place = f.place || "";
  if (placed() !== address || place === address) return; // the reader has gone elsewhere, of which the engine hears next
  const moved = was && base(was.place) !== base(place); // another page: the way back leads to the one before
  history[moved ? "pushState" : "replaceState"](null, "", place ? "#" + place : location.pathname + location.search);
  address = placed();
}

// base is a place without its step.
const base = place => (place || "").split("@")[0];

function say(id, text) {
  const at = el(id);
  if (at.textContent !== text) at.textContent = text;
}

function words(w) {
  say("paste", w.paste); say("save", w.save); say("load", w.load); say("rare-name", w.more);
  say("story-name", w.paste_hint); say("play", w.play); say("cancel", w.cancel);
  el("bar").setAttribute("aria-label", w.keys);
  el("body").setAttribute("aria-label", w.screen);
  el("own").hidden = false;
}

// Children -----------------------------------------------------------------

// refresh makes anew only the sections that have changed. What had the focus has it again
// if it is still there.
function refresh(all) {
  const body = el("body"), focused = document.activeElement;
  const place = body.contains(focused) && focused !== body ? [...body.children].findIndex(c => c.contains(focused)) : -1;
  const buttons = at => [...(body.children[at]?.querySelectorAll("button") || [])];
  const nth = place < 0 ? -1 : buttons(place).indexOf(focused);
  if (!shown.length) body.replaceChildren();
  while (body.children.length > all.length) body.lastChild.remove();
  const fresh = [];
  all.forEach((what, i) => {
    const text = JSON.stringify(what), old = body.children[i];
    if (shown[i] === text && old) return;
    const made = section(what, old);
    if (old && made !== old) old.replaceWith(made); else if (!old) body.append(made);
    shown[i] = text;
    fresh.push(made);
  });
  (frame.large ? [...body.children] : fresh).forEach(settle); // on a large page all share the height
  shown.length = all.length;
  if (place < 0 || document.contains(focused)) return;
  const next = body.children[place]?.querySelector("[aria-current]") || buttons(place)[nth] || body;
  next.focus({ preventScroll: true });
}

// Sections -----------------------------------------------------------------

const fine = matchMedia("(pointer: fine)");

function section(part, old) {
  const made = part.kind === "table" && old?.matches(".table") ? old : make(part.kind === "ask" ? "fieldset" : "section", part.kind === "steps" ? "run" : part.kind);
  if (part.kind === "steps") made.append(...steps(part));
  else if (part.kind === "table") table(part, made);
  else if (part.kind === "ask") made.append(...question(part.lines));
  else if (part.kind === "code") made.append(...headed(part), code(part.lines));
  else if (part.kind === "state") made.append(...headed(part), columns(part.lines));
  else made.append(...headed(part), ...flow(part.lines || []));
  return made;
}

const headed = part => part.title ? [make("h2", "", part.title)] : [];

// settle scrolls to what counts now.
function settle(made) {
  const pre = made.querySelector("pre"), lit = made.querySelector("pre .lit, pre .strong");
  if (lit) pre.scrollTop = lit.parentNode.offsetTop - pre.clientHeight / 2; // it is the offset's parent
  const diagram = made.querySelector(".diagram");
  if (diagram) diagram.scrollTop = diagram.scrollHeight;
  const current = made.querySelector("[aria-current]");
  if (current && !fine.matches) return; // a finger scrolls by itself
  current?.scrollIntoView({ block: "nearest" });
}

function make(name, style, text) {
  const made = document.createElement(name);
  if (style) made.className = style;
  if (text !== undefined) made.textContent = text;
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
  const li = make("li"), b = make("button"), { k, n } = has[0];
  b.type = "button";
  const here = /^[▸>]/.test(has[0].t.trim());
  if (here) b.setAttribute("aria-current", "true");
  for (const p of has) {
    const text = p === has[0] ? p.t.replace(/^[▸>]? */, "") : p.t.trim();
    if (text) b.append(make("span", p.c || "", text), " ");
  }
  const moves = k === "up" || k === "down";
  b.onclick = () => {
    ask({ press: k, times: n });
    if (moves) ask({ press: "enter" });
  };
  li.append(b);
  return li;
}

// passage is a paragraph; words in it may press a key.
function passage(line) {
  const p = make("p");
  for (const run of line) {
    if (!run.t) continue;
    const made = make(run.k ? "button" : "span", run.c || "", run.t);
    if (run.k) { made.type = "button"; made.onclick = () => ask({ press: run.k, times: run.n }); }
    p.append(made);
  }
  return p;
}

// table has a button in each cell, which moves the cursor there; where it is already, it
// opens. A table of the same size is filled anew, so that a click while cells are still
// computed does not miss its button.
function table(part, into) {
  const [head, ...rows] = part.lines, had = into.querySelector("table");
  if (had?.rows.length !== part.lines.length || had.rows[0].cells.length !== head.length) into.replaceChildren(emptyTable(part.lines));
  const [top, ...below] = into.querySelector("table").rows, [row, column] = part.here;
  head.forEach((p, j) => { top.cells[j].textContent = p.t; });
  rows.forEach(([name, ...cells], i) => {
    below[i].cells[0].textContent = name.t;
    cells.forEach((p, j) => {
      const b = below[i].cells[j + 1].firstChild, here = i === row && j === column;
      b.textContent = p.t;
      b.className = p.c || "";
      b.setAttribute("aria-label", `${name.t}, ${head[j + 1].t}: ${p.t}`);
      if (here) b.setAttribute("aria-current", "true"); else b.removeAttribute("aria-current");
      b.onclick = () => {
        if (i !== row) ask({ press: i > row ? "down" : "up", times: Math.abs(i - row) });
        if (j !== column) ask({ press: j > column ? "right" : "left", times: Math.abs(j - column) });
        if (here) ask({ press: "enter" });
      };
    });
  });
}

function emptyTable([head, ...rows]) {
  const box = make("div", "wide"), all = make("table"), th = scope => Object.assign(make("th"), { scope });
  all.append(make("thead"), make("tbody"));
  all.tHead.insertRow().append(...head.map(() => th("col")));
  for (const [, ...cells] of rows) {
    const tr = all.tBodies[0].insertRow();
    tr.append(th("row"));
    for (let j = 0; j < cells.length; j++) tr.insertCell().append(Object.assign(make("button"), { type: "button" }));
  }
  box.append(all);
  return box;
}

function question([asked, ...answers]) {
  const all = make("div", "answers");
  for (const line of answers) {
    const b = make("button", "", line.map(p => p.t).join(""));
    b.type = "button";
    b.onclick = () => ask({ press: line[0].k });
    all.append(b);
  }
  return [make("legend", "", asked.map(p => p.t).join("")), all];
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
    const li = make("li"), b = make(row.k && fine.matches ? "button" : "div", "row " + (row.c === "alarm" ? "bad" : row.c ? row.c.replace("client", "c") : "") + (row.p ? " parts" : ""));
    if (row === part.rows.at(-1)) li.className = "here";
    li.style.height = row.h + "px";
    li.value = row.i;
    b.append(make("span", "n", String(row.i)), make("span", "t", row.at || ""), make("b", "disc", row.z ? String(row.z) : ""), make("span", "w", row.t));
    if (row.k) b.onclick = () => ask({ press: row.k, times: row.n });
    li.append(b);
    list.append(li);
  }
  plot.append(clip, list);
  diagram.append(names, plot);
  const last = part.rows.at(-1), fresh = drawn.title === part.title && drawn.step + 1 === last.i;
  drawn = { title: part.title, step: last.i };
  if (fresh && lively.matches) clip.animate([{ clipPath: `inset(0 0 ${last.h}px 0)` }, { clipPath: "inset(0)" }], 150);
  return [make("h2", "", part.title), ...flow(part.lines || []), diagram, make("p", part.said ? "now said" : "now", part.said || part.rows.at(-1).t)];
}

let drawn = {}; // the run and the step that were drawn last
const lively = matchMedia("(prefers-reduced-motion:no-preference)");

// picture is an SVG of the engine.
const picture = text => document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);

// Keys ---------------------------------------------------------------------

// drawKeys keeps the buttons that stay, and so the focus.
function drawKeys(all) {
  const asked = new Set(frame.parts.filter(p => p.kind === "ask").flatMap(p => p.lines.slice(1).map(l => l[0].k)));
  all = all.filter(k => !asked.has(k.press)); // they have buttons already
  const had = new Map([...document.querySelectorAll("#keys button, #rare-keys button")].map(b => [b.dataset.press, b]));
  const focused = document.activeElement;
  const made = all.map(k => [k, button(k, had.get(k.press))]);
  const most = document.documentElement.clientWidth < 640 || innerHeight < 480 ? 4 : all.length; // what a phone has room for
  const first = new Set(all.filter(k => k.rank && !k.off).slice(0, most).map(k => k.press));
  const rare = k => most === all.length ? !k.rank && !["esc", "?", "L"].includes(k.press) : !first.has(k.press) && k.press !== "esc";
  fill(el("keys"), made.filter(([k]) => !rare(k)).map(([, b]) => b));
  fill(el("rare-keys"), made.filter(([k]) => rare(k)).map(([, b]) => b));
  el("rare").hidden = !made.some(([k]) => rare(k));
  if (had.get(focused.dataset?.press) === focused) (document.contains(focused) ? focused : el("main")).focus({ preventScroll: true });
}

function fill(box, buttons) {
  if (box.children.length !== buttons.length || buttons.some((b, i) => box.children[i] !== b)) box.replaceChildren(...buttons);
}

function button(k, b) {
  if (!b) {
    b = document.createElement("button");
    b.type = "button";
    b.dataset.press = k.press;
    b.append(document.createElement("b"), " ", document.createElement("span")); // a name in two words
    b.onclick = () => ask({ press: k.press });
  }
  b.firstChild.textContent = k.name;
  b.lastChild.textContent = k.does;
  b.title = k.why || "";
  if (k.off) b.setAttribute("aria-disabled", "true"); else b.removeAttribute("aria-disabled");
  return b;
}

// Letters ------------------------------------------------------------------

function drawQuery(f) {
  const typing = typeof f.writes === "string", box = el("query");
  const opened = typing && el("search").hidden;
  if (!typing && document.activeElement === box) el("main").focus({ preventScroll: true });
  el("search").hidden = !typing;
  if (!typing) return;
  say("search-name", f.title[0]);
  if (opened || document.activeElement !== box) box.value = f.writes;
  query = box.value;
  if (opened) box.focus();
}

el("query").addEventListener("input", () => {
  const now = el("query").value;
  let same = 0;
  while (same < now.length && now[same] === query[same]) same++;
  ask({ write: { erase: [...query.slice(same)].length, text: now.slice(same) } });
  query = now;
});

// turned scrolls a page in large letters that goes on below or above the screen: a remote
// has no other key to get there.
function turned(name) {
  const body = el("body"), by = { pgdown: 1, pgup: -1 }[name];
  const left = by > 0 ? body.scrollHeight - body.clientHeight - body.scrollTop : body.scrollTop;
  if (!frame?.large || !by) return false;
  body.scrollTop = left > 8 ? body.scrollTop + by * 0.85 * body.clientHeight : 0;
  return left > 8;
}

const names = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right", Enter: "enter", Escape: "esc", Home: "home", End: "end", PageUp: "pgup", PageDown: "pgdown", " ": " " };

addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || el("story").open) return;
  const name = names[e.key] || ([...e.key].length === 1 ? e.key : "");
  const at = document.activeElement;
  if (at === el("query")) {
    if (!["up", "down", "enter", "esc"].includes(name)) return;
    if (name === "esc") el("query").value = query = "";
  } else if (name.startsWith("pg") && !frame?.keys.some(k => k.press === name)) {
    return; // the page scrolls
  } else if (!name || (name === "enter" || name === " ") && at.matches("button, summary, input")) {
    return;
  }
  e.preventDefault();
  if (!turned(name)) ask({ press: name });
});

// placed is what the address names. What is not well formed names itself.
function placed() {
  const name = location.hash.slice(1);
  try { return decodeURIComponent(name); } catch { return name; }
}

let address = placed(); // as far as the page knows it

addEventListener("hashchange", () => {
  address = placed();
  if (frame && address !== (frame.place || "")) ask({ place: address });
});

// What is the learner's own ------------------------------------------------

el("paste").onclick = () => el("story").showModal();
el("story").addEventListener("close", () => {
  if (el("story").returnValue === "play") ask({ story: el("text").value });
});
el("save").onclick = () => {
  const file = document.createElement("a");
  file.href = URL.createObjectURL(new Blob([stored(kept) || "{}"], { type: "application/json" }));
  file.download = "lockstep-progress.json";
  file.click();
};
el("load").onclick = () => el("file").click();
el("file").onchange = async () => {
  const [file] = el("file").files;
  if (file) ask({ load: await file.slice(0, (1 << 20) + 1).text() }); // the engine refuses what is too large
  el("file").value = "";
};

early().catch(() => {}); // then the page waits for the engine
begin().catch(err => died(String(err)));
