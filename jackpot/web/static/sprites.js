// The pictures of what flies in a win, on one canvas: a gold coin as it turns, and of each colour a streak, a point and a
// star of light, and foil as it turns. They are drawn once; `particles.js` says where each cell is.

import { COLUMNS, FOIL, FOIL_TURNS, GLINT, POINT, STREAK } from "./particles.js";

export const CELL_PX = 96;
const HALF = CELL_PX / 2;
const COINS_IN_ROW = 5;
const COIN_PX = 192;
const STAR = Array.from({ length: 10 }, (_, at) => [((at * Math.PI) / 5) - Math.PI / 2, at % 2 ? 0.24 : 0.56]);

function filled(gradient, stops) {
  stops.forEach(([at, colour]) => gradient.addColorStop(at, colour));
  return gradient;
}

function disc(pen, radius, fill) {
  pen.fillStyle = fill;
  pen.beginPath();
  pen.arc(0, 0, radius, 0, 2 * Math.PI);
  pen.fill();
}

function star(pen, radius, shift, fill) {
  pen.fillStyle = fill;
  pen.beginPath();
  for (const [angle, far] of STAR) pen.lineTo(radius * (far * Math.cos(angle) + shift), radius * (far * Math.sin(angle) + shift));
  pen.fill();
}

// A coin seen from the front, around the pen's place.
function face(pen, radius) {
  const across = (stops) => filled(pen.createLinearGradient(-radius, -radius, radius, radius), stops);
  disc(pen, radius, across([[0.1, "#fff8d2"], [0.35, "#f8cf56"], [0.62, "#cf8a1d"], [0.92, "#7d4508"]]));
  disc(pen, radius * 0.86, "#8a500c");
  const field = pen.createRadialGradient(-0.35 * radius, -0.4 * radius, 0, 0, 0, radius * 0.84);
  disc(pen, radius * 0.83, filled(field, [[0, "#ffeb9c"], [0.5, "#eeb23a"], [1, "#a9670f"]]));
  star(pen, radius, 0.035, "#6d3c05");
  star(pen, radius, -0.025, "#fff6c4");
  star(pen, radius, 0, across([[0.2, "#ffe389"], [0.55, "#e2a02c"], [0.8, "#b87415"]]));
  const light = pen.createRadialGradient(-0.42 * radius, -0.5 * radius, 0, -0.42 * radius, -0.5 * radius, radius * 0.55);
  disc(pen, radius, filled(light, [[0, "rgba(255, 255, 255, .75)"], [1, "rgba(255, 255, 255, 0)"]]));
}

// A row of coins, each larger than the one before: a canvas each, drawn once.
export function coins() {
  return Array.from({ length: COINS_IN_ROW }, (_, place) => {
    const canvas = document.createElement("canvas");
    canvas.className = "coin";
    canvas.width = canvas.height = COIN_PX;
    canvas.style.setProperty("--place", place);
    const pen = canvas.getContext("2d");
    pen.translate(COIN_PX / 2, COIN_PX / 2);
    face(pen, COIN_PX * 0.48);
    return canvas;
  });
}

function coin(pen, step) {
  const angle = (Math.PI * step) / COLUMNS;
  const [wide, edge, radius] = [Math.max(0.05, Math.abs(Math.cos(angle))), Math.sin(angle) * 0.09, CELL_PX * 0.44];
  const rim = (shift, colour) => {
    pen.fillStyle = colour;
    pen.beginPath();
    pen.ellipse(shift * radius, 0, radius * wide, radius, 0, 0, 2 * Math.PI);
    pen.fill();
  };
  for (let layer = -8; layer < 8; layer += 1) rim((edge * layer) / 8, layer % 3 ? "#b4741a" : "#7a480c");
  pen.save();
  pen.translate(edge * radius, 0);
  pen.scale(wide, 1);
  face(pen, radius);
  // It shines as it turns towards the light.
  const shine = Math.cos(angle - 0.7);
  disc(pen, radius, shine > 0 ? `rgba(255, 250, 220, ${0.4 * shine ** 6})` : `rgba(60, 25, 0, ${-0.4 * shine})`);
  pen.restore();
}

const clear = (colour) => `${colour}00`;

function glow(pen, colour, [wide, high], stops) {
  pen.save();
  pen.scale(wide, high);
  const light = pen.createRadialGradient(0, 0, 0, 0, 0, HALF);
  pen.fillStyle = filled(light, [...stops, [1, clear(colour)]]);
  pen.fillRect(-HALF, -HALF, CELL_PX, CELL_PX);
  pen.restore();
}

function foil(pen, colour, turn) {
  const [lit, size] = [Math.cos((Math.PI * turn) / FOIL_TURNS), HALF * 0.9];
  pen.scale(1, Math.max(0.12, Math.abs(lit)));
  pen.fillStyle = filled(pen.createLinearGradient(-size, -size, size, size), [[0, "#ffffff"], [0.4, colour], [1, colour]]);
  pen.fillRect(-size * 0.6, -size, size * 1.2, 2 * size);
  pen.fillStyle = lit > 0 ? `rgba(255, 255, 255, ${0.5 * lit ** 4})` : `rgba(0, 0, 0, ${-0.4 * lit})`;
  pen.fillRect(-size * 0.6, -size, size * 1.2, 2 * size);
}

// A spark that flies to the right: a bright head, and a tail that fades.
function streak(pen, colour) {
  const [head, thick] = [HALF * 0.72, HALF * 0.085];
  pen.fillStyle = filled(pen.createLinearGradient(-HALF, 0, head, 0), [[0, clear(colour)], [0.55, `${colour}88`], [0.86, colour], [1, "#ffffff"]]);
  pen.beginPath();
  pen.moveTo(-HALF, 0);
  pen.lineTo(head, -thick);
  pen.arc(head, 0, thick, -Math.PI / 2, Math.PI / 2);
  pen.fill();
  pen.translate(head, 0);
  glow(pen, colour, [0.27, 0.2], [[0, "#ffffff"], [0.3, "#ffffffcc"], [0.5, `${colour}77`]]);
}

const SHAPES = {
  [STREAK]: streak,
  [POINT]: (pen, colour) => glow(pen, colour, [1, 1], [[0, "#ffffff"], [0.12, `${colour}ee`], [0.34, `${colour}44`]]),
  [GLINT]: (pen, colour) => {
    glow(pen, colour, [1, 0.05], [[0, "#ffffff"], [0.6, `${colour}aa`]]);
    glow(pen, colour, [0.05, 1], [[0, "#ffffff"], [0.6, `${colour}aa`]]);
    glow(pen, colour, [0.4, 0.4], [[0, "#ffffff"], [0.3, `${colour}88`]]);
  },
};

// colours: "#rrggbb" each, a row of it each.
export function sprites(colours) {
  const canvas = new OffscreenCanvas(CELL_PX * COLUMNS, CELL_PX * (1 + colours.length));
  const pen = canvas.getContext("2d");
  const cell = (column, row, draw) => {
    pen.save();
    pen.beginPath();
    pen.rect(column * CELL_PX, row * CELL_PX, CELL_PX, CELL_PX);
    pen.clip();
    pen.translate((column + 0.5) * CELL_PX, (row + 0.5) * CELL_PX);
    draw();
    pen.restore();
  };
  for (let step = 0; step < COLUMNS; step += 1) cell(step, 0, () => coin(pen, step));
  colours.forEach((colour, row) => {
    for (const [column, draw] of Object.entries(SHAPES)) cell(Number(column), row + 1, () => draw(pen, colour));
    for (let turn = 0; turn < FOIL_TURNS; turn += 1) cell(FOIL + turn, row + 1, () => foil(pen, colour, turn));
  });
  return canvas;
}
