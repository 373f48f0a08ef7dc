// How is a win celebrated? Level, sum, table and hand on the stage, for as long as `wins.js` says; the meters run
// on below, so that the new amount stands at once.

import { Coins } from "./coins.js";
import { fit, shrink } from "./fit.js";
import { write } from "./odometer.js";
import { tone } from "./tones.js";
import { HEARD_LATE_MS, ServerTime, counted, kept, playing } from "./wins.js";
import { say } from "./words.js";

// A win begins and ends on all signs within this.
const LOOK_MS = 100;
const still = matchMedia("(prefers-reduced-motion: reduce)");

export function hand(name) {
  return say(name.charAt(0).toUpperCase() + name.slice(1).replaceAll("-", " "));
}

// Everything stands on the stage whole: each line is as wide as fits, then all give way together.
function fitCard(card) {
  const box = card.parentElement;
  const parts = [...card.children];
  for (const part of parts) fit(part);
  shrink(parts, () => card.scrollHeight > box.clientHeight);
}

export class Celebration {
  // box: its element. changed: called when it begins or ends. sound: told the level as one begins.
  constructor(box, face, money, changed, sound) {
    Object.assign(this, { box, face, money, changed, sound });
    this.wins = [];
    this.waiting = new Set(); // hits that people still look at, by the link's last state
    this.time = new ServerTime();
    this.now = null; // {win, began}
    this.covered = false;
    this.coins = new Coins(box.querySelector("canvas"));
    this.card = box.querySelector(".card");
    this.frame = () => this.draw();
    setInterval(() => this.look(), LOOK_MS);
    new ResizeObserver(() => this.refit()).observe(box);
  }

  heard(at) {
    this.time.heard(at, performance.now());
  }

  at() {
    return this.time.at(performance.now());
  }

  hit({ hit, rev, level, amount, table, hand: name, at }) {
    if (this.wins.some((win) => win.hit === hit)) return;
    // Before the first meters, a hit's own time is all that is known of the server's.
    if (!this.time.known) this.heard(at);
    const isOver = this.at() - at > HEARD_LATE_MS && !this.waiting.has(hit);
    this.wins.push({ hit, rev, level, amount, table, hand: name, at, released: isOver ? at : null });
    this.wins = kept(this.wins, this.at());
    this.look();
  }

  undone(hit) {
    this.wins = this.wins.filter((win) => win.hit !== hit);
    this.look();
  }

  // waiting: the hits that people still look at, as the state says; any other was validated.
  stated(waiting) {
    this.waiting = new Set(waiting.map((one) => one.hit));
    for (const win of this.wins) if (win.released === null && !this.waiting.has(win.hit)) win.released = this.at();
    this.look();
  }

  look() {
    const before = this.now?.win.hit;
    this.now = this.wins.length ? playing(this.wins, this.at()) : null;
    if (this.now?.win.hit === before) return;
    if (this.now) this.fill(this.now.win);
    this.changed();
  }

  get showing() {
    return this.now !== null;
  }

  // Whether it may be seen: no win is, while the amounts cannot be known.
  cover(on) {
    this.box.hidden = !on;
    const shown = on ? this.now.win.hit : null;
    if (shown === this.shown) return;
    this.shown = shown;
    this.coins.stop();
    if (!on) return;
    this.refit();
    this.coins.start(this.now.win.level, this.box.style.getPropertyValue("--tone"));
    this.sound(this.now.win.level);
    requestAnimationFrame(this.frame);
  }

  fill(win) {
    const set = (name, text) => {
      this.box.querySelector(name).textContent = text;
    };
    tone(this.box, this.face, win.level);
    set(".level", this.face.levels[win.level] ?? win.level);
    set(".amount", write(this.money, win.amount));
    set(".where", `${say("Table {table}", win)} · ${hand(win.hand)}`);
    this.box.dataset.hit = win.hit;
    this.box.dataset.level = win.level;
    this.last = null;
    // A card that is on the stage already rises again with its new win.
    for (const rise of this.card.getAnimations()) rise.play();
  }

  // It is laid out for the whole sum, and the count-up only ever is narrower.
  refit() {
    if (this.box.hidden || !this.now) return;
    this.card.querySelector(".amount").textContent = write(this.money, this.now.win.amount);
    this.last = null;
    fitCard(this.card);
    this.draw();
  }

  draw() {
    if (this.box.hidden || !this.now) return;
    const { win, began } = this.now;
    const cents = still.matches ? win.amount : counted(win.amount, win.level, this.at() - began);
    if (cents !== this.last) {
      this.last = cents;
      this.card.querySelector(".amount").textContent = write(this.money, cents);
    }
    if (cents < win.amount) requestAnimationFrame(this.frame);
  }
}
