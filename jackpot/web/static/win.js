// The celebration of a win: "Jackpot", level, sum, hand and table on the stage, for as long as `wins.js` says, in the
// parts that `phases.js` says; the meters run on below, so that the new amount stands at once.

import { dealt, known, spelled } from "./cards.js";
import { Effects } from "./effects.js";
import { breakable, fill } from "./fit.js";
import { lit } from "./light.js";
import { Odometer, write } from "./odometer.js";
import { act, countedAgain, phase } from "./phases.js";
import { flies, tone } from "./tones.js";
import { HEARD_LATE_MS, ServerTime, counted, kept, lasts, playing, rank } from "./wins.js";
import { say } from "./words.js";

// A win begins and ends on all signs within this.
const LOOK_MS = 100;
// How far a digit may be stretched to fill its reel: more of it reads like a fence, or like a wall.
const TALLER_MAX = 1.75;
const WIDER_MAX = 1.6;
// What digits take of the width and of the height of their frame.
const [INK, AIR] = [0.955, 0.95];
// A card and its gap, in its font size (sign.css).
const CARD_EM = 0.78;
// Between two rows of cards, in pixels.
const ROW_GAP = 12;
const still = matchMedia("(prefers-reduced-motion: reduce)");

export function hand(name) {
  return say(name.charAt(0).toUpperCase() + name.slice(1).replaceAll("-", " "));
}

// What is won whatever the cards.
export const MYSTERY = "mystery";

// The cards of a win, as far as they are known; of a mystery its name in tiles.
export function shownOf({ hand: name, cards }) {
  if (cards) return dealt(cards);
  return name === MYSTERY ? spelled(hand(name)) : known(name);
}

export class Celebration {
  // box: its element. changed: called when it begins or ends. sound: told the level as one begins.
  constructor(box, display, money, changed, sound) {
    Object.assign(this, { box, display, money, changed, sound });
    this.wins = [];
    this.waiting = new Set(); // hits that people still look at, by the link's last state
    this.time = new ServerTime();
    this.now = null; // {win, began}
    this.held = null;
    this.effects = new Effects(box.querySelector("#sparks"));
    this.card = box.querySelector(".card");
    this.cards = box.querySelector(".cards");
    this.amount = box.querySelector(".amount");
    this.odometer = new Odometer(this.amount, money);
    this.frame = () => this.draw();
    setInterval(() => this.look(), LOOK_MS);
    new ResizeObserver(() => this.refit()).observe(box);
  }

  heard(at) {
    this.time.heard(at, performance.now());
  }

  at() {
    return this.held ?? this.time.at(performance.now());
  }

  // A preview stays at this moment.
  hold(at) {
    this.held = at;
    this.look();
    this.draw();
    if (this.now) this.effects.at(at - this.now.began);
  }

  // bound: by which sum a mystery had to hit, in words.
  hit({ hit, rev, level, amount, table, hand: name, cards, at, bound }) {
    if (this.wins.some((win) => win.hit === hit)) return;
    // Before the first meters, a hit's own time is all that is known of the server's.
    if (!this.time.known) this.heard(at);
    const isOver = this.at() - at > HEARD_LATE_MS && !this.waiting.has(hit);
    this.wins.push({ hit, rev, level, amount, table, hand: name, cards, at, bound, released: isOver ? at : null });
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
    if (this.now?.win.hit !== before) {
      if (this.now) this.fill(this.now.win);
      this.changed();
    }
    if (!this.now) return;
    const { win, began } = this.now;
    const name = phase(win.level, this.at() - began, lasts(win, began));
    this.enter(name, name === "show" ? (this.act()?.name ?? "") : "");
  }

  // The act of a mega's show. Where nothing moves there is one picture of it.
  act() {
    return still.matches ? null : act(this.now.win.level, this.at() - this.now.began);
  }

  // The part of the celebration: the style sheet does the rest.
  enter(name, played) {
    const { dataset } = this.box;
    if (dataset.phase === name && dataset.act === played) return;
    if (name === "rest" && dataset.phase !== name) this.effects.rest();
    Object.assign(dataset, { phase: name, act: played });
    this.refit(); // each part has cells of its own
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
    this.effects.stop();
    if (!on) return;
    lit(this.box);
    this.refit();
    const { win, began } = this.now;
    if (!still.matches) this.effects.start(win.level, win.hit, flies(this.display, win.level, win.hand === MYSTERY), () => this.at() - began, this.held !== null);
    this.sound(this.now.win.level);
    requestAnimationFrame(this.frame);
  }

  fill(win) {
    const set = (name, text) => {
      this.box.querySelector(name).textContent = text;
    };
    tone(this.box, this.display, win.level);
    breakable(this.box.querySelector(".level"), this.display.levels[win.level] ?? win.level);
    set(".exact", write(this.money, win.amount));
    breakable(this.box.querySelector(".hand"), win.bound || hand(win.hand));
    set(".table", say("Table {table}", win));
    const cards = shownOf(win);
    this.cards.replaceChildren(...cards);
    this.card.classList.toggle("bare", cards.length === 0);
    this.box.dataset.hit = win.hit;
    this.box.dataset.rank = rank(win.level);
    this.box.classList.toggle("mystery", win.hand === MYSTERY);
    delete this.box.dataset.phase;
    delete this.box.dataset.act;
    this.odometer.reserve(win.amount);
    this.last = null;
    // A card that is on the stage already rises again with its new win.
    for (const rise of this.card.getAnimations()) rise.play();
  }

  // It is laid out for the whole sum: each line as large as it has room for, the sum from edge to edge.
  refit() {
    if (this.box.hidden || !this.now) return;
    this.bound();
    fill([...this.card.querySelectorAll(".fills")]);
    this.lay();
    this.stretch();
    this.draw();
  }

  // The cards in one row, or in two where they are larger so.
  lay() {
    const { clientWidth: wide, clientHeight: high } = this.cards;
    const count = Math.max(1, this.cards.children.length);
    const laid = [1, 2].map((rows) => {
      const across = Math.ceil(count / rows);
      return { across, size: Math.min((0.98 * high) / rows - ROW_GAP * (rows - 1), wide / (CARD_EM * across)) };
    });
    const { across, size } = laid.reduce((best, one) => (one.size > best.size ? one : best));
    const { style } = this.cards;
    style.fontSize = `${Math.max(0, size).toFixed(1)}px`;
    style.setProperty("--across", across);
  }

  // The height of its frame that the sum's digits can fill; more of it would be black.
  bound() {
    const frame = this.amount.parentElement;
    const { marginTop, marginBottom } = getComputedStyle(frame);
    const high = (frame.clientWidth * INK * this.odometer.font.cell * TALLER_MAX) / (AIR * this.odometer.wide);
    this.card.style.setProperty("--sum-most", `${Math.ceil(high + parseFloat(marginTop) + parseFloat(marginBottom))}px`);
  }

  // Reels share the width; what the digits lack in it, or have too much, they are stretched by.
  stretch() {
    const { clientWidth: wide, clientHeight: high } = this.amount.parentElement;
    const { cell } = this.odometer.font;
    const own = Math.min((AIR * high) / cell, (wide * INK) / this.odometer.wide);
    const taller = Math.min(TALLER_MAX, (AIR * high) / (own * cell));
    const wider = Math.min(WIDER_MAX, Math.max(1, (wide * INK) / (own * this.odometer.wide)));
    const { style } = this.amount;
    style.fontSize = `${own.toFixed(1)}px`;
    style.width = `${(wide / wider).toFixed(1)}px`;
    style.transform = `scale(${wider.toFixed(3)}, ${Math.max(1, taller).toFixed(3)})`;
  }

  draw() {
    if (this.box.hidden || !this.now) return;
    const { win, began } = this.now;
    const { name, past } = this.act() ?? {};
    const again = name === "again" && this.box.dataset.act === name;
    const cents = still.matches ? win.amount : again ? countedAgain(win.amount, past) : counted(win.amount, win.level, this.at() - began);
    if (cents !== this.last) {
      this.last = cents;
      this.odometer.draw(cents);
    }
    if (cents < win.amount && this.held === null) requestAnimationFrame(this.frame);
  }
}
