// A participant's page: it follows the trainer's frames, and answers.
"use strict";

let me = null; // {id, name, team}; null before it has joined
let live = 0; // the number of the trainer's frame
let view = null; // the number of an earlier frame that is looked at; null while following
const frames = new Map(); // by number, those that have come
const mostFrames = 200;

// Joining ------------------------------------------------------------------

// enter learns who this browser is; the server invents a name for a new one.
async function enter() {
  try {
    me = await send("/api/me");
    follows();
  } catch (err) {
    if (err.status !== 401) throw err;
    me = await send("/api/join", { name: "", team: "", lang });
    el("name").value = me.name;
    hide("join", false);
  }
  named();
}

function named() {
  say("who", w("you_are", { name: me.team ? `${me.name} (${me.team})` : me.name }));
}

el("join").onsubmit = async e => {
  e.preventDefault();
  try {
    me = await send("/api/join", { name: el("name").value.trim(), team: el("team").value.trim(), lang });
    store("lockstep.name", JSON.stringify({ name: me.name, team: me.team }));
    named();
    hide("join", true);
    follows();
    drawContest();
  } catch (err) {
    tell(err.message);
  }
};

el("who").onclick = () => {
  el("name").value = me.name;
  el("team").value = me.team || "";
  hide("join", false);
  el("name").focus();
};

// again joins with the name of before, for a server that does not know this browser.
async function again() {
  const was = JSON.parse(stored("lockstep.name") || "{}");
  me = await send("/api/join", { name: was.name || me?.name || "", team: was.team || me?.team || "", lang });
  named();
}

// renewed joins the room that is now in place of the one before, if that is a new one to it.
async function renewed() {
  try {
    me = await send("/api/me");
  } catch (err) {
    if (err.status !== 401) throw err;
    await again();
    connect(); // as the participant that it is now
  }
}

// Following ----------------------------------------------------------------

let connect = null;

function follows() {
  hide("class", false);
  hide("own", false);
  if (connect) return;
  connect = follow(() => `/api/events?lang=${lang}`, hear, connected, async status => {
    if (status === 401) await again().catch(() => {});
    return false;
  });
}

let isConnected = true;

function connected(is) {
  if (is !== isConnected) say("says", is ? w("connected") : w("reconnecting"));
  isConnected = is;
  say("link", is ? "" : w("reconnecting"));
  document.documentElement.classList.toggle("away", !is);
  if (is) deliver();
}

function hear(kind, data) {
  switch (kind) {
    case "state":
      if (epoch && data.epoch !== epoch) renewed().catch(() => {});
      if (data.epoch !== epoch || data.at < live) { frames.clear(); view = null; epoch = data.epoch; }
      if (answer && answer.epoch !== epoch) answered(null); // of another class
      takes(data.at, data.frame);
      takePoll(data.poll, true);
      takeContest(data.contest);
      setTimer(data.timer);
      break;
    case "frame": takes(data.at, data.frame); break;
    case "poll": takePoll(data, false); break;
    case "contest": takeContest(data); break;
    case "timer": setTimer(data); break;
    case "count": if (poll && data.answered !== undefined) { poll.answered = data.answered; drawPoll(); } break;
  }
}

let epoch = "";

function takes(at, f) {
  live = at;
  if (f) keep(at, f);
  if (view !== null && view >= live) view = null;
  if (view === null && f) {
    draw(f);
    say("says", f.says);
  }
  drawPages();
}

function keep(at, f) {
  frames.set(at, f);
  for (const old of [...frames.keys()].sort((a, b) => a - b).slice(0, Math.max(0, frames.size - mostFrames))) if (old !== live) frames.delete(old);
}

const base = place => (place || "").split("@")[0]; // without its step

function draw(f) {
  if (frame && base(frame.place) !== base(f.place)) scrollTo(0, 0); // another page
  frame = f;
  const [left, right] = f.title;
  say("title", left);
  say("where", right);
  say("status-left", f.blank ? "" : f.notice || f.status[0]);
  say("status-right", f.blank || f.notice ? "" : f.status[1]);
  document.title = left === "Lockstep" ? left : `${left} - Lockstep`;
  if (f.blank) {
    shown = [];
    el("body").replaceChildren(make("p", "faint", w("blank")));
    return;
  }
  refresh(f.parts);
}

// Looking back -------------------------------------------------------------

function drawPages() {
  const away = view !== null, at = away ? view : live;
  hide("pages", live < 1 || !frames.size);
  hide("back", !away);
  off(el("before"), at <= 1);
  off(el("after"), !away);
  say("position", away ? w("position", { n: at, of: live }) : "");
  document.documentElement.classList.toggle("back", away);
}

function off(b, is) {
  if (is) b.setAttribute("aria-disabled", "true"); else b.removeAttribute("aria-disabled");
}

// look goes to a frame by its number. What is not here any more comes from the server.
async function look(at) {
  if (at >= live) return toTrainer();
  if (at < 1) return;
  if (!frames.has(at)) {
    try {
      for (const one of await send(`/api/frames?lang=${lang}&from=${Math.max(1, at - 15)}&to=${at}`)) frames.set(one.at, one.frame);
    } catch (err) {
      return tell(err.message);
    }
    if (!frames.has(at)) return tell(w("no_earlier"));
  }
  view = at;
  draw(frames.get(at));
  drawPages();
  say("says", `${el("position").textContent} ${frames.get(at).says}`);
}

function toTrainer() {
  view = null;
  const f = frames.get(live);
  if (f) { draw(f); say("says", f.says); }
  drawPages();
}

el("before").onclick = () => look((view ?? live) - 1);
el("after").onclick = () => { if (view !== null) look(view + 1); };
el("back").onclick = toTrainer;

addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.shiftKey || e.isComposing || el("story").open || document.activeElement.matches("input, textarea")) return;
  const does = { ArrowLeft: el("before"), ArrowRight: el("after"), Escape: el("back") }[e.key];
  if (!does || does.hidden || el("pages").hidden) return;
  e.preventDefault();
  does.click();
});

// The poll -----------------------------------------------------------------

let poll = null, polled = ""; // what is drawn
let answer = JSON.parse(stored("lockstep.answer") || "null"); // {epoch, poll, round, choice, kept}: the last one of this browser
let trouble = ""; // why it is not kept

function takePoll(now, whole) {
  const was = poll;
  poll = now && now.id ? now : null;
  if (poll && answer?.poll === poll.id && answer.round !== poll.round) answered(null); // it was dropped, and is not meant for the next round
  const pending = answer && !answer.kept && answersIt(answer);
  if (poll && whole && !pending) answered(poll.mine === null || poll.mine === undefined ? null : of(poll.mine, true));
  if (poll && (was?.id !== poll.id || was.state !== poll.state)) {
    trouble = "";
    if (poll.state === "open") say("says", w("poll_asks", { question: poll.question }));
    if (poll.state === "revealed") say("says", revealed());
  }
  drawPoll();
  drawContest(); // what is open stands first
  if (poll?.state === "open" && (was?.id !== poll.id || was.state !== poll.state)) shows();
}

// shows brings what is asked to the screen, with the last steps of the picture.
function shows() {
  for (const diagram of document.querySelectorAll(".live.diagram")) diagram.scrollTop = diagram.scrollHeight;
  el("poll").scrollIntoView({ block: "nearest" });
}

const answersIt = a => Boolean(poll) && a?.poll === poll.id && a.round === poll.round;
const of = (choice, kept) => ({ epoch, poll: poll.id, round: poll.round, choice, kept });

const revealed = () => [w("poll_revealed"), poll.right >= 0 && poll.right !== null ? w("poll_right", { option: poll.options[poll.right] }) : "", poll.why || ""].join(" ");

function answered(now) {
  answer = now;
  store("lockstep.answer", now ? JSON.stringify(now) : "");
}

function drawPoll() {
  const box = el("poll");
  hide("poll", !poll);
  if (!poll) { polled = ""; box.replaceChildren(); return; }
  const mine = answersIt(answer) ? answer : null, kind = JSON.stringify([lang, poll.id, poll.round, poll.state, poll.question, poll.options, poll.counts]);
  if (poll.state !== "open") {
    box.replaceChildren(make("h2", "", poll.question), bars(poll, mine ? mine.choice : null));
    if (poll.state === "closed") box.append(make("p", "faint", w("poll_closed")));
    if (poll.state === "revealed" && poll.why) box.append(make("p", "why", poll.why));
    if (mine && !mine.kept) box.append(make("p", "alarm", w("not_counted")));
  } else {
    if (kind !== polled) box.replaceChildren(choices());
    for (const [i, b] of [...box.querySelectorAll(".choices button")].entries()) {
      const chosen = mine?.choice === i;
      b.setAttribute("aria-pressed", String(chosen));
      b.lastChild.textContent = chosen ? "● " + w("your_answer") : "";
    }
    const at = box.querySelector(".answered");
    at.textContent = [!mine ? w("choose") : mine.kept ? w("kept") : trouble || w("sending"), w("answers", { n: poll.answered || 0 })].join(" ");
    at.classList.toggle("kept", Boolean(mine?.kept));
  }
  polled = kind;
}

function choices() {
  const set = make("fieldset"), all = make("div", "choices");
  set.append(make("legend", "", poll.question), all);
  poll.options.forEach((option, i) => {
    const b = make("button");
    b.type = "button";
    b.append(make("span", "", option), make("span", "mark-mine"));
    b.onclick = () => choose(i);
    all.append(b);
  });
  set.append(make("p", "answered"));
  return set;
}

function choose(i) {
  if (answersIt(answer) && answer.choice === i && answer.kept) return;
  answered(of(i, false));
  trouble = "";
  drawPoll();
  deliver();
}

// deliver sends the answer until the server has it. The same again is harmless.
let delivering = false, next = 0;

async function deliver() {
  clearTimeout(next);
  if (delivering || !answer || answer.kept) return;
  delivering = true;
  const sent = answer;
  let wait = 0;
  try {
    await send("/api/answer", { poll: sent.poll, choice: sent.choice });
    if (answer === sent) { answered({ ...sent, kept: true }); say("says", w("kept")); }
  } catch (err) {
    if (err.status === 401) await again().catch(() => {});
    if (passes(err) || err.status === 401) {
      trouble = err.status === 0 ? w("not_sent") : w("not_sent_why", { why: err.message });
      wait = 1000 * Math.max(err.after, 1 + 2 * Math.random());
    } else {
      if (answer === sent) answered(null);
      tell(err.status === 409 ? w("too_late") : err.message);
    }
  }
  delivering = false;
  drawPoll();
  if (answer && !answer.kept) next = setTimeout(deliver, answer === sent ? wait : 0);
}

addEventListener("online", deliver);

// The contest --------------------------------------------------------------

let contest = null, hasSite = null; // whether the server has the site where levels are played

async function takeContest(now) {
  const was = contest;
  contest = now && now.level ? now : null;
  if (contest && was?.state !== contest.state && contest.state === "open") say("says", w("contest_open", { title: contest.title }));
  drawContest();
  if (contest && hasSite === null) {
    try { hasSite = (await fetch("/site/", { method: "HEAD" })).ok; } catch { /* asked again with the next contest */ }
    drawContest();
  }
}

const isMine = row => contest.by === "team" ? Boolean(me.team) && row.team === me.team : row.name === me.name;

function drawContest() {
  hide("contest", !contest);
  if (!contest) return;
  const open = contest.state === "open";
  el("contest").classList.toggle("first", open && poll?.state !== "open");
  say("level", w("level", { title: contest.title }));
  say("level-says", open ? hasSite === false ? w("contest_terminal") : w("contest_says") : contest.state === "closed" ? w("contest_closed") : w("contest_locked"));
  hide("play", !open || hasSite === false);
  el("play-link").href = "/site/?workshop#level:" + contest.level;
  hide("hand-in", !open);
  el("board").replaceChildren(...contest.state === "locked" ? [] : [board(contest, isMine)]);
}

el("hand-in").onsubmit = async e => {
  e.preventDefault();
  const token = el("token").value.trim().split("#").at(-1); // it may be the end of an address
  if (!token) return tell(w("token_missing"));
  try {
    const got = await send("/api/result", { level: contest.level, token });
    tell(w("handed_in", { steps: got.steps, rank: got.rank }));
    el("token").value = "";
  } catch (err) {
    tell(err.message);
  }
};

// A story of one's own -----------------------------------------------------

el("share").onclick = () => { say("story-trouble", ""); el("story").showModal(); };
el("story-cancel").onclick = () => el("story").close();
el("story-form").onsubmit = async e => {
  e.preventDefault();
  try {
    await send("/api/share", { title: el("story-title").value.trim(), text: el("text").value, lang });
    el("story").close();
    el("text").value = el("story-title").value = "";
    tell(w("story_kept"));
  } catch (err) {
    say("story-trouble", err.message);
  }
};

// Begin --------------------------------------------------------------------

speaks(() => {
  named();
  frames.clear();
  view = null;
  polled = "";
  drawPoll();
  drawContest();
  drawPages();
  send("/api/join", { name: "", team: "", lang }).catch(() => {}); // the language is the server's too
  connect?.();
});

// begins tries until the server has answered.
async function begins() {
  try {
    if (!Object.keys(texts).length) await speak(langWanted());
    await enter();
  } catch (err) {
    say("link", w("reconnecting"));
    setTimeout(begins, 1000 * Math.max(err.after || 0, 1 + 2 * Math.random()));
  }
}

begins();
