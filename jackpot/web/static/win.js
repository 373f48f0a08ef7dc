// How is a win celebrated? Over the whole screen for a set time: level, amount, table; then the new meter again.

import { fit, shrink } from "./fit.js";
import { tone } from "./tones.js";
import { write } from "./odometer.js";

// Long enough to be read from far away, below the 30 s after which the new meter must stand.
const SHOWN_MS = 20000;
// Where more wins wait, each has this long.
const SHORT_MS = 7000;
const WAITING_MOST = 4;
// Hits come again by their id after a new connection.
const KNOWN_MOST = 64;
const PIECES = 140;

function words(name) {
  return (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll("-", " ");
}

// Everything stands on the screen whole: each line is as wide as fits, then the name gives way to the rest.
function fitCard(card) {
  for (const part of card.children) fit(part);
  for (const name of [".level", ".amount", ".where"]) shrink(card.querySelector(name), () => card.scrollHeight > innerHeight);
}

// box: its element. changed: called when it begins or ends by itself.
export function celebrate(box, face, money, changed) {
  const known = new Set();
  let waiting = [];
  let current = null; // {message, began}
  const confetti = new Confetti(box.querySelector("canvas"));
  const card = box.querySelector(".card");

  function begin() {
    current = waiting.length ? { message: waiting.shift(), began: performance.now() } : null;
    if (current) fill(current.message);
    changed();
  }

  function fill(message) {
    const amount = write(money, message.amount);
    const set = (name, text) => {
      box.querySelector(name).textContent = text;
    };
    tone(box, face, message.level);
    set(".level", face.levels[message.level] ?? message.level);
    set(".amount", amount);
    set(".where", `Table ${message.table} · ${words(message.hand)}`);
    box.style.setProperty("--letters", Math.max(amount.length, 8));
    box.dataset.hit = message.hit;
    fitCard(card);
  }

  addEventListener("resize", () => fitCard(card));

  setInterval(() => {
    if (current && performance.now() - current.began > (waiting.length ? SHORT_MS : SHOWN_MS)) begin();
  }, 250);

  return {
    hit(message) {
      if (known.has(message.hit)) return;
      known.add(message.hit);
      if (known.size > KNOWN_MOST) known.delete(known.values().next().value);
      waiting.push(message);
      waiting = waiting.slice(-WAITING_MOST);
      if (!current) begin();
    },
    undone(hit) {
      waiting = waiting.filter((message) => message.hit !== hit);
      if (current && current.message.hit === hit) begin();
    },
    stop() {
      waiting = [];
      current = null;
    },
    showing: () => current !== null,
    cover(on) {
      if (box.hidden === !on) return;
      box.hidden = !on;
      fitCard(card);
      confetti.run(on);
    },
  };
}

class Confetti {
  constructor(canvas) {
    this.canvas = canvas;
    this.on = false;
    this.frame = (now) => this.draw(now);
  }

  run(on) {
    const start = on && !this.on;
    this.on = on;
    if (!start) return;
    const { canvas } = this;
    canvas.width = innerWidth;
    canvas.height = innerHeight;
    this.size = Math.min(canvas.width, canvas.height) / 55;
    this.last = null;
    const colours = ["#ffffff", "#ffe9a8", "#f5c542", "#ff8a5c", "#7fd6ff"];
    this.pieces = Array.from({ length: PIECES }, (_, index) => ({
      x: Math.random() * canvas.width,
      y: (Math.random() - 1) * canvas.height,
      fall: (0.12 + Math.random() * 0.16) * canvas.height,
      turn: Math.random() * 7,
      spin: Math.random() * 4 - 2,
      colour: colours[index % colours.length],
    }));
    requestAnimationFrame(this.frame);
  }

  draw(now) {
    if (!this.on) {
      this.pieces = [];
      return;
    }
    const past = Math.min((now - (this.last ?? now)) / 1000, 0.1);
    this.last = now;
    const { canvas, size } = this;
    const pen = canvas.getContext("2d");
    pen.clearRect(0, 0, canvas.width, canvas.height);
    for (const piece of this.pieces) {
      piece.y += piece.fall * past;
      piece.turn += piece.spin * past;
      if (piece.y > canvas.height + size) piece.y = -size;
      pen.save();
      pen.translate(piece.x + Math.sin(piece.turn) * size * 2, piece.y);
      pen.rotate(piece.turn);
      pen.fillStyle = piece.colour;
      pen.fillRect(-size / 2, -size / 4, size, size * (0.25 + 0.35 * Math.abs(Math.cos(piece.turn * 2))));
      pen.restore();
    }
    requestAnimationFrame(this.frame);
  }
}
