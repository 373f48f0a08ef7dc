// Does a text fit where it stands? If not it is written smaller, step by step.

const SMALLER = 0.94;
// Nobody could read less from where they stand.
const SMALLEST = 0.15;

function size(part, value) {
  part.style.setProperty("--fit", value);
}

// Smaller than it is now, until `tooLarge` says no; its font size in the style sheet is multiplied by --fit.
export function shrink(part, tooLarge) {
  for (let now = Number(part.style.getPropertyValue("--fit")); now > SMALLEST && tooLarge(); now *= SMALLER) size(part, now);
}

// As large as its style sheet wants, or as its own box has room for in width.
export function fit(part) {
  size(part, 1);
  shrink(part, () => part.scrollWidth > part.clientWidth);
}
