// What moves on the pages that people work in? Meters as they rise, and what waits as soon as it does.

import { follow } from "./live.js";
import { write } from "./odometer.js";

// Of several messages at once the page is asked for again once.
const TOGETHER_MS = 150;

const money = JSON.parse(document.body.dataset.money);
const waiting = () => document.querySelectorAll("#waiting .hit").length;
let due = null;

function changed() {
  due ??= setTimeout(() => {
    due = null;
    document.body.dispatchEvent(new CustomEvent("floor-changed"));
  }, TOGETHER_MS);
}

function told(message) {
  if (message.t === "meters") {
    for (const [link, level, cents] of message.values) {
      for (const shown of document.querySelectorAll(`[data-meter="${CSS.escape(link)} ${CSS.escape(level)}"]`)) {
        shown.textContent = write(money, cents);
      }
    }
  } else if (message.t !== "welcome") {
    changed();
  }
}

// The browser's own list of pages says what waits, also where this one is not in front.
document.body.addEventListener("htmx:afterSettle", () => {
  const bare = document.title.replace(/^\(\d+\) /, "");
  document.title = waiting() ? `(${waiting()}) ${bare}` : bare;
});

// A second tap on a slow connection sends nothing: the key would have it done once anyhow.
document.addEventListener("submit", (event) => {
  for (const button of event.target.querySelectorAll("button")) setTimeout(() => (button.disabled = true));
});

follow(null, told, () => {});
