// Which colours has a page? The configured accent, and from it a tone for each level.

// A level's tone where the configuration gives none, so that levels are told apart at a glance; others: the accent.
const GEMS = { major: "#c79bff", minor: "#54d8c4" };

function channels(colour) {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

function mix(colour, other, part) {
  const [from, to] = [channels(colour), channels(other)];
  const mixed = from.map((value, index) => Math.round(value + (to[index] - value) * part));
  return `rgb(${mixed.join(", ")})`;
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
export function tone(element, { accent, background, colours }, level) {
  const own = colours?.[level] ?? GEMS[level] ?? accent;
  element.style.setProperty("--tone", own);
  element.style.setProperty("--tone-light", mix(own, "#ffffff", 0.62));
  element.style.setProperty("--tone-deep", mix(own, background, 0.62));
}
