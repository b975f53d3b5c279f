"use strict";
// Without this script, and where motion is reduced, the whole picture stands beside the text. With it, the
// picture grows as far as the text has come.
(() => {
	const tale = document.querySelector(".tale"), figure = tale.querySelector("figure"), clip = tale.querySelector(".clip");
	if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
	const ends = tale.dataset.ends.match(/\d+/g).map(Number), ghosts = clip.querySelectorAll("[data-known]");
	const beats = [...tale.querySelectorAll(".tell[data-to]")].filter((b) => b.dataset.to > 0);
	tale.classList.add("grows");
	function draw() {
		const line = innerHeight * (matchMedia("(min-width:48rem)").matches ? 0.55 : 0.85);
		let rows = 0, height = 0;
		for (const [n, beat] of beats.entries()) {
			const to = ends[beat.dataset.to - 1], come = n < 2 ? 1 : (line - beat.getBoundingClientRect().top) / (innerHeight * 0.3); // no page begins with an empty picture
			if (come <= 0) break;
			rows = Number(beat.dataset.to);
			height += (to - height) * Math.min(come, 1);
		}
		if (innerHeight + scrollY >= document.documentElement.scrollHeight - 2) [rows, height] = [ends.length, ends.at(-1)];
		clip.style.height = (rows === ends.length && height === ends.at(-1) ? clip.firstElementChild.getAttribute("height") : height) + "px";
		for (const ghost of ghosts) ghost.style.display = ghost.dataset.known >= rows ? "none" : "";
		figure.scrollTop = figure.scrollHeight;
	}
	for (const event of ["scroll", "resize"]) addEventListener(event, () => requestAnimationFrame(draw), {passive: true});
	draw();
})();
