// The idle rotation of a sign while nobody wins: the hand that wins each level, with its cards; by which sum a mystery must
// hit; that the meter grows, with coins; the last win; the posted odds; the house's own pictures. It turns by the server's time, so that signs side by side show the same. The
// meters stay on the screen.

import { example, spelled } from "./cards.js";
import { fit, hyphened } from "./fit.js";
import { element, write } from "./odometer.js";
import { coins } from "./sprites.js";
import { MYSTERY, hand, shownOf } from "./win.js";
import { say } from "./words.js";

const SCENE_MS = 8000;
const LOOK_MS = 250;
// The last win outlives a page that is loaded again, and no more than that.
const LAST = "jackpot-last-win";

// A picture or a film of the house, over the room that the meters leave.
function pictureOf({ address, moves }) {
  const made = element(moves ? "video" : "img", "house");
  if (moves) Object.assign(made, { autoplay: true, muted: true, loop: true, playsInline: true });
  else made.alt = "";
  made.src = address;
  return made;
}

export class Idle {
  // parts: {text, cards, picture, levels}: its elements. settings: hands: by level, the hand that wins all of it, of `dealt`
  // cards; bounds: by level that must hit by a sum, least and most; pictures: {address, moves} each; rows: of the paytable. time(): the server's, in ms. changed(): what has the
  // stage comes or goes.
  constructor(parts, { link, display, money, hands, dealt, bounds, pictures, rows }, time, changed) {
    Object.assign(this, { parts, display, money, hands, dealt, bounds, time, changed, hasRows: rows.length > 0 });
    this.pictures = pictures.map(pictureOf);
    parts.picture.append(...this.pictures);
    this.coins = coins();
    this.key = `${LAST}-${link}`;
    this.last = JSON.parse(sessionStorage.getItem(this.key));
    this.shown = null;
    setInterval(() => this.look(), LOOK_MS);
  }

  won(hit) {
    this.keep(hit);
  }

  undone(hit) {
    if (this.last?.hit === hit) this.keep(null);
  }

  keep(hit) {
    this.last = hit;
    sessionStorage.setItem(this.key, JSON.stringify(hit));
  }

  // What has the stage: "odds", "picture" or null.
  get stage() {
    return this.scene?.stage ?? null;
  }

  // {text, cards(), level, stage, picture} each. level: the one that it is about, whose frame lights up.
  scenes() {
    const scenes = Object.entries(this.hands).map(([level, name]) => ({
      text: say("{hand} wins the {level}", { hand: hand(name), level: this.display.levels[level] ?? level }),
      cards: () => example(name, this.dealt),
      level,
    }));
    for (const [level, [, most]] of Object.entries(this.bounds)) {
      scenes.push({ text: say("Must hit by {sum}", { sum: write(this.money, most) }), cards: () => spelled(hand(MYSTERY)), level });
    }
    scenes.push({ text: say("Grows with every wager"), cards: () => this.coins });
    if (this.last) {
      const { amount, table, hand: name } = this.last;
      const facts = { amount: write(this.money, amount), table, hand: hand(name) };
      scenes.push({ text: say("Last win: {amount} at table {table}, {hand}", facts), cards: () => shownOf(this.last), level: this.last.level });
    }
    const [{ text }] = scenes;
    if (this.hasRows) scenes.push({ text, stage: "odds" });
    return [...scenes, ...this.pictures.map((picture) => ({ text, stage: "picture", picture }))];
  }

  look() {
    const scenes = this.scenes();
    const scene = scenes[Math.floor(Math.max(0, this.time()) / SCENE_MS) % scenes.length];
    const before = this.scene;
    this.scene = scene;
    if (before?.stage !== scene.stage || before?.picture !== scene.picture) {
      for (const picture of this.pictures) picture.classList.toggle("shown", picture === scene.picture);
      this.changed();
    }
    const { text, cards, levels } = this.parts;
    const shown = `${scene.text} ${scene.stage ?? ""}`;
    if (this.shown === shown) return;
    this.shown = shown;
    text.textContent = hyphened(scene.text);
    for (const one of levels.children) one.classList.toggle("called", one.dataset.level === scene.level);
    cards.replaceChildren(...(scene.cards?.() ?? []));
    fit(text);
    for (const change of text.getAnimations()) change.play();
  }
}
