// What the page of a level has besides in a workshop: a button that hands in the moves that
// have solved it. The site's app.js loads this.
"use strict";

{
  const box = document.createElement("p"), button = document.createElement("button"), said = document.createElement("span"), back = document.createElement("a");
  let words = {}, sent = "", lang = "";
  const w = (key, values = {}) => (words[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");

  box.id = "workshop";
  button.type = "button";
  button.id = "hand-in";
  back.href = "/";
  box.append(button, " ", said, " ", back);
  el("main").prepend(box);
  document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: "/level.css" }));

  const tell = text => {
    said.textContent = text;
    say("says", text);
  };

  const drawn = async () => {
    if (!frame) return;
    if (frame.lang !== lang) {
      lang = frame.lang;
      words = await (await fetch(`/words.${lang}.json`)).json();
    }
    const won = frame.won || "";
    button.textContent = w("hand_in");
    hide("hand-in", !won || won === sent);
    back.textContent = w("to_class");
    if (!won) said.textContent = "";
    else if (won !== sent) said.textContent = w("solved");
  };

  button.onclick = async () => {
    const level = frame.place.replace(/^level:/, ""), token = frame.won;
    tell(w("sending"));
    try {
      const got = await fetch("/api/result", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ level, token }) });
      const answer = await got.json().catch(() => ({}));
      if (!got.ok) {
        return tell(got.status === 401 ? w("join_first") : answer.error || w("refused", { status: got.status }));
      }
      sent = token;
      hide("hand-in", true);
      tell(w("handed_in", { steps: answer.steps, rank: answer.rank }));
    } catch {
      tell(w("no_answer"));
    }
  };

  addEventListener("drawn", () => drawn().catch(() => {}));
  drawn().catch(() => {});
}
