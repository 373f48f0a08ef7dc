// Light as pictures: rays, beams, and points out of focus, each drawn once onto its canvas in the page's colours. The
// style sheet then moves the canvas as it is, which no player draws again.

// A picture's own pixels: light is soft, and shown larger.
const RAYS_PX = 640;
const SUNBURST_PX = 1024;
const BEAM_PX = [256, 768];
// Of so many wedges that no edge of one is seen where beams cross.
const BEAM_LAYERS = 32;
const DUST_PX = 1280;
const AROUND = 2 * Math.PI;

// Numbers from 0 to 1, always the same ones, so that signs side by side look alike.
function chances(first) {
  let state = first;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

function colourOf(part, name) {
  return getComputedStyle(part).getPropertyValue(name).trim() || "#ffffff";
}

const pen = document.createElement("canvas").getContext("2d");

// Any colour with so much of it seen.
function seen(colour, alpha) {
  pen.fillStyle = colour;
  const plain = pen.fillStyle; // "#rrggbb", or "rgba(...)"
  const found = plain.startsWith("#") ? [1, 3, 5].map((at) => parseInt(plain.slice(at, at + 2), 16)) : plain.match(/[\d.]+/g).slice(0, 3);
  return `rgba(${found.join(", ")}, ${alpha.toFixed(3)})`;
}

function wedge(pen, radius, middle, wide) {
  pen.beginPath();
  pen.moveTo(0, 0);
  pen.arc(0, 0, radius, middle - wide / 2, middle + wide / 2);
  pen.fill();
}

// Rays out of the middle. hard: the even stripes of a sunburst.
function rays(canvas, colour, count, first, hard) {
  canvas.width = canvas.height = hard ? SUNBURST_PX : RAYS_PX;
  const pen = canvas.getContext("2d");
  const radius = canvas.width / 2;
  pen.translate(radius, radius);
  const fade = (alpha) => {
    const light = pen.createRadialGradient(0, 0, 0, 0, 0, radius);
    [[0, 0.2], [0.05, 1], [0.45, 0.55], [0.95, 0]].forEach(([at, part]) => light.addColorStop(at, seen(colour, alpha * part)));
    return light;
  };
  const chance = chances(first);
  for (let ray = 0; ray < count; ray += 1) {
    const middle = ((ray + (hard ? 0 : 0.7 * chance() - 0.35)) * AROUND) / count;
    const [wide, light] = hard ? [AROUND / count / 2, 0.9] : [((0.35 + 0.6 * chance()) * AROUND) / count, 0.35 + 0.65 * chance()];
    const layers = hard ? 1 : 5; // a soft edge
    pen.fillStyle = fade(light / layers);
    for (let layer = 1; layer <= layers; layer += 1) wedge(pen, radius, middle, (wide * layer) / layers);
  }
}

// A search light, from its lower end up.
function beam(canvas, colour) {
  [canvas.width, canvas.height] = BEAM_PX;
  const [wide, high] = BEAM_PX;
  const pen = canvas.getContext("2d");
  const light = pen.createLinearGradient(0, high, 0, 0);
  [[0, 1.7], [0.5, 0.56], [1, 0]].forEach(([at, part]) => light.addColorStop(at, seen(colour, part / BEAM_LAYERS)));
  pen.fillStyle = light;
  for (let layer = 1; layer <= BEAM_LAYERS; layer += 1) {
    const half = (wide / 2) * (layer / BEAM_LAYERS) ** 1.5;
    pen.beginPath();
    pen.moveTo(wide / 2 - half * 0.1, high);
    pen.lineTo(wide / 2 - half, 0);
    pen.lineTo(wide / 2 + half, 0);
    pen.lineTo(wide / 2 + half * 0.1, high);
    pen.fill();
  }
}

// Points of light, near ones large and out of focus.
function dust(canvas, colour, near) {
  canvas.width = canvas.height = DUST_PX;
  const pen = canvas.getContext("2d");
  const chance = chances(near ? 7 : 3);
  for (let left = near ? 26 : 150; left > 0; left -= 1) {
    const [x, y, size] = [chance() * DUST_PX, chance() * DUST_PX, chance()];
    const radius = near ? 16 + 62 * size * size : 1 + 5 * size ** 4;
    const alpha = near ? 0.05 + 0.13 * chance() : 0.15 + 0.7 * chance();
    const light = pen.createRadialGradient(x, y, 0, x, y, radius);
    const stops = near ? [[0, 0.7], [0.78, 1], [0.9, 0.7], [1, 0]] : [[0, 1], [0.3, 0.8], [1, 0]];
    stops.forEach(([at, part]) => light.addColorStop(at, seen(colour, alpha * part)));
    pen.fillStyle = light;
    pen.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
  }
}

const DRAWS = {
  rays: (canvas, { rays: count, first, hard }) => rays(canvas, colourOf(canvas, "--light"), Number(count), Number(first), hard !== undefined),
  beam: (canvas) => beam(canvas, colourOf(canvas, "--light")),
  dust: (canvas, { near }) => dust(canvas, colourOf(canvas, "--dust"), near !== undefined),
};

// Draws every light below this element that its style sheet shows: a canvas with data-light, in the colours of now.
export function lit(part) {
  for (const canvas of part.querySelectorAll("canvas[data-light]")) {
    if (getComputedStyle(canvas).display !== "none") DRAWS[canvas.dataset.light](canvas, canvas.dataset);
  }
}
