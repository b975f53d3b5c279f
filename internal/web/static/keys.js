// The keys of frames: buttons, letters that are typed, and the keyboard.
"use strict";

// Keys ---------------------------------------------------------------------

// drawKeys keeps the buttons that stay, and so the focus.
function drawKeys(f) {
  const asked = new Set(f.parts.filter(p => p.kind === "ask").flatMap(p => p.lines.slice(1).map(l => l[0].k)));
  const all = f.keys.filter(k => !asked.has(k.press)); // the others have buttons already
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

let query = ""; // as the pages know it

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
  if (!turned(name)) ask({ press: name });
});
