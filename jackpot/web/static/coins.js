// What rains at a win? Gold and the level's colour, drawn by canvas-confetti; nothing where there is no canvas.

import { create } from "./vendor/confetti.js";
import { rank } from "./wins.js";

// Per level: pieces of one burst, time between bursts. What is in the air at once: some 250.
const BURSTS = [
  { pieces: 36, everyMs: 1500 },
  { pieces: 44, everyMs: 900 },
  { pieces: 56, everyMs: 700 },
];
// Frames that a piece lives.
const TICKS = 150;
const GOLD = ["#fff3c4", "#ffd75e", "#f0b429", "#c98a12"];

export class Coins {
  constructor(canvas) {
    const pen = canvas.getContext?.("2d");
    this.fire = pen ? create(canvas, { resize: true, useWorker: false, disableForReducedMotion: true }) : null;
    this.timer = null;
    this.count = 0;
  }

  start(level, colour) {
    this.stop();
    if (this.fire === null) return;
    const { pieces, everyMs } = BURSTS[rank(level)];
    const burst = () => this.burst(pieces, [...GOLD, colour], rank(level));
    burst();
    this.timer = setInterval(burst, everyMs);
  }

  // Minor: from below. Others: from both sides in turn.
  burst(pieces, colors, high) {
    const side = high ? this.count++ % 2 : 0.5;
    this.fire({
      particleCount: pieces,
      ticks: TICKS,
      colors,
      shapes: ["circle", "circle", "star"],
      scalar: Math.max(0.9, Math.min(innerWidth, innerHeight) / 420),
      startVelocity: innerHeight / 13,
      spread: high ? 62 : 100,
      angle: [62, 118][side] ?? 90,
      origin: { x: side, y: 0.9 },
      gravity: 1.1,
    });
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.fire?.reset();
  }
}
