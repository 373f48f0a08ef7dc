// What does a sign show? The amounts of one link, a win, and plainly when it cannot know them.

import { celebrate } from "./win.js";
import { fit } from "./fit.js";
import { follow } from "./live.js";
import { paint, tone } from "./tones.js";
import { Odometer, write } from "./odometer.js";

const settings = JSON.parse(document.body.dataset.settings);
const { link, face, money } = settings;
const box = document.getElementById("levels");
const notice = document.getElementById("notice");
const fault = document.getElementById("fault");
const levels = new Map();
let state = "connecting";
let lost = false;

paint(document.documentElement, face);
const win = celebrate(document.getElementById("win"), face, money, show);

function levelOf(name) {
  let level = levels.get(name);
  if (level === undefined) {
    const section = document.createElement("section");
    section.className = "level";
    section.dataset.level = name;
    const title = document.createElement("h2");
    title.className = "name";
    title.textContent = face.levels[name] ?? name;
    const amount = document.createElement("div");
    amount.className = "amount-run";
    const noted = document.createElement("p");
    noted.className = "note";
    section.append(title, amount, noted);
    tone(section, face, name);
    box.append(section);
    level = { section, note: noted, odometer: new Odometer(amount, money), fitted: 0 };
    levels.set(name, level);
  }
  return level;
}

// Levels side by side, or one below the other, are written equally large; the first of three may be larger.
function fitAmounts() {
  const wide = Array.from(levels.values(), (level) => level.odometer.wide);
  const alone = wide.length === 3 && matchMedia("(min-aspect-ratio: 1/1)").matches ? wide.shift() : null;
  const widest = Math.max(...wide);
  Array.from(levels.values()).forEach((level, index) => {
    const own = (index === 0 && alone) || widest;
    if (own && own !== level.fitted) {
      level.fitted = own;
      level.odometer.box.style.setProperty("--wide", own.toFixed(2));
    }
  });
}

function fitNames() {
  for (const level of levels.values()) fit(level.section.querySelector(".name"));
}

function note(level, text) {
  level.note.textContent = text;
  level.section.classList.toggle("noted", text !== "");
}

function show() {
  const shown = lost || state === "fault" ? "fault" : win.showing() ? "win" : state;
  document.body.dataset.state = shown;
  fault.hidden = shown !== "fault";
  win.cover(shown === "win");
  const plain = settings.insecure ? "unencrypted connection" : "";
  notice.textContent = shown === "suspended" ? "No progressive wagers at the moment" : plain;
}

function told(message) {
  if (message.t === "welcome") {
    for (const facts of message.links) facts.levels.forEach(levelOf);
    box.dataset.count = levels.size;
    fitNames();
  } else if (message.t === "meters") {
    for (const [of, level, cents] of message.values) if (of === link) levelOf(level).odometer.set(cents);
    fitAmounts();
  } else if (message.t === "hit") {
    win.hit(message);
  } else if (message.t === "status" && message.status === "undone") {
    win.undone(message.hit);
  } else if (message.t === "state") {
    if (state === "win" && message.state !== "win") win.stop(); // the server says when a win has been shown
    state = message.state;
    for (const [name, level] of levels) {
      const jackpot = message.waiting.find((one) => one.level === name);
      note(level, jackpot ? `${write(money, jackpot.amount)} won at ${jackpot.table}, being verified` : "");
    }
    show();
  }
}

addEventListener("resize", () => {
  fitAmounts();
  fitNames();
});
follow([link], told, (value) => {
  lost = value;
  if (lost) win.stop();
  show();
});
