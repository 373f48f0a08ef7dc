// Does a text fit where it stands? If not it is written smaller, step by step.

const SMALLER = 0.94;
// Nobody could read less from where they stand.
const SMALLEST = 0.15;

function size(part, value) {
  part.style.setProperty("--fit", value);
}

// All of them smaller than now by the same measure, until `tooLarge` says no; a part's font size in the style sheet
// is multiplied by --fit.
export function shrink(parts, tooLarge) {
  const before = parts.map((part) => Number(part.style.getPropertyValue("--fit")));
  for (let now = 1; now > SMALLEST && tooLarge(); now *= SMALLER) parts.forEach((part, index) => size(part, before[index] * now));
}

// As large as its style sheet wants, or as its own box has room for in width.
export function fit(part) {
  size(part, 1);
  shrink([part], () => part.scrollWidth > part.clientWidth);
}
