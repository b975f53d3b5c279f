// What the browser adds to the engine: it hands on requests and shows the frames.
"use strict";

const lesson = globalThis.lockstepCourse; // the site's own course, packed; "" for the usual one
const kept = "lockstep.progress" + (lesson ? "." + globalThis.lockstepCourseID : ""); // in localStorage
const keptBefore = "lockstep.progress" + (lesson ? location.pathname.replace(/[^/]*$/, "") : ""); // by older versions
const jobs = new Map();
let dead = false, module = null, worker = null;

const firsts = globalThis.lockstepFirst || {}, wanted = (stored("lockstep.lang") || navigator.language).toLowerCase().split("-")[0];
const firstLang = firsts[wanted] ? wanted : "en", text = firsts[firstLang]?.words || {};

// Requests wait for the first answer of the engine. Of clicks only the last does: what they
// aim at has not changed since the one before.
let waiting = [], answered = false;
let near = false; // what is shown is not the page of the address, which keys and clicks would be for
let clicked = null;

ask = request => {
  if (answered) return worker?.postMessage(JSON.stringify(request));
  const aims = request.press || request.write;
  if (aims && clicked) forgetClicks();
  if (aims && !near) {
    clicked?.setAttribute("aria-busy", "true");
    waiting.push(request);
  } else if (!aims) {
    if (request.place !== undefined) forget("place");
    waiting.push(request);
  }
  clicked = null;
  say("says", comes());
};

const forget = (...kinds) => { waiting = waiting.filter(r => kinds.every(k => r[k] === undefined)); };

function forgetClicks() {
  forget("press", "write");
  document.querySelector("[aria-busy]")?.removeAttribute("aria-busy");
}

addEventListener("click", e => { clicked = e.target.closest("button"); }, true);

// comes says what waits for the engine, how much of that has come, and how long the rest takes.
let size = 0, since = 0; // bytes, and when the first came
function comes() {
  if (answered || dead) return "";
  const left = size ? Math.ceil((engineSize - size) / size * (performance.now() - since) / 1000) : 0;
  const mb = bytes => (bytes / 1e6).toFixed(1), minutes = size ? `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}` : "?";
  const does = near ? text.near : waiting.some(r => r.press || r.write || r.story) ? text.waits : "";
  const says = `${does} ${text.loading}`.trim().replace("{done}", mb(size)).replace("{all}", mb(engineSize)).replace("{left}", minutes);
  hide(frame ? "status" : "loading", false);
  say(frame ? "status-left" : "loading", says);
  if (frame) say("status-right", "");
  el("status").classList.toggle("told", Boolean(frame));
  return says;
}

// The engine ---------------------------------------------------------------

// engine is the compiled module: fetched, or where a page may not fetch, as from a USB
// stick, out of a script that holds the same bytes.
async function engine() {
  let bytes;
  if (location.protocol === "file:") {
    await loaded("engine.js");
    bytes = unscripted(globalThis.lockstepEngine);
  } else {
    const got = await fetch("engine.bin");
    if (!got.ok) throw new Error(`engine.bin: ${got.status}`);
    bytes = await fetched(got);
  }
  if (packed(bytes)) return WebAssembly.compileStreaming(new Response(unpacked(bytes), { headers: { "Content-Type": "application/wasm" } }));
  if (!engineBegins.every((b, i) => bytes[i] === b)) {
    throw new Error(text.no_engine);
  }
  return WebAssembly.compile(bytes);
}

const loaded = name => new Promise((done, failed) => {
  const script = document.createElement("script");
  script.src = name;
  script.onload = done;
  script.onerror = () => failed(new Error(`${name} is missing`));
  document.body.append(script);
});
const unscripted = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
const packed = bytes => bytes[0] === 0x1f; // a server may have unpacked it
const unpacked = bytes => new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
const engineBegins = [0x00, 0x61, 0x73, 0x6d]; // every WebAssembly module does

// fetched reads an answer and says how much of it has come.
async function fetched(got) {
  const parts = [], reader = got.body.getReader();
  since = performance.now();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    size += value.length;
    comes();
  }
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

// sited hands over the matrix that comes with the site.
async function sited({ id }) {
  try {
    await loaded("matrix.js");
    ask({ found: { id, cells: await new Response(unpacked(unscripted(globalThis.lockstepMatrix))).json() } });
    ask({ found: { id, end: true } });
  } catch (err) {
    ask({ found: { id, end: true, error: String(err) } });
  }
}

// A job is an exploration. It has a worker of its own, which ends with it.
function begins(job) {
  if (job.made) return sited(job);
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
  forget("place"); // it begins at the last address, not at those on the way there
  worker = start({ start: JSON.stringify({
    lang: stored("lockstep.lang") || navigator.language, place: placed(), course: lesson, made: globalThis.lockstepMade || "",
    progress: stored(kept) || stored(keptBefore), still: matchMedia("(prefers-reduced-motion: reduce)").matches,
  }) }, hear, died);
}

// early shows what was made with the site, until the engine is there: the page of the
// address, or if that is not among it, soon, the nearest page. Who has been here finds all
// but stories as they were left.
async function early() {
  const place = placed(), [, kind] = /^(course|level|lock|source|which|diploma|tour):|/.exec(place.replace(about, ""));
  const fresh = !stored(kept) && !stored(keptBefore);
  near = Boolean(frame);
  forgetClicks();
  const all = place && location.protocol !== "file:" ? await made(kind || "story", place) : {};
  const had = place ? all[place] || all[place + "@1"] : firsts[firstLang];
  if (had && (fresh || place && !kind)) return shows(had, place, false);
  const bare = place.replace(about, "").replace(/@\d+$/, "");
  setTimeout(() => shows(all[bare] || all[bare + "@1"] || all[bare.split("/")[0]] || all[kind + ":"] || firsts[firstLang], place, true), 2000);
}

const about = /^(help|words):/; // another address

// made is the first pages of addresses of a kind.
async function made(kind, place) {
  if (kind === "story" && !/^\w+(@\d+)?$/.test(place.replace(about, ""))) return {};
  const got = await fetch(`first.${kind}.${firstLang}.bin`);
  if (!got.ok) return {};
  const bytes = new Uint8Array(await got.arrayBuffer());
  return new Response(packed(bytes) ? unpacked(bytes) : bytes).json();
}

function shows(first, place, isNear) {
  if (!first || answered || dead || placed() !== place) return;
  near = isNear;
  draw(first);
  comes();
}

// keep has a service worker store the site's files for use without a network. A page from
// a disk does not need one; browsers refuse one to a page that another machine sends
// without TLS.
async function keep() {
  if (!navigator.serviceWorker || location.protocol === "file:") return;
  await navigator.serviceWorker.register("offline.js");
  (await navigator.serviceWorker.ready).active.postMessage(globalThis.lockstepMade ? ["matrix.js"] : []);
}

function hear(answer) {
  if (!answered) {
    answered = true;
    document.querySelector("[aria-busy]")?.removeAttribute("aria-busy");
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
  el("body").replaceChildren(Object.assign(document.createElement("p"), { id: "loading", textContent: `${text.stopped} ${why}` }));
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
  if (f.blank) document.activeElement.blur(); // it cannot be seen
  document.documentElement.classList.toggle("large", Boolean(f.large));
  if (was && was.lang !== f.lang) store("lockstep.lang", f.lang);
  const [left, right] = f.title;
  say("title", left);
  say("where", right);
  document.title = left === "Lockstep" ? left : `${left} - Lockstep`;
  const notice = f.keys.some(k => k.leads && k.off && k.why === f.notice) ? "" : f.notice; // the button says it, and covers no answer
  say("status-left", notice || f.status[0]);
  say("status-right", notice ? "" : f.status[1]);
  if (notice) linked(el("status-left"));
  el("status").classList.toggle("told", Boolean(notice));
  if (was && was.page !== f.page) scrollTo(0, 0);
  words(f.words); // some stand on buttons, which take room
  refresh(f.parts);
  drawKeys(f, was);
  drawQuery(f);
  say("says", f.says);
  dispatchEvent(new Event("drawn"));
  follows(f, was);
}

// follows has the address follow the page: the way back leads from another page to the one
// before it.
function follows(f, was) {
  const place = f.place || "", state = { page: f.page, depth: f.depth };
  if (!answered || placed() !== address || place === address && history.state?.page === f.page) return; // or the reader has gone elsewhere, of which the engine hears next
  const moved = was && was.page !== f.page && !f.linked;
  if (moved && place === address && f.depth < was.depth) return history.back(); // to the page that has no address of its own
  history[moved ? "pushState" : "replaceState"](state, "", place ? "#" + encodeURI(place) : location.pathname + location.search);
  address = placed();
}

addEventListener("click", () => { if (frame?.blank) ask({ press: "b" }); });

function words(w) {
  say("paste", w.paste); say("save", w.save); say("load", w.load); say("more", w.more); say("rare-close", w.close); say("skip", w.skip);
  say("story-name", w.paste_hint); say("play", w.play); say("cancel", w.cancel);
  for (const id of ["bar", "rare"]) el(id).setAttribute("aria-label", w.keys);
  el("body").setAttribute("aria-label", w.screen);
  hide("own", Boolean(frame.large));
}

// placed is what the address names. What is not well formed names itself.
function placed() {
  const name = location.hash.slice(1);
  try { return decodeURIComponent(name); } catch { return name; }
}

let address = placed(); // as far as the page knows it

addEventListener("popstate", () => {
  address = placed();
  if (!answered) early().catch(() => {});
  if (frame && (address !== (frame.place || "") || history.state?.page !== frame.page)) ask({ place: address, depth: history.state?.depth });
});

// What is the learner's own ------------------------------------------------

el("paste").onclick = () => { el("rare").close(); el("story").showModal(); };
el("story").addEventListener("close", () => {
  if (el("story").returnValue === "play") ask({ story: el("text").value });
});
el("save").onclick = () => {
  const file = document.createElement("a");
  file.href = URL.createObjectURL(new Blob([stored(kept) || stored(keptBefore) || '{"version":1}'], { type: "application/json" }));
  file.download = "lockstep-progress.json";
  file.click();
};
el("load").onclick = () => el("file").click();
el("file").onchange = async () => {
  const [file] = el("file").files;
  if (file) ask({ load: await file.slice(0, (1 << 20) + 1).text() }); // the engine refuses what is too large
  el("file").value = "";
};

// In a workshop its server has a script that hands in the moves that solve a level.
if (location.search === "?workshop") document.body.append(Object.assign(document.createElement("script"), { src: "/level.js" }));

early().catch(() => {}).then(begin).catch(err => died(String(err))); // of a slow network the first page has all
