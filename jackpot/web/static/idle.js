// What does a sign say while nobody wins? What hand wins each level, the last win, and that it grows. In rotation,
// by the server's time, so that signs side by side say the same.

import { fit } from "./fit.js";
import { write } from "./odometer.js";
import { hand } from "./win.js";
import { say } from "./words.js";

const LINE_MS = 8000;
const LOOK_MS = 250;
// The last win outlives a page that is loaded again, and no more than that.
const LAST = "jackpot-last-win";

export class Idle {
  // hands: by level, the hand that wins all of it. time(): the server's, in ms.
  constructor(part, { link, face, money, hands }, time) {
    Object.assign(this, { part, face, money, hands, time });
    this.key = `${LAST}-${link}`;
    this.last = JSON.parse(sessionStorage.getItem(this.key));
    setInterval(() => this.look(), LOOK_MS);
  }

  won(hit) {
    this.keep(hit);
  }

  undone(hit) {
    if (this.last?.hit === hit) this.keep(null);
  }

  keep(hit) {
    this.last = hit;
    sessionStorage.setItem(this.key, JSON.stringify(hit));
  }

  lines() {
    const lines = Object.entries(this.hands).map(([level, name]) =>
      say("{hand} wins the {level}", { hand: hand(name), level: this.face.levels[level] ?? level }),
    );
    lines.push(say("Grows with every wager"));
    if (this.last) lines.push(say("Last win: {amount} at table {table}", { amount: write(this.money, this.last.amount), table: this.last.table }));
    return lines;
  }

  look() {
    const lines = this.lines();
    const line = lines[Math.floor(Math.max(0, this.time()) / LINE_MS) % lines.length];
    if (this.part.textContent === line) return;
    this.part.textContent = line;
    fit(this.part);
    for (const change of this.part.getAnimations()) change.play();
  }
}
