// The particles of a win where no graphics card draws: a worker that has the canvas, and draws pictures onto it. The
// page's own thread does nothing for it. In: {canvas} once, then {size}, {win}, {at}, {rest} and {stop}. Out: {drawn}.

import { COLUMNS, Particles } from "./particles.js";
import { CELL_PX, sprites } from "./sprites.js";

// More pixels than this are drawn coarser, and shown larger: what flies is seen for a moment.
const PIXELS_MAX = 900_000;

const particles = new Particles();
let [canvas, pen, pictures, size, scale] = [null, null, null, [1, 1], 1];
let [began, next, named] = [0, null, ""];

function resize(given) {
  size = given;
  scale = Math.min(1, Math.sqrt(PIXELS_MAX / (size[0] * size[1])));
  [canvas.width, canvas.height] = size.map((length) => Math.max(1, Math.round(length * scale)));
}

function paint({ cell, x, y, angle, wide, high, alpha }) {
  const [cos, sin] = [Math.cos(angle) * scale, Math.sin(angle) * scale];
  pen.globalAlpha = alpha;
  pen.setTransform(cos, sin, -sin, cos, x * scale, y * scale);
  pen.drawImage(pictures, (cell % COLUMNS) * CELL_PX, Math.floor(cell / COLUMNS) * CELL_PX, CELL_PX, CELL_PX, -wide / 2, -high / 2, wide, high);
}

function clear() {
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, canvas.width, canvas.height);
}

function draw(past) {
  particles.go(past, ...size);
  clear();
  pen.globalCompositeOperation = "lighter";
  for (const one of particles.sparks) if (one.alpha > 0) paint(one);
  pen.globalCompositeOperation = "source-over";
  for (const one of particles.coins) if (one.alpha > 0) paint(one);
}

function frame() {
  next = requestAnimationFrame(frame);
  draw((performance.now() - began) / 1000);
}

function stop() {
  if (next !== null) cancelAnimationFrame(next);
  next = null;
  clear();
}

const told = {
  canvas: (given) => {
    canvas = given;
    pen = canvas.getContext("2d");
  },
  size: resize,
  // past: milliseconds since it began. held: it moves by `at` alone.
  win: ({ rank, name, colours, past, held }) => {
    stop();
    if (named !== colours.join()) pictures = sprites(colours);
    named = colours.join();
    particles.begin(rank, name, colours.length);
    began = performance.now() - past;
    if (!held) frame();
  },
  at: (past) => {
    draw(past / 1000);
    postMessage({ drawn: past });
  },
  rest: () => particles.rest(),
  stop,
};

addEventListener("message", ({ data }) => {
  for (const [name, given] of Object.entries(data)) told[name](given);
});
