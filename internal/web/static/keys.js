// The keys of frames: buttons, letters that are typed, and the keyboard.
"use strict";

// Keys ---------------------------------------------------------------------

// The bar is one row: the key that leads on, always at the same place; at most three others, of
// which one closes the page; and a dialog with the rest. What a key is called stands in the help. No button moves from one of
// these to another: those of the dialog are made when it opens, and are gone when it closes. was is the frame before it.
function drawKeys(f, was) {
  const lead = f.keys.find(k => k.leads), ends = f.keys.find(k => k.ends && !k.leads), has = pressed(f);
  const rest = f.keys.filter(k => k !== lead && k !== ends && !has.has(k.press));
  for (const [id, k] of [["go", lead], ["leave", ends]]) {
    hide(id, !k);
    if (k) label(el(id), k);
  }
  hide("more", !rest.length && (f.large || !el("paste"))); // it takes room
  const offers = rest.filter(k => k.rank && !k.off), here = k => [...el("keys").children].some(b => b.dataset.press === k.press);
  if (was?.page === f.page && was.says === f.says) offers.sort((a, b) => here(b) - here(a)); // what has been computed meanwhile takes no place from under a finger
  fill(el("keys"), f.large ? [] : offers.slice(0, ends ? 2 : 3));
  const shown = new Set([...el("keys").children].map(b => b.dataset.press));
  rare = rest.filter(k => !shown.has(k.press));
  hide("more", !rare.length && (f.large || !el("paste")));
  if (el("rare").open) arrange(el("rare-keys"), rare);
}

let rare = []; // the keys of the dialog

// pressed is the keys that a click into the page presses.
const pressed = f => new Set(f.parts.flatMap(p => (p.lines || []).flat()).filter(p => p?.k && !(p.n > 1)).map(p => p.k));

// arrange shows keys. What stays keeps its button, also under a finger.
function arrange(box, keys) {
  for (const b of [...box.children]) if (!keys.some(k => k.press === b.dataset.press)) drop(b);
  keys.forEach((k, i) => {
    const had = [...box.children].find(b => b.dataset.press === k.press) || button(k);
    if (box.children[i] !== had) box.insertBefore(had, box.children[i] || null);
    label(had, k);
  });
}

// fill shows the keys that fit beside the one that leads on. On a high page several have a row of their
// own where none does: they may be what the reader has to choose from.
const high = matchMedia("(min-height: 30rem)");

function fill(box, keys) {
  arrange(box, keys);
  document.documentElement.classList.remove("two");
  document.documentElement.classList.toggle("two", high.matches && keys.length > 1 && box.firstChild.getBoundingClientRect().right > box.getBoundingClientRect().right);
  const { top, right } = box.getBoundingClientRect();
  for (const b of [...box.children].filter(b => b.getBoundingClientRect().right > right || b.getBoundingClientRect().top > top + 4)) drop(b);
}

function drop(b) {
  if (b === document.activeElement) focusMain();
  b.remove();
}

function button(k) {
  const b = document.createElement("button");
  b.type = "button";
  label(b, k);
  return b;
}

// label names a button; one that does nothing now says why.
function label(b, k) {
  const words = JSON.stringify([k.does, k.off ? k.why : ""]);
  b.dataset.press = k.press;
  b.onclick = () => { el("rare").close(); press(k.press); };
  if (k.off) b.setAttribute("aria-disabled", "true"); else b.removeAttribute("aria-disabled");
  if (b.dataset.words === words) return;
  b.dataset.words = words;
  b.replaceChildren(make("span", "", k.does));
  if (k.off && k.why) b.append(" ", make("small", "", k.why));
}

function press(name) {
  if (!turned(name)) ask({ press: name });
}

el("more").onclick = () => {
  arrange(el("rare-keys"), rare);
  el("rare").showModal();
};
el("rare").addEventListener("close", () => el("rare-keys").replaceChildren());
el("rare").onclick = e => { if (e.target === el("rare")) el("rare").close(); }; // beside it

// A closed dialog does not keep the focus, whatever has become of the button that opened it.
addEventListener("close", e => { if (e.target.contains(document.activeElement)) document.activeElement.blur(); }, true);

el("skip").onclick = () => (el("go").hidden ? el("more") : el("go")).focus();

let drawing = 0;
addEventListener("resize", () => {
  cancelAnimationFrame(drawing);
  drawing = requestAnimationFrame(() => frame && drawKeys(frame, frame));
});

// Letters ------------------------------------------------------------------

let query = ""; // as the pages know it
const digits = f => f.parts.some(p => p.kind === "ask"); // the answer is a number

function drawQuery(f) {
  const typing = typeof f.writes === "string", box = el("query");
  const opened = typing && el("search").hidden;
  hide("search", !typing);
  if (!typing) return;
  say("search-name", f.title[0]);
  box.inputMode = digits(f) ? "numeric" : "search";
  box.maxLength = digits(f) ? 4 : 40;
  if (opened || document.activeElement !== box) box.value = f.writes;
  query = box.value;
  if (opened) box.focus();
}

el("query").addEventListener("input", () => {
  const box = el("query"), now = digits(frame) ? box.value.replace(/\D/g, "") : box.value;
  if (box.value !== now) box.value = now;
  let same = 0;
  while (same < now.length && now[same] === query[same]) same++;
  ask({ write: { erase: [...query.slice(same)].length, text: now.slice(same) } });
  query = now;
});

// turned scrolls a page in large letters that goes on below or above the screen: a remote
// has no other key to get there. Until what follows has come, the page stays at its end, and
// what is pressed is for what follows.
function turned(name) {
  const body = el("body"), by = { pgdown: 1, pgup: -1 }[name];
  const left = by > 0 ? body.scrollHeight - body.clientHeight - body.scrollTop : body.scrollTop;
  if (!frame?.large || !by) return false;
  if (left > 8 && !turning) body.scrollTop += by * 0.85 * body.clientHeight;
  else turning = true;
  return !turning;
}

const names = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right", Enter: "enter", Escape: "esc", Home: "home", End: "end", PageUp: "pgup", PageDown: "pgdown", " ": " " };

addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || document.querySelector("dialog[open]")) return;
  const name = names[e.key] || ([...e.key].length === 1 ? e.key : "");
  const at = document.activeElement;
  if (at === el("query")) {
    if (!["up", "down", "enter", "esc"].includes(name)) return;
    if (name === "esc") el("query").value = query = "";
  } else if (at.matches("input, textarea, select")) {
    return; // what is typed there is no key of a page
  } else if (name.startsWith("pg") && !frame?.keys.some(k => k.press === name)) {
    return; // the page scrolls
  } else if (!name || (name === "enter" || name === " ") && at.matches("button, summary, a")) {
    return;
  }
  e.preventDefault();
  press(name);
});
