// The layout of a wall: where each sign hangs, and which of them has the stage. Nothing here looks at the page.

import { rank } from "./wins.js";

// The shape in which a sign is read best, width to height.
const SHAPE = 1.6;
// What a celebration takes of the screen's longer side: the others stay readable in the rest.
const STAGE = 0.72;

// So many cells that fill a box {left, top, width, height}, in rows, each as near to SHAPE as can be.
export function cells(count, { left, top, width, height }) {
  let rows = 1;
  const off = (some) => Math.abs(Math.log(width / Math.ceil(count / some) / (height / some) / SHAPE));
  for (let more = 2; more <= count; more += 1) if (off(more) < off(rows)) rows = more;
  return Array.from({ length: rows }, (_, row) => {
    const [first, last] = [row, row + 1].map((edge) => Math.floor((edge * count) / rows));
    const wide = width / (last - first);
    return Array.from({ length: last - first }, (_, place) => ({ left: left + place * wide, top: top + (row * height) / rows, width: wide, height: height / rows }));
  }).flat();
}

// Which place has the stage; null: none. wins: by place, {level, began} or null. The higher level has it, and of two
// alike the one that began first, so that every wall of these links shows the same.
export function staged(wins) {
  let best = null;
  wins.forEach((win, place) => {
    const other = wins[best];
    const higher = win && other ? rank(win.level) - rank(other.level) || other.began - win.began : win ? 1 : 0;
    if (higher > 0) best = place;
  });
  return best;
}

// Every sign's rectangle on a screen of this size. stage: the place that celebrates, or null.
export function hung(count, stage, width, height) {
  if (stage === null || count === 1) return cells(count, { left: 0, top: 0, width, height });
  const isWide = width > height;
  const [wide, high] = isWide ? [width * STAGE, height] : [width, height * STAGE];
  const rest = isWide ? { left: wide, top: 0, width: width - wide, height } : { left: 0, top: high, width, height: height - high };
  const others = cells(count - 1, rest);
  return [...others.slice(0, stage), { left: 0, top: 0, width: wide, height: high }, ...others.slice(stage)];
}
