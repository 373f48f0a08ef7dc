// How does a sign look before the floor sees it? /sign/LINK?preview=win|fault|pending|suspended|normal shows made-up
// amounts and asks the server for nothing; it says so.

import { say } from "./words.js";

const MEGA = 1000000000; // cents: the widest amount that a sign is made for
const STEP_MS = 700;
const BEAT_MS = 1000;

const names = (settings) => settings.levels;
const sum = (place) => Math.floor(MEGA / 20 ** place);

export function preview(asked, settings, told, lost) {
  const { link } = settings;
  const levels = names(settings);
  const amounts = levels.map((_, place) => sum(place));
  const values = () => levels.map((level, place) => [link, level, amounts[place]]);
  const meters = () => told({ t: "meters", bank: "preview", rev: 1, at: Date.now(), values: values() });
  const waiting = asked === "win" || asked === "pending" ? [{ hit: "H1", level: levels[0], table: "T01", amount: MEGA }] : [];
  const state = ["pending", "suspended", "fault"].includes(asked) ? asked : "normal";
  document.body.dataset.preview = say("preview");
  told({ t: "welcome", links: [{ link, levels }] });
  meters();
  told({ t: "state", link, state, waiting });
  const hit = () =>
    told({ t: "hit", hit: "H1", link, level: levels[0], hand: settings.hands[levels[0]] ?? "royal-flush", table: "T01", amount: MEGA, rev: 1, at: Date.now() });
  if (asked === "win") hit();
  lost(asked === "fault");
  setInterval(meters, BEAT_MS);
  setInterval(() => amounts.forEach((_, place) => (amounts[place] += 5 + 3 * place)), STEP_MS);
}
