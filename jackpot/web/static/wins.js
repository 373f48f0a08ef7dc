// The schedule of wins on a sign: which one it shows at a moment, by the hits alone (their times, their levels, their
// order), so that every sign shows the same. Nothing here looks at a clock or at the page.

// How long each level is celebrated. One level alone ("meter") is the link's whole jackpot, as a mega is.
const MINOR_MS = 6000;
const MAJOR_MS = 12000;
const MEGA_MS = 60000;
// A mega that people validate at once still has its count-up, and a look at the sum.
const MEGA_MIN_MS = 12000;
// A win that could not begin for so long is news no more; its amount stands in the notes.
const LATE_MS = 300000;
// More than are celebrated within that time.
const WINS_MAX = 64;
// The longest count-up, and its part of a short celebration.
const COUNT_MS = 7000;
const COUNT_PART = 0.45;
// A hit that comes so long after its time was told before to others: it is pending only if the server says so.
export const HEARD_LATE_MS = 3000;

const MEGA_RANK = 2;
const RANKS = { meter: MEGA_RANK, mega: MEGA_RANK, major: 1 };

// What stands below them is celebrated as a minor, whatever its name.
export const rank = (level) => RANKS[level] ?? 0;

// The order in which the server made them durable; "H9" is before "H10".
export function inOrder(one, other) {
  return one.rev - other.rev || one.hit.length - other.hit.length || (one.hit < other.hit ? -1 : 1);
}

// How long this win is shown if it begins then. released: when people were done with it, null until then.
export function lasts(win, began) {
  const most = [MINOR_MS, MAJOR_MS, MEGA_MS][rank(win.level)];
  if (rank(win.level) < MEGA_RANK || win.released === null) return most;
  return Math.min(most, Math.max(MEGA_MIN_MS, win.released - began));
}

function best(wins) {
  return wins.reduce((found, win) => (found === null || rank(win.level) > rank(found.level) ? win : found), null);
}

// {win, began} at `now`, or null. wins: {hit, rev, level, at, released}. One after the other, the higher level
// first; a higher one that comes does not wait for a lower one, which then has its whole time afterwards.
export function playing(wins, now) {
  let left = wins.filter((win) => win.at <= now).sort(inOrder);
  let time = Math.min(...left.map((win) => win.at));
  while (left.length) {
    left = left.filter((win) => time - win.at <= LATE_MS);
    const win = best(left.filter((one) => one.at <= time));
    if (win === null) {
      time = Math.min(...left.map((one) => one.at));
      continue;
    }
    const end = time + lasts(win, time);
    const higher = left.filter((one) => rank(one.level) > rank(win.level) && one.at > time && one.at < end);
    if (higher.length) {
      time = Math.min(...higher.map((one) => one.at));
    } else if (end > now) {
      return { win, began: time };
    } else {
      left = left.filter((one) => one !== win);
      time = end;
    }
  }
  return null;
}

// Those that may still be shown, of all that are known: the lowest and oldest go first where there are too many.
export function kept(wins, now) {
  const fresh = wins.filter((win) => now - win.at <= LATE_MS + MEGA_MS);
  const over = fresh.length - WINS_MAX;
  if (over <= 0) return fresh;
  const out = new Set([...fresh].sort((one, other) => rank(one.level) - rank(other.level) || inOrder(one, other)).slice(0, over));
  return fresh.filter((win) => !out.has(win));
}

// How long the sum of this level counts up.
export function countMs(level) {
  return Math.min(COUNT_MS, COUNT_PART * [MINOR_MS, MAJOR_MS, MEGA_MS][rank(level)]);
}

// What the count-up shows of the sum: quick at first, exact at its end and never above it.
export function counted(cents, level, elapsed) {
  const part = Math.min(1, Math.max(0, elapsed) / countMs(level));
  return part === 1 ? cents : Math.floor(cents * (1 - (1 - part) ** 3));
}

// The server's time: its messages say it; the least delayed of the last ones is nearest.
export class ServerTime {
  constructor() {
    this.ahead = [];
  }

  // at: what a message says. now: of a clock of the page that never steps.
  heard(at, now) {
    this.ahead.push(at - now);
    // Few, so that a server whose clock was set is believed again within half a minute.
    if (this.ahead.length > 8) this.ahead.shift();
  }

  at(now) {
    return now + Math.max(...this.ahead);
  }

  get known() {
    return this.ahead.length > 0;
  }
}
