// What the pages of a workshop share: words, the stream of events, requests, polls, boards
// and the clock. All text comes to the page by textContent.
"use strict";

// Words --------------------------------------------------------------------

let lang = "en", texts = {};

// w is a text in the reader's language. {name} in it is replaced by a value.
function w(key, values = {}) {
  return (texts[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

const languages = ["en", "zh"];
const langKept = "lockstep.lang"; // as the site keeps it

function langWanted() {
  const wanted = (stored(langKept) || navigator.language).toLowerCase().split("-")[0];
  return languages.includes(wanted) ? wanted : "en";
}

// speak takes the texts of a language and writes them where the page has its labels.
async function speak(to) {
  const got = await fetch(`/words.${to}.json`);
  if (!got.ok) throw new Error(`words.${to}.json: ${got.status}`);
  texts = await got.json();
  lang = to;
  store(langKept, to);
  document.documentElement.lang = to;
  for (const at of document.querySelectorAll("[data-w]")) at.textContent = w(at.dataset.w);
  for (const at of document.querySelectorAll("[data-label]")) at.setAttribute("aria-label", w(at.dataset.label));
  for (const at of document.querySelectorAll("[data-lang]")) at.setAttribute("aria-pressed", String(at.dataset.lang === to));
}

// speaks calls back when another language is chosen.
function speaks(changed) {
  for (const b of document.querySelectorAll("[data-lang]")) {
    b.onclick = () => b.dataset.lang !== lang && speak(b.dataset.lang).then(changed).catch(err => tell(err.message));
  }
}

// What is kept in the browser ----------------------------------------------

function stored(name) {
  try { return localStorage.getItem(name) || ""; } catch { return ""; }
}

function store(name, text) {
  try { if (text) localStorage.setItem(name, text); else localStorage.removeItem(name); } catch { /* a browser that keeps nothing */ }
}

// Requests -----------------------------------------------------------------

const patience = 15_000; // milliseconds that a request may take

// send asks the server: with a body by POST. An error has the status of the answer, 0 where
// none came, and after, the seconds that the server asks to wait.
async function send(path, body) {
  const how = { signal: AbortSignal.timeout(patience), cache: "no-store" };
  if (body !== undefined) Object.assign(how, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  let got, text;
  try {
    got = await fetch(path, how);
    text = await got.text();
  } catch {
    throw Object.assign(new Error(w("no_answer")), { status: 0, after: 0 });
  }
  let answer = {};
  try { answer = JSON.parse(text || "{}"); } catch { /* an error that is no JSON */ }
  if (got.ok) return answer;
  throw Object.assign(new Error(answer.error || w("refused", { status: got.status })), { status: got.status, after: Number(got.headers.get("Retry-After")) || 0, answer });
}

// passes reports whether an error may be gone the next time.
const passes = err => err.status === 0 || err.status === 429 || err.status >= 500;

// Events -------------------------------------------------------------------

const silence = 40_000; // milliseconds after which a connection is dead: the server says something every 15 s
const hiddenFor = 5_000; // milliseconds after which a page that is shown again asks anew

// follow reads a stream of events and begins anew whenever it ends or falls silent, or when
// the page or the network comes back. Each connection begins with the whole state. hears
// takes an event, tells whether there is a connection; refused is told of an answer that no
// repetition changes.
function follow(address, hears, tells, refused) {
  let current = null, up = false, last = 0, failures = 0, timer = 0, hidden = 0;

  async function connect() {
    clearTimeout(timer);
    current?.abort();
    const mine = current = new AbortController();
    last = Date.now();
    up = false;
    let wait = 0;
    try {
      const got = await fetch(address(), { signal: mine.signal, headers: { Accept: "text/event-stream" }, cache: "no-store" });
      wait = 1000 * (Number(got.headers.get("Retry-After")) || 0);
      if (!got.ok) throw Object.assign(new Error(), { status: got.status });
      const reader = got.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let text = ""; ;) {
        const { done, value } = await reader.read();
        if (done || mine !== current) break;
        last = Date.now();
        const blocks = (text + value).replaceAll("\r", "").split("\n\n");
        text = blocks.pop();
        for (const block of blocks) {
          const event = parse(block);
          if (!event) continue;
          hears(event.kind, event.data);
          if (!up) { up = true; failures = 0; tells(true); }
        }
      }
    } catch (err) {
      if (mine === current && err.status >= 400 && err.status < 500 && err.status !== 429) {
        tells(false);
        if (await refused(err.status)) return;
      }
    }
    if (mine !== current) return; // another connection has begun
    tells(false);
    timer = setTimeout(connect, Math.max(wait, Math.min(500 * 2 ** failures++, 8000)) * (0.5 + Math.random()));
  }

  setInterval(() => { if (Date.now() - last > silence && !document.hidden) connect(); }, 5000);
  addEventListener("online", connect);
  addEventListener("offline", () => tells(false));
  addEventListener("pageshow", e => { if (e.persisted) connect(); });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) hidden = Date.now();
    else if (Date.now() - hidden > hiddenFor) connect();
  });
  connect();
  return connect;
}

// parse reads an event; null for a comment.
function parse(block) {
  let kind = "message", data = [];
  for (const line of block.split("\n")) {
    const [, field, value] = /^([^:]*):? ?(.*)$/.exec(line);
    if (field === "event") kind = value;
    if (field === "data") data.push(value);
  }
  return data.length ? { kind, data: JSON.parse(data.join("\n")) } : null;
}

// The clock ----------------------------------------------------------------

let ends = 0; // of the timer, by this clock; 0 for none

function setTimer(timer) {
  ends = timer && (timer.ends || timer.left > 0) ? Date.now() + 1000 * timer.left : 0;
  tick();
}

function tick() {
  const at = el("timer"), left = Math.max(0, Math.ceil((ends - Date.now()) / 1000));
  if (!at) return;
  hide("timer", !ends);
  at.classList.toggle("over", Boolean(ends) && left === 0);
  say("timer", !ends ? "" : left ? `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}` : w("time_over"));
}

setInterval(tick, 500);

// Polls --------------------------------------------------------------------

// bars are the answers to a poll as a list: each with its share as a bar, and the right one
// with a word.
function bars(poll, mine = null) {
  const list = make("ol", "bars"), counts = poll.counts || [], all = counts.reduce((a, b) => a + b, 0);
  poll.options.forEach((option, i) => {
    const li = make("li"), bar = make("span", "bar"), share = all ? Math.round(100 * (counts[i] || 0) / all) : 0;
    const right = poll.state === "revealed" && poll.right === i;
    li.classList.toggle("right", right);
    bar.style.setProperty("--share", share + "%");
    li.append(make("span", "option", option));
    if (right) li.append(make("span", "mark-right", "✓ " + w("right")));
    if (mine === i) li.append(make("span", "mark-mine", "● " + w("your_answer")));
    if (poll.counts) li.append(make("span", "share", w("share", { n: counts[i] || 0, percent: share })), bar);
    list.append(li);
  });
  return list;
}

// The contest --------------------------------------------------------------

// board is the table of a contest; isMine marks a row.
function board(contest, isMine = () => false) {
  if (!contest.board?.length) return make("p", "faint", w("board_empty"));
  const box = make("div", "board"), table = make("table"), teams = contest.by === "team";
  const named = !teams && contest.board.some(row => row.team);
  const heads = [w("rank"), teams ? w("team") : w("name"), ...named ? [w("team")] : [], w("steps")];
  const top = table.createTHead().insertRow();
  for (const head of heads) top.append(Object.assign(make("th", "", head), { scope: "col" }));
  const body = table.createTBody();
  for (const row of contest.board) {
    const tr = body.insertRow(), mine = isMine(row);
    tr.className = mine ? "mine" : "";
    const cells = [row.rank, (teams ? row.team : row.name) + (mine ? ` (${w("you")})` : ""), ...named ? [row.team] : [], row.steps];
    for (const cell of cells) tr.insertCell().textContent = cell ?? "";
  }
  box.append(table);
  return box;
}

// Notices ------------------------------------------------------------------

// tell shows a sentence for a while and has it read out.
let toldUntil = 0;
function tell(text) {
  say("told", text);
  say("says", text);
  hide("told", false);
  clearTimeout(toldUntil);
  toldUntil = setTimeout(() => { hide("told", true); }, 8000);
}
