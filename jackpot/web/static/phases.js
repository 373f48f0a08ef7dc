// The phases of a win's celebration, by its level and the server's time alone, so that every sign is in the same one.
// Nothing here looks at a clock or at the page.

import { countMs, rank } from "./wins.js";

// The flash with which it begins, and the rest with which it ends, by rank.
const FLASH_MS = [600, 1000, 1700];
const REST_MS = [1000, 2500, 9000];
// The acts of a mega's show, one after the other, each of another kind: the hand is dealt, coins rise from both sides,
// the sum counts once more, search lights meet on it in the dark, the hand takes the stage.
const ACTS = [["deal", 9000], ["fountain", 9000], ["again", 8000], ["spot", 9000], ["hand", Infinity]];
// How long the second count takes of its act.
const AGAIN_MS = 5500;

// "flash", "count", "show" or "rest". lasts: how long the whole is shown.
export function phase(level, elapsed, lasts) {
  const place = rank(level);
  if (elapsed < FLASH_MS[place]) return "flash";
  if (elapsed < countMs(level)) return "count";
  return elapsed < lasts - REST_MS[place] ? "show" : "rest";
}

// {name, past} of the act that a mega's show is in; null where none is: before it, and at other levels.
export function act(level, elapsed) {
  let past = elapsed - countMs(level);
  if (rank(level) < 2 || past < 0) return null;
  for (const [name, ms] of ACTS) {
    if (past < ms) return { name, past };
    past -= ms;
  }
  return null;
}

// What the second count shows of the sum: quicker and quicker, exact at its end and never above it.
export function countedAgain(cents, past) {
  const part = Math.min(1, past / AGAIN_MS);
  return part === 1 ? cents : Math.floor(cents * part ** 2);
}
