// Which colours has a page? The configured accent, and from it a tone for each level.

// How far a level's tone is from the accent towards another metal, so that levels are told apart at a glance.
const METALS = { major: ["#dfe6f5", 0.85], minor: ["#e39a5c", 0.85] };

function channels(colour) {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

function mix(colour, other, part) {
  const [from, to] = [channels(colour), channels(other)];
  const mixed = from.map((value, index) => Math.round(value + (to[index] - value) * part));
  return `rgb(${mixed.join(", ")})`;
}

function hex(rgb) {
  return `#${rgb.match(/\d+/g).map((value) => Number(value).toString(16).padStart(2, "0")).join("")}`;
}

// The page's own colours.
export function paint(root, { accent, background }) {
  const style = root.style;
  style.setProperty("--accent", accent);
  style.setProperty("--accent-light", mix(accent, "#ffffff", 0.6));
  style.setProperty("--accent-deep", mix(accent, "#000000", 0.38));
  style.setProperty("--ground", background);
  style.setProperty("--ground-light", mix(background, accent, 0.16));
}

// One level's colours.
export function tone(element, { accent, background }, level) {
  const [metal, part] = METALS[level] ?? [accent, 0];
  const own = hex(mix(accent, metal, part));
  element.style.setProperty("--tone", own);
  element.style.setProperty("--tone-light", mix(own, "#ffffff", 0.62));
  element.style.setProperty("--tone-deep", mix(own, background, 0.62));
}
