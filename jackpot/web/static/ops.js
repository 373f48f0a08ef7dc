// The moving parts of the pages that people work in: meters as they rise, what waits as soon as it does, and how long.

import { readCharts } from "./chart.js";
import { keepFocus } from "./focus.js";
import { follow } from "./live.js";
import { listen, tellNews } from "./notify.js";
import { write } from "./odometer.js";
import { keepTyped } from "./typed.js";
import { say } from "./words.js";

// Of several messages at once the page is asked for again once.
const TOGETHER_MS = 150;
const COUNT_MS = 500;

const { money } = JSON.parse(document.body.dataset.settings);
const waiting = () => Number(document.querySelector("#waiting [data-count]")?.dataset.count ?? 0);
let due = null;
let pressed = false;
let leaving = false;
let missed = false;
let lost = false;

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

// What waits for a second person does so for a while, and its time is seen to pass.
function count() {
  const now = performance.now();
  for (const shown of document.querySelectorAll("time[data-left]")) {
    shown.until ??= now + Number(shown.dataset.left);
    const seconds = Math.floor((shown.until - now) / 1000);
    const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    shown.textContent = seconds > 0 ? say("{clock} left", { clock }) : say("its time is over");
    // What nobody can confirm any more has no button for it.
    const confirms = shown.closest("section.card")?.querySelectorAll('form[action$="/confirm"] button');
    for (const button of seconds > 0 ? [] : (confirms ?? [])) button.disabled = true;
  }
}

// The browser's own list of pages says what waits, also where this one is not in front.
document.body.addEventListener("htmx:afterSettle", () => {
  const bare = document.title.replace(/^\(\d+\) /, "");
  document.title = waiting() ? `(${waiting()}) ${bare}` : bare;
  const part = document.querySelector("#waiting");
  if (part) tellNews(part, false); // not on the page where somebody signs in again
});

// Parts of a page that are asked for again by themselves.
const PARTS = ["waiting", "floor"];

// What waits is written once nobody needs its elements. A press whose element is replaced before it is released
// would be no click; a link that is replaced while its page comes would leave the address of the page before.
const inUse = () => pressed || leaving;

function free() {
  if (!inUse() && missed) changed();
  missed &&= inUse();
}

function released() {
  setTimeout(() => {
    pressed = false;
    free();
  });
}

document.addEventListener("pointerdown", () => (pressed = true));
for (const end of ["pointerup", "pointercancel", "dragend"]) document.addEventListener(end, released);
document.body.addEventListener("htmx:beforeRequest", (event) => (leaving ||= event.detail.boosted));
document.body.addEventListener("htmx:afterRequest", (event) => {
  if (!event.detail.boosted) return;
  leaving = false;
  free();
});
document.body.addEventListener("htmx:beforeSwap", (event) => {
  if (!PARTS.includes(event.detail.target.id)) return;
  if (event.detail.xhr.status === 401) {
    // The session is over: the page that is loaded again asks for a sign-in. An answer that comes after its page was
    // left reaches nobody here, so a sign-in that somebody types is not wiped.
    event.detail.shouldSwap = false;
    if (!leaving) location.reload(); // what comes asks for it anyhow
  } else if (inUse()) {
    event.detail.shouldSwap = false;
    missed = true;
  }
});

// A second tap on a slow connection sends nothing: the key would have it done once anyhow.
document.addEventListener("submit", (event) => {
  for (const button of event.target.querySelectorAll("button")) setTimeout(() => (button.disabled = true));
});

// A picture that could not be drawn says what it would have shown. Such events do not bubble.
document.addEventListener("error", (event) => event.target.closest("figure")?.classList.add("failed"), true);

// Where the server is gone each page says so, also one that comes meanwhile from the browser.
function sayLost() {
  const line = document.querySelector("#lost");
  if (line) line.hidden = !lost;
}

document.body.addEventListener("htmx:afterSettle", sayLost);

tellNews(document.querySelector("#waiting"), true);
listen();
setInterval(count, COUNT_MS);
keepTyped();
keepFocus();
readCharts();
follow(null, told, (value) => {
  lost = value;
  sayLost();
});
