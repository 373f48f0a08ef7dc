// The posted odds of a table on a screen: letters as large as all of it has room for, in as many columns as suit it.

import { follow } from "./live.js";

const LARGEST_PX = 64;
// Below this nobody at the table could read them; the page then scrolls.
const SMALLEST_PX = 13;
const COLUMNS_MAX = 6;
// So narrow a screen is held in a hand, where people scroll.
const HAND_PX = 700;

const { body } = document;

function laidOut(size, columns) {
  body.style.setProperty("--letters", `${size}px`);
  body.style.setProperty("--columns", columns);
  return document.documentElement.scrollHeight <= window.innerHeight && body.scrollWidth <= window.innerWidth
    && [...document.querySelectorAll(".wager")].every((one) => one.scrollWidth <= one.clientWidth + 1);
}

function refit() {
  if (window.innerWidth < HAND_PX) {
    body.style.removeProperty("--letters");
    body.style.setProperty("--columns", 1);
    return;
  }
  const wagers = document.querySelectorAll(".wager").length;
  let best = [SMALLEST_PX, Math.min(wagers, Math.max(1, Math.floor(window.innerWidth / 420)))];
  for (let columns = 1; columns <= Math.min(wagers, COLUMNS_MAX); columns += 1) {
    let [fits, not] = [0, LARGEST_PX + 1];
    while (not - fits > 1) {
      const size = Math.floor((fits + not) / 2);
      if (laidOut(size, columns)) fits = size;
      else not = size;
    }
    if (fits > best[0]) best = [fits, columns];
  }
  laidOut(...best);
}

// By link, the notices that the page shows. Once others stand, it is loaded again.
const shown = JSON.parse(body.dataset.notices);
follow(Object.keys(shown), (message) => {
  if (message.t !== "state" || !(message.link in shown)) return;
  if (JSON.stringify(message.notices ?? []) !== JSON.stringify(shown[message.link])) location.reload();
}, () => {});

window.addEventListener("resize", refit);
document.fonts.ready.then(refit).then(() => { body.dataset.fitted = "yes"; });
refit();
