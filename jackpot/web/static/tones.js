// The colours of a page: the configured accent and, from it and the theme, a tone for each level, as metal.

// A level's tone where the configuration gives none, so that levels are told apart at a glance; others: the accent.
const GEMS = {
  gold: { major: "#ff4660", minor: "#48aeff" },
  neon: { major: "#22e5ff", minor: "#a6ff4d" },
  red: { major: "#ff9a3c", minor: "#ffd9c2" },
  dark: { major: "#c9d4ea", minor: "#e7ab8f" },
};
// What flies in a win besides the level's own colour and white; the first of them is the metal of the theme.
const FLIES = {
  gold: ["#ffc94d", "#ff4d63", "#5ab4ff", "#c58bff"],
  neon: ["#ff4fd8", "#22e5ff", "#a6ff4d", "#9a6bff"],
  red: ["#ffc83d", "#ff5a36", "#fff0c4", "#ff9a3c"],
  dark: ["#f0d9a4", "#dfe6f5", "#e7ab8f", "#b9935a"],
};
// The same of a mystery, in every theme.
const FLIES_MYSTERY = ["#ffd75e", "#b98cff", "#5ef0e0", "#ff7ad9"];
// Yellow that is made darker looks like an olive: a metal's shadow leans to red.
const SHADOW_TURN = -16;

function channels(colour) {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

function mix(colour, other, part) {
  const [from, to] = [channels(colour), channels(other)];
  const mixed = from.map((value, index) => Math.round(value + (to[index] - value) * part));
  return `rgb(${mixed.join(", ")})`;
}

// [hue in degrees, saturation, lightness] of a colour.
function hsl(colour) {
  const [red, green, blue] = channels(colour).map((value) => value / 255);
  const [most, least] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  const [light, range] = [(most + least) / 2, most - least];
  if (range === 0) return [0, 0, light];
  const turn = most === red ? ((green - blue) / range + 6) % 6 : most === green ? (blue - red) / range + 2 : (red - green) / range + 4;
  return [60 * turn, range / (1 - Math.abs(2 * light - 1)), light];
}

// A colour of this hue as it looks in less light, down to `light`.
function shaded([hue, saturation], light, more = 1) {
  const isYellow = hue > 20 && hue < 75;
  const turned = isYellow ? Math.max(18, hue + SHADOW_TURN) : hue;
  return `hsl(${turned.toFixed(0)}, ${(100 * Math.min(1, saturation * more)).toFixed(0)}%, ${(100 * light).toFixed(0)}%)`;
}

// The steps of a metal of this colour, from the light on its edge to its shadow.
function metal(style, name, colour) {
  const [hue, saturation, light] = hsl(colour);
  const own = (lightness, part) => `hsl(${hue.toFixed(0)}, ${(100 * saturation * part).toFixed(0)}%, ${(100 * lightness).toFixed(0)}%)`;
  style.setProperty(`--${name}`, colour);
  style.setProperty(`--${name}-white`, own(0.96, 0.9));
  style.setProperty(`--${name}-light`, own(Math.max(0.8, light), 0.95));
  style.setProperty(`--${name}-shade`, shaded([hue, saturation], Math.min(light, 0.4)));
  style.setProperty(`--${name}-mid`, own(Math.min(light, 0.44), 0.85));
  style.setProperty(`--${name}-deep`, shaded([hue, saturation], 0.27, 0.95));
  style.setProperty(`--${name}-dark`, shaded([hue, saturation], 0.1, 0.8));
}

// The page's own colours.
export function paint(root, { accent, background }) {
  metal(root.style, "accent", accent);
  root.style.setProperty("--ground", background);
  root.style.setProperty("--ground-light", mix(background, accent, 0.1));
}

const toneOf = ({ accent, colours, theme }, level) => colours?.[level] ?? GEMS[theme]?.[level] ?? GEMS.gold[level] ?? accent;

// One level's colours.
export function tone(element, display, level) {
  metal(element.style, "tone", toneOf(display, level));
}

// The colours of what flies in a win of this level: "#rrggbb" each, its own first, then white.
export function flies(display, level, isMystery) {
  return [toneOf(display, level), "#ffffff", ...(isMystery ? FLIES_MYSTERY : FLIES[display.theme] ?? FLIES.gold)];
}
