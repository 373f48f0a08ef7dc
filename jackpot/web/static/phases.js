// The phases of a win's celebration, by its level and the server's time alone, so that every sign is in the same one.
// Nothing here looks at a clock or at the page.

import { countMs, rank } from "./wins.js";

// The flash with which it begins, and the rest with which it ends, by rank.
const FLASH_MS = [600, 1000, 1700];
const REST_MS = [1000, 2500, 9000];

// "flash", "count", "show" or "rest". lasts: how long the whole is shown.
export function phase(level, elapsed, lasts) {
  const place = rank(level);
  if (elapsed < FLASH_MS[place]) return "flash";
  if (elapsed < countMs(level)) return "count";
  return elapsed < lasts - REST_MS[place] ? "show" : "rest";
}
