// What rains at a win? Gold and the level's colour, drawn by canvas-confetti; nothing where there is no canvas.

import { create } from "./vendor/confetti.js";
import { rank } from "./wins.js";

// Per level: pieces of one burst, frames between bursts. A piece lives for frames, too, so that a slow player
// has no more of them in the air than a quick one: some 200.
const BURSTS = [
  { pieces: 36, every: 90 },
  { pieces: 44, every: 54 },
  { pieces: 56, every: 42 },
];
// Frames that a piece lives.
const TICKS = 150;
const GOLD = ["#fff3c4", "#ffd75e", "#f0b429", "#c98a12"];

export class Coins {
  constructor(canvas) {
    const pen = canvas.getContext?.("2d");
    this.fire = pen ? create(canvas, { resize: true, useWorker: false, disableForReducedMotion: true }) : null;
    this.next = null;
    this.count = 0;
  }

  start(level, colour) {
    this.stop();
    if (this.fire === null) return;
    const { pieces, every } = BURSTS[rank(level)];
    let frames = 0;
    const frame = () => {
      if (frames++ % every === 0) this.burst(pieces, [...GOLD, colour], rank(level));
      this.next = requestAnimationFrame(frame);
    };
    frame();
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
    cancelAnimationFrame(this.next);
    this.next = null;
    this.fire?.reset();
  }
}
