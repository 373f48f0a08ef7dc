// The sign of one link: its amounts, a win, and a plain message while the amounts cannot be known.

import { example } from "./cards.js";
import { fit, hyphened } from "./fit.js";
import { Idle } from "./idle.js";
import { lit } from "./light.js";
import { follow } from "./live.js";
import { Odds } from "./odds.js";
import { Odometer, element, write } from "./odometer.js";
import { preview } from "./preview.js";
import { chime } from "./sound.js";
import { nearness, placeOf } from "./tension.js";
import { paint, tone } from "./tones.js";
import { Celebration } from "./win.js";
import { say } from "./words.js";

// How much taller than the font's own a digit may be: more of it reads like a fence.
const TALLER_MAX = 1.7;
// The air above and below an amount, as a part of its height.
const AIR = 1.06;
// How long the light passes over an amount that fell (sign.css).
const CUT_MS = 6000;

const settings = JSON.parse(document.body.dataset.settings);
const { link, display, money, bounds } = settings;
const box = document.getElementById("levels");
const notice = document.getElementById("notice");
const idle = document.getElementById("idle");
const fault = document.getElementById("fault");
const levels = new Map();
let state = "connecting";
let announced = "";
let over = false;
let lost = false;

paint(document.documentElement, display);
// The widths of digits are those of the page's own fonts, once they are there.
if (display.font) document.fonts.add(new FontFace("Brand", `url(${display.font})`));
const faces = ["--title", "--digits"].map((name) => getComputedStyle(document.body).getPropertyValue(name).trim());
await Promise.allSettled(["Brand", "Words", ...faces].map((name) => document.fonts.load(`1em ${name}`)));
await document.fonts.ready;
const win = new Celebration(document.getElementById("win"), display, money, show, chime(display.sound));
lit(document.querySelector(".backdrop"));
const odds = document.getElementById("odds");
new Odds(odds, settings);
const scene = { text: idle, cards: document.getElementById("hand"), picture: document.getElementById("picture"), levels: box };
const attraction = new Idle(scene, settings, () => (win.time.known ? win.at() : 0), show);

function levelOf(name) {
  let level = levels.get(name);
  if (level === undefined) {
    const section = element("section", "level");
    section.dataset.level = name;
    const stage = element("div", "stage");
    const amount = element("div", "amount-run");
    const noted = element("p", "note");
    stage.append(amount);
    const lamps = element("i", "lamps");
    lamps.setAttribute("aria-hidden", "true");
    const wins = element("div", "wins cards");
    wins.setAttribute("aria-hidden", "true");
    wins.append(...example(settings.hands[name], settings.dealt));
    const gauge = element("i", "gauge");
    gauge.setAttribute("aria-hidden", "true");
    gauge.append(element("b", ""));
    section.append(lamps, element("h2", "name", hyphened(display.levels[name] ?? name)), stage, wins, gauge, noted);
    tone(section, display, name);
    box.append(section);
    box.dataset.count = box.children.length;
    level = { section, stage, amount, note: noted, most: "", odometer: new Odometer(amount, money) };
    levels.set(name, level);
    watched.observe(stage);
  }
  return level;
}

// As large as its stage has room for, and taller where that is high; levels whose stages are equally wide are written
// equally large.
function fitAmounts() {
  const [sizes, heights] = [new Map(), new Map()];
  const least = (found, key, own) => found.set(key, Math.min(own, found.get(key) ?? own));
  const key = (stage) => Math.round(stage.clientWidth / 8);
  for (const { stage, odometer } of levels.values()) {
    const high = stage.clientHeight / (odometer.font.cell * AIR);
    const size = Math.floor(Math.min(stage.clientWidth / (odometer.wide || 8), high));
    least(sizes, key(stage), size);
    least(heights, key(stage), high);
  }
  for (const { stage, amount } of levels.values()) {
    const [size, high] = [sizes.get(key(stage)), heights.get(key(stage))];
    const tall = Math.max(1, Math.min(TALLER_MAX, high / size));
    const written = `${size}px scaleY(${tall.toFixed(2)})`;
    if (amount.dataset.written === written) continue;
    [amount.style.fontSize, amount.style.transform] = written.split(" ");
    amount.dataset.written = written;
  }
}

function fitNames() {
  for (const part of [...box.querySelectorAll(".name, .note"), ...document.querySelectorAll("h1"), idle]) fit(part);
}

const watched = new ResizeObserver(() => {
  fitNames();
  fitAmounts();
});

function note(level, text) {
  if (level.note.textContent === text) return;
  level.note.textContent = text;
  level.section.classList.toggle("noted", text !== "");
  fit(level.note);
}

// How far a meter has gone between its bounds, and how near the end it is.
function tense({ section }, name, cents) {
  const place = placeOf(cents, ...(bounds[name] ?? []));
  if (place === null) return;
  section.dataset.near = nearness(place);
  section.style.setProperty("--place", place.toFixed(4));
}

// By which sum a level of a mystery must hit; it stands below the amount while nothing else does.
function mustHitBy(name, cents) {
  const level = levelOf(name);
  const most = say("Must hit by {sum}", { sum: write(money, cents) });
  if (level.note.textContent === level.most) note(level, most);
  level.most = most;
  if (bounds[name]) bounds[name][1] = cents;
}

// A lower amount is shown at once; the light that passes over it says that this is no mistake.
function cut(level) {
  level.section.classList.add("cut");
  clearTimeout(level.cutting);
  level.cutting = setTimeout(() => level.section.classList.remove("cut"), CUT_MS);
}

function show() {
  const isLost = lost || state === "fault";
  const quiet = state === "win" ? "normal" : state;
  const shown = isLost ? "fault" : win.showing ? "win" : quiet === "normal" && waits() ? "pending" : quiet;
  document.body.dataset.state = shown;
  fault.hidden = shown !== "fault";
  win.cover(shown === "win");
  notice.textContent = shown === "suspended" ? (over ? say("This jackpot has ended") : say("No progressive wagers at the moment")) : announced || (settings.insecure ? say("unencrypted connection") : "");
  notice.classList.toggle("announced", shown !== "suspended" && announced !== "");
  idle.parentElement.hidden = shown === "suspended" || shown === "win";
  // The meters step back for a win, for the posted odds and for a picture of the house; they stay on the screen.
  const stage = shown === "normal" || shown === "pending" ? attraction.stage : null;
  scene.picture.hidden = stage !== "picture";
  odds.hidden = stage !== "odds";
  document.body.classList.toggle("ribbon", shown === "win" || stage !== null);
  // A wall of several links gives the screen to the one that celebrates.
  const won = shown === "win" ? { level: win.now.win.level, began: win.now.began } : null;
  if (parent !== window) parent.postMessage({ won }, location.origin);
}

// What people announced of the link, in words: that it closes on a day, or that a figure is another one from then on.
function inWords({ day: on, table, level, amount, last, seed, rate }) {
  const day = new Date(`${on}T12:00:00Z`).toLocaleDateString(money.locale, { dateStyle: "long", timeZone: "UTC" });
  if (last) return say("Last day: {day}", { day });
  if (seed !== undefined) return say("From {day} on the {level} begins with {amount}", { level: display.levels[level] ?? level, amount: write(money, seed), day });
  if (rate !== undefined) return say("From {day} on {rate} of a wager goes to the {level}", { level: display.levels[level] ?? level, rate: `${(rate / 100).toFixed(2).replace(".00", "")} %`, day });
  if (amount === undefined) return table ? say("Closes at table {table} on {day}", { table, day }) : say("Closes on {day}", { day });
  const sum = write(money, amount);
  if (table) return say("From {day} on base wagers at table {table} pay at most {amount}", { table, amount: sum, day });
  if (!level) return say("From {day} on a wager is at most {amount}", { amount: sum, day });
  return say("From {day} on the {level} grows to {amount} at most", { level: display.levels[level] ?? level, amount: sum, day });
}

const waits = () => win.waiting.size > 0;

function told(message) {
  if (message.t === "welcome") {
    for (const facts of message.links) {
      facts.levels.forEach(levelOf);
      for (const [name, cents] of Object.entries(facts.must_hit_by ?? {})) mustHitBy(name, cents);
    }
  } else if (message.t === "meters") {
    win.heard(message.at);
    let isWider = false;
    for (const [of, name, cents] of message.values) {
      if (of !== link) continue;
      const level = levelOf(name);
      const wide = level.odometer.wide;
      if (level.odometer.set(cents)) cut(level);
      tense(level, name, cents);
      isWider ||= wide !== level.odometer.wide;
    }
    for (const [of, name, cents] of message.must_hit_by ?? []) if (of === link) mustHitBy(name, cents);
    if (isWider) fitAmounts();
  } else if (message.t === "held") {
    win.hold(message.at); // a preview's own
    attraction.look();
  } else if (message.t === "hit") {
    attraction.won(message);
    win.hit({ ...message, bound: levels.get(message.level)?.most });
  } else if (message.t === "status" && message.status === "undone") {
    attraction.undone(message.hit);
    win.undone(message.hit);
  } else if (message.t === "state") {
    state = message.state;
    over = message.reason.split(", ").some((reason) => reason === "ended" || reason === "closed");
    announced = (message.notices ?? []).map(inWords).join(" · ");
    win.stated(message.waiting);
    for (const [name, level] of levels) {
      const jackpot = message.waiting.find((one) => one.level === name);
      const sum = jackpot && write(money, jackpot.amount);
      note(level, jackpot ? say("{sum} won at {table}, being verified", { sum, table: jackpot.table }) : level.most);
    }
    show();
  }
}

const asked = new URLSearchParams(location.search).get("preview");
if (asked === null) {
  follow([link], told, (value) => {
    lost = value;
    show();
  });
} else {
  preview(asked, settings, told, (value) => {
    lost = value;
    show();
  });
}
