// The service worker: where the network does not answer, the site does as it was when it
// was last loaded whole.
"use strict";

const files = ["./", "index.html", "app.js", "draw.js", "keys.js", "style.css", "worker.js", "course.js", "first.js", "engine.bin"];

addEventListener("install", () => skipWaiting());
addEventListener("activate", e => e.waitUntil(clients.claim()));

// The page says when it has all of its files, and which others there are. A browser asks the server only whether they
// have changed since. addAll keeps all of them or none.
addEventListener("message", e => e.waitUntil(caches.open(registration.scope).then(c => c.addAll([...files, ...e.data]))));

addEventListener("fetch", e => {
  if (e.request.method !== "GET") return;
  e.respondWith(fetch(e.request).catch(async err => {
    const had = await (await caches.open(registration.scope)).match(e.request, { ignoreSearch: true });
    if (!had) throw err;
    return had;
  }));
});
