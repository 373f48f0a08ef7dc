// The preview of a sign: /sign/LINK?preview=win|fault|pending|suspended|normal shows made-up amounts, says so, and asks
// the server for nothing. With win, level=NAME says which is won. past=SECONDS: how long ago that was, or the idle sign
// began with its first scene. near=PART: how much of its way a meter that must hit by a sum has gone. held: it stays at that moment, or at the one that an event "moment" says; held=settled:
// what comes, came.

import { named } from "./cards.js";
import { say } from "./words.js";

const MEGA = 1000000000; // cents: the widest amount that a sign is made for
const STEP_MS = 700;
const BEAT_MS = 1000;
const NEAR = 0.6;
const MYSTERY = "mystery";

const names = (settings) => settings.levels;
const sum = (place) => Math.floor(MEGA / 20 ** place);

// Whatever comes with a movement has come.
function settle() {
  for (const one of document.getAnimations()) if (Number.isFinite(one.effect.getComputedTiming().endTime)) one.finish();
}

export function preview(asked, settings, told, lost) {
  const { link, bounds } = settings;
  const chosen = new URLSearchParams(location.search);
  const past = 1000 * (Number(chosen.get("past")) || 0);
  const opened = Date.now() - past;
  const now = () => Date.now() - opened;
  const levels = names(settings);
  const near = chosen.has("near") ? Number(chosen.get("near")) : NEAR;
  const first = (level, place) => (bounds[level] ? Math.floor(bounds[level][0] + near * (bounds[level][1] - bounds[level][0])) : sum(place));
  const amounts = levels.map(first);
  const most = Object.fromEntries(Object.entries(bounds).map(([level, [, cents]]) => [level, cents]));
  const values = () => levels.map((level, place) => [link, level, amounts[place]]);
  const meters = () => told({ t: "meters", bank: "preview", rev: 1, at: now(), values: values() });
  const place = Math.max(0, levels.indexOf(chosen.get("level")));
  const waiting = asked === "win" || asked === "pending" ? [{ hit: "H1", level: levels[place], table: "T01", amount: first(levels[place], place) }] : [];
  const state = ["pending", "suspended", "fault"].includes(asked) ? asked : "normal";
  document.body.dataset.preview = say("preview");
  told({ t: "welcome", links: [{ link, levels, must_hit_by: most }] });
  meters();
  told({ t: "state", link, state, reason: "a preview", waiting });
  const hand = settings.hands[levels[place]] ?? (bounds[levels[place]] ? MYSTERY : "royal-flush");
  const cards = named(hand, settings.dealt);
  const hit = () =>
    told({ t: "hit", hit: "H1", link, level: levels[place], hand, cards: cards.length ? cards : undefined, table: "T01", amount: first(levels[place], place), rev: 1, at: 0 });
  if (chosen.has("held")) {
    const hold = (at) => told({ t: "held", at });
    hold(past);
    addEventListener("moment", ({ detail }) => hold(detail));
  }
  if (chosen.get("held") === "settled") setInterval(settle, BEAT_MS);
  if (asked === "win") hit();
  lost(asked === "fault");
  setInterval(meters, BEAT_MS);
  const grow = (_, place) => {
    amounts[place] = Math.min(amounts[place] + 5 + 3 * place, most[levels[place]] - 1 || Infinity);
  };
  setInterval(() => amounts.forEach(grow), STEP_MS);
}
