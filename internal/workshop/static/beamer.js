// The page for the projector: how to join, then the trainer's frame, the answers and the
// board, in large letters. It presses nothing.
"use strict";

let poll = null, contest = null, counted = null, join = location.origin + "/";
let invites = null; // whether the link is shown instead of the frame; null: until the class has begun

function hear(kind, data) {
  switch (kind) {
    case "state":
      join = data.join || join;
      counted = { online: data.online, joined: data.joined, begun: data.begun, answered: data.poll?.answered };
      poll = data.poll;
      contest = data.contest;
      setTimer(data.timer);
      if (data.frame) draw(data.frame);
      break;
    case "frame": draw(data.frame); break;
    case "poll": poll = data; break;
    case "contest": contest = data; break;
    case "timer": setTimer(data); break;
    case "count":
      counted = data;
      if (poll?.state === "open" && data.answered !== undefined) poll.answered = data.answered;
      break;
  }
  around();
}

function draw(f) {
  frame = f;
  const [left, right] = f.title;
  say("title", left);
  say("where", right);
  say("status-left", f.notice || f.status[0]);
  say("status-right", f.notice ? "" : f.status[1]);
  document.documentElement.classList.toggle("blank", Boolean(f.blank));
  refresh(f.parts);
}

// around draws what is beside the frame.
function around() {
  const asks = poll?.id, plays = contest?.level && contest.state !== "locked", inviting = invites ?? !counted?.begun;
  say("count", counted ? w("online", { n: counted.online ?? 0 }) : "");
  say("address", join.replace(/\/$/, "").replace("http://", ""));
  say("address-small", inviting ? "" : w("join_at", { address: join.replace(/\/$/, "").replace("http://", "") }));
  hide("invite", !inviting);
  hide("shown", inviting);
  hide("status", inviting);
  say("invites", inviting ? w("show_frame") : w("show_link"));
  if (inviting && !el("qr").src) el("qr").src = "/qr.svg";
  el("qr").alt = w("qr");
  hide("beside", !asks && !plays);
  hide("poll", !asks);
  hide("contest", !plays);
  if (asks) {
    const state = poll.state === "open" ? w("answers_of", { n: poll.answered || 0, of: counted?.online ?? 0 }) : poll.state === "closed" ? w("poll_closed") : poll.why || "";
    el("poll").replaceChildren(make("h2", "", poll.question), bars(poll), make("p", "", state));
  }
  [...el("body").children].forEach(settle); // to the height that is left
  if (plays) el("contest").replaceChildren(make("h2", "", w("level", { title: contest.title })), board({ ...contest, board: (contest.board || []).slice(0, 10) }));
}

el("invites").onclick = () => { invites = !(invites ?? !counted?.begun); around(); };
el("full").onclick = () => document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen?.().catch(() => {});

function connected(is) {
  say("link", is ? "" : w("reconnecting"));
  if (!is) say("says", w("reconnecting"));
}

async function begins() {
  try {
    await speak(langWanted());
  } catch {
    setTimeout(begins, 2000);
    return;
  }
  const connect = follow(() => `/api/events?lang=${lang}&beamer=1`, hear, connected, async () => false);
  speaks(() => { around(); connect(); });
  around();
}

begins();
