// The wall: signs of several links on one screen, each in a frame with its own brand and words. A link that celebrates
// takes the screen, and the others stand next to it.

import { hung, staged } from "./walls.js";

const { signs } = JSON.parse(document.body.dataset.settings);
const frames = signs.map(() => document.createElement("iframe"));
const wins = signs.map(() => null);

function hang() {
  const stage = staged(wins);
  hung(frames.length, stage, innerWidth, innerHeight).forEach((rectangle, place) => {
    for (const [side, pixels] of Object.entries(rectangle)) frames[place].style[side] = `${pixels}px`;
  });
  document.body.dataset.stage = stage === null ? "" : signs[stage].link;
}

// A sign says when its win begins and ends (sign.js).
addEventListener("message", ({ origin, source, data }) => {
  const place = frames.findIndex((frame) => frame.contentWindow === source);
  if (origin !== location.origin || place < 0) return;
  wins[place] = data.won;
  hang();
});
addEventListener("resize", hang);

hang();
signs.forEach(({ link, title, preview }, place) => {
  frames[place].title = title;
  frames[place].src = `/sign/${encodeURIComponent(link)}${preview === null ? "" : `?preview=${encodeURIComponent(preview)}`}`;
});
document.querySelector("main").append(...frames);
