// Fits a text to its place: what is too wide is written smaller, step by step.

const SMALLER = 0.94;
// Nobody could read less from where they stand.
const SMALLEST = 0.15;
// The size at which a text is measured that fills its room.
const MEASURED_PX = 100;

function size(part, value) {
  part.style.setProperty("--fit", value);
}

// As large as its style sheet wants, or as its own box has room for in width; a part's font size in the style sheet
// is multiplied by --fit.
export function fit(part) {
  size(part, 1);
  for (let now = 1; now > SMALLEST && part.scrollWidth > part.clientWidth; now *= SMALLER) size(part, now * SMALLER);
}

// As large as the box of its parent has room for in width and height. All of them are measured before any changes.
export function fill(parts) {
  for (const part of parts) part.style.fontSize = `${MEASURED_PX}px`;
  const sizes = parts.map((part) => {
    const { clientWidth, clientHeight } = part.parentElement;
    return MEASURED_PX * Math.min(clientWidth / Math.ceil(part.offsetWidth + 1), clientHeight / Math.max(1, part.offsetHeight));
  });
  parts.forEach((part, place) => {
    part.style.fontSize = `${Math.floor(sizes[place] * 10) / 10}px`;
  });
}
