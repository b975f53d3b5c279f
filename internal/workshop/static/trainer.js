// The trainer's page: it drives the frames that all see, and leads polls and contests.
"use strict";

let poll = null, contest = null, counted = {}, room = {}, agenda = [];

// Driving ------------------------------------------------------------------

let queue = Promise.resolve(); // requests reach the server in the order of the keys

ask = request => {
  queue = queue.then(() => send("/api/trainer/drive", request)).catch(err => {
    tell(err.status === 409 ? w("other_drives", { name: err.answer?.driver || room.driver || "" }) : err.message);
  });
};

// orders sends what a button of the panels does.
async function orders(path, body) {
  try {
    return await send(path, body);
  } catch (err) {
    tell(err.message);
    return null;
  }
}

const nameKept = "lockstep.trainer";
el("trainer-name").value = stored(nameKept);
el("take").onclick = () => {
  store(nameKept, el("trainer-name").value.trim());
  orders("/api/trainer/take", { name: stored(nameKept) || w("trainer") });
};

// Hearing ------------------------------------------------------------------

function hear(kind, data) {
  switch (kind) {
    case "state":
      counted = { online: data.online, joined: data.joined, answered: data.poll?.answered };
      poll = data.poll;
      contest = data.contest;
      agenda = data.agenda || [];
      setTimer(data.timer);
      if (data.frame) draw(data.frame);
      drawPoll(); drawContest(); drawAgenda();
      break;
    case "frame": draw(data.frame); break;
    case "poll": poll = data; drawPoll(); break;
    case "contest": contest = data; drawContest(); break;
    case "timer": setTimer(data); break;
    case "room": room = data; break;
    case "count":
      counted = data;
      if (poll?.state === "open" && data.answered !== undefined) { poll.answered = data.answered; drawPoll(); }
      break;
  }
  drawRoom();
}

const chapterAt = place => (place || "").split(/[@/]/)[0]; // without its part and step

function draw(f) {
  const was = frame;
  frame = f;
  if (agenda.some(one => one.place === chapterAt(f.place))) { // a chapter's stories have places of their own
    for (const one of agenda) one.now = one.place === chapterAt(f.place);
    drawAgenda();
  }
  const [left, right] = f.title;
  say("title", left);
  say("where", right);
  document.title = left === "Lockstep" ? left : `${left} - Lockstep`;
  say("status-left", f.blank ? w("blank") : f.notice || f.status[0]);
  say("status-right", f.notice ? "" : f.status[1]);
  el("status").classList.toggle("told", Boolean(f.notice));
  refresh(f.parts);
  drawKeys(f, was);
  drawQuery(f);
  say("says", f.says);
}

// Panels -------------------------------------------------------------------

function drawRoom() {
  say("count", w("online_of", { n: counted.online ?? 0, of: counted.joined ?? 0 }));
  say("driver", room.you ? w("you_drive") : room.driver ? w("drives", { name: room.driver }) : w("nobody_drives"));
  hide("take", Boolean(room.you));
  hide("naming", Boolean(room.you));
  const made = [make("p", "", w("online_of", { n: counted.online ?? 0, of: counted.joined ?? 0 }))];
  for (const lost of room.lost || []) made.push(make("p", lost.wrong * 2 > lost.answered ? "alarm" : "", w("lost", { question: lost.question, wrong: lost.wrong, answered: lost.answered, missing: lost.missing })));
  hide("full", !room.absent);
  say("full-says", w("full"));
  if (room.missing?.length) made.push(make("p", "", w("missing", { names: room.missing.slice(0, 30).join(", ") + (room.missing.length > 30 ? " ..." : "") })));
  el("class").replaceChildren(...made);
}

function drawPoll() {
  const is = poll?.id;
  hide("poll-does", !is);
  hide("asked", !is || poll.state === "revealed"); // on a screen where the panel is far below
  if (!is) { el("poll").replaceChildren(make("p", "faint", w("poll_none"))); return; }
  const state = poll.state === "open" ? w("answers_of", { n: poll.answered || 0, of: counted.online ?? 0 }) : poll.state === "closed" ? w("poll_closed_trainer") : w("poll_revealed");
  el("poll").replaceChildren(make("p", "asked", poll.question), bars(poll), make("p", "", state));
  if (poll.right !== null && poll.right >= 0 && poll.state !== "revealed") el("poll").append(make("p", "faint", w("poll_right", { option: poll.options[poll.right] })));
  if (poll.why && poll.state === "revealed") el("poll").append(make("p", "why", poll.why));
  say("asked-says", state);
  hide("close", poll.state !== "open");
  hide("reveal", poll.state === "revealed");
  hide("reopen", poll.state === "open");
}

el("reveal-too").onclick = () => el("reveal").click();
for (const does of ["close", "reveal", "reopen"]) el(does).onclick = () => orders("/api/trainer/poll", { do: does, id: poll.id });

// twice has a button that loses something ask again before it does it. of names what is lost.
function twice(name, of, says, asks, does) {
  const b = el(name), calm = () => { b.dataset.sure = ""; b.textContent = says(); };
  b.onclick = () => {
    if (b.dataset.sure === of()) { calm(); does(); return; }
    b.dataset.sure = of();
    b.textContent = asks();
    setTimeout(calm, 5000);
  };
}

twice("reset", () => poll.id, () => w("do_reset"), () => w("do_reset_sure", { n: poll.answered || 0 }), () => orders("/api/trainer/poll", { do: "reset", id: poll.id }));
twice("clear", () => "all", () => w("do_clear"), () => w("do_clear_sure", { n: room.absent }), () => orders("/api/trainer/clear", {}));

el("ask-own").onclick = () => el("asking").showModal();
el("ask-cancel").onclick = () => el("asking").close();
el("ask").onsubmit = async e => {
  e.preventDefault();
  const options = el("ask-options").value.split("\n").map(o => o.trim()).filter(o => o), right = el("ask-right").value;
  const asked = await orders("/api/trainer/poll", { do: "ask", question: el("ask-question").value.trim(), options, right: right ? Number(right) - 1 : null, why: el("ask-why").value.trim() });
  if (!asked) return;
  el("ask").reset();
  el("asking").close();
};

for (const b of document.querySelectorAll("[data-minutes]")) b.onclick = () => orders("/api/trainer/timer", { minutes: Number(b.dataset.minutes) });
el("timer-stop").onclick = () => orders("/api/trainer/timer", { minutes: 0 });

function drawAgenda() {
  hide("agenda-panel", !agenda.length);
  el("agenda").replaceChildren(...agenda.map(one => {
    const text = one.minutes ? w("agenda_item", { title: one.title, minutes: one.minutes }) : one.title;
    const li = make("li"), b = make("button", one.extra ? "extra" : "", text);
    b.type = "button";
    if (one.now) b.setAttribute("aria-current", "true");
    b.onclick = () => ask({ place: one.place });
    li.append(b);
    return li;
  }));
}

function drawContest() {
  const is = contest?.level;
  say("contest-state", !is ? w("contest_none") : contest.state === "open" ? w("contest_is_open", { title: contest.title }) : contest.state === "closed" ? w("contest_is_closed", { title: contest.title }) : w("contest_is_locked", { title: contest.title }));
  hide("contest-open", !is || contest.state === "open");
  hide("contest-close", contest?.state !== "open");
  el("board").replaceChildren(...is ? [board(contest)] : []);
}

el("contest-set").onsubmit = e => {
  e.preventDefault();
  orders("/api/trainer/contest", { do: "set", level: el("contest-level").value, by: el("contest-by").value });
};
el("contest-open").onclick = () => orders("/api/trainer/contest", { do: "open" });
el("contest-close").onclick = () => orders("/api/trainer/contest", { do: "close" });

async function takeLevels() {
  const levels = await orders("/api/trainer/levels"), at = el("contest-level"), chosen = at.value;
  if (!levels) return;
  at.replaceChildren(...levels.map(l => Object.assign(make("option", "", l.title === l.name ? l.name : `${l.title} (${l.name})`), { value: l.name })));
  if (chosen) at.value = chosen;
}

async function takeShared() {
  const all = await send("/api/trainer/shared").catch(() => null); // the next look comes by itself
  if (!all) return;
  el("shared").replaceChildren(...all.map(one => {
    const li = make("li"), b = make("button", "", w("shared_item", { title: one.title || w("untitled"), name: one.team || one.name }));
    b.type = "button";
    b.onclick = () => ask({ place: one.place });
    li.append(b);
    return li;
  }));
  if (!all.length) el("shared").replaceChildren(make("li", "faint", w("shared_none")));
}

el("shared-again").onclick = takeShared;
setInterval(() => { if (!document.hidden) takeShared(); }, 30_000);

// Begin --------------------------------------------------------------------

function connected(is) {
  say("link", is ? "" : w("reconnecting"));
  if (!is) say("says", w("reconnecting"));
  if (is) { takeLevels(); takeShared(); }
}

function labels() {
  for (const b of document.querySelectorAll("[data-minutes]")) b.textContent = w("minutes", { n: b.dataset.minutes });
  drawPoll(); drawContest(); drawAgenda(); drawRoom();
}

async function begins() {
  try {
    await speak(langWanted());
  } catch {
    setTimeout(begins, 2000);
    return;
  }
  labels();
  const connect = follow(() => `/api/trainer/events?lang=${lang}`, hear, connected, async status => {
    if (status === 401) tell(w("no_trainer"));
    return status === 401;
  });
  speaks(() => { labels(); connect(); });
}

begins();
