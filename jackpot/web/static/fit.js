// Fits a text to its place: what is too wide or too high is written smaller, step by step.

const SMALLER = 0.94;
// Nobody could read less from where they stand.
const SMALLEST = 0.15;
// The size at which a text is measured that fills its room.
const MEASURED_PX = 100;
// A word of more letters than this may be broken: whole it would be too small.
const LONG = 16;
// How much higher than its font has it a text may be that grows into its room: more of it reads like a fence.
const TALLER_MAX = 1.5;

function size(part, value) {
  part.style.setProperty("--fit", value);
}

// As large as its style sheet wants, or as its own box has room for in width, and its parent's in height; a part's font
// size in the style sheet is multiplied by --fit.
export function fit(part) {
  size(part, 1);
  const isTooLarge = () => part.scrollWidth > part.clientWidth || part.offsetHeight > part.parentElement.clientHeight;
  for (let now = 1; now > SMALLEST && isTooLarge(); now *= SMALLER) size(part, now * SMALLER);
}

// A text's halves, where it has some, or all of it in one line.
function lay(part, isBroken) {
  const { whole, broken } = part.dataset;
  part.classList.toggle("broken", isBroken);
  const text = isBroken ? broken : whole;
  if (broken && part.textContent !== text) part.textContent = text;
}

// As large as the box of its parent has room for in width and height. All of them are measured before any changes. A text
// that `breakable` prepared is broken where it is larger so; one of the class "grows" is written higher where it leaves room.
export function fill(parts) {
  const measured = () => parts.map((part) => {
    const { clientWidth, clientHeight } = part.parentElement;
    return MEASURED_PX * Math.min(clientWidth / Math.ceil(part.offsetWidth + 1), clientHeight / Math.max(1, part.offsetHeight));
  });
  for (const part of parts) {
    part.style.fontSize = `${MEASURED_PX}px`;
    lay(part, false);
  }
  const whole = measured();
  for (const part of parts) lay(part, Boolean(part.dataset.broken));
  const broken = measured();
  const rooms = parts.map((part) => (part.classList.contains("grows") ? (MEASURED_PX * part.parentElement.clientHeight) / Math.max(1, part.offsetHeight) : 0));
  parts.forEach((part, place) => {
    const size = Math.max(whole[place], broken[place]);
    lay(part, broken[place] > whole[place]);
    part.style.fontSize = `${Math.floor(10 * size) / 10}px`;
    if (rooms[place]) part.style.transform = `scaleY(${Math.min(TALLER_MAX, Math.max(1, rooms[place] / size)).toFixed(2)})`;
  });
}

// Writes a text that may have two lines: broken between its words, or within one that is long.
export function breakable(part, text) {
  part.textContent = part.dataset.whole = text;
  const lines = halves(text);
  if (lines.length > 1) part.dataset.broken = lines.join("\n");
  else delete part.dataset.broken;
}

function halves(text) {
  const words = text.split(" ");
  if (words.length === 1) return text.length > LONG ? middle(text).map((half, place) => (place ? half : `${half}-`)) : [text];
  const off = (at) => Math.abs(words.slice(0, at).join(" ").length - words.slice(at).join(" ").length);
  let best = 1;
  for (let at = 2; at < words.length; at += 1) if (off(at) < off(best)) best = at;
  return [words.slice(0, best), words.slice(best)].map((some) => some.join(" "));
}

const middle = (word) => [word.slice(0, Math.ceil(word.length / 2)), word.slice(Math.ceil(word.length / 2))];

// The text with a soft hyphen in each long word, which is seen only where the word is broken there.
export const hyphened = (text) => text.split(" ").map((word) => (word.length > LONG ? middle(word).join("\u00ad") : word)).join(" ");
