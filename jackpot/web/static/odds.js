// The posted odds of a link: every hand of its paytable with its cards, and what it pays.

import { example, suits } from "./cards.js";
import { element, write } from "./odometer.js";
import { tone } from "./tones.js";
import { hand } from "./win.js";
import { say } from "./words.js";

const MEASURED_PX = 100;
// How a row is laid out, in how many columns, and how much smaller it may be than another for what it shows more.
const LAYOUTS = [["", 1, 1.4], ["", 2, 1.4], ["", 3, 1.4], ["stacked", 1, 1.4], ["doubled", 1, 1.25], ["bare", 1, 1], ["bare", 2, 1], ["bare", 3, 1]];
// Rows have more air than their letters need, up to this.
const TALLER_MAX = 1.6;
// The widest column, in its letters: dots lead from a hand to what it pays, over no longer a way.
const WIDE_EM = 34;

// What a row pays, in words. pays: {kind, of}: "percent" of a level in basis points, "for" one, "to" one, "fixed" cents.
function paid({ kind, of, level }, display, money) {
  const percent = () => (of / 10000).toLocaleString(money.locale, { style: "percent", maximumFractionDigits: 2, numberingSystem: "latn" });
  if (kind === "percent") return say("{part} of the {level}", { part: percent(), level: display.levels[level] ?? level });
  if (kind === "for") return say("{n} for 1", { n: of });
  if (kind === "to") return say("{n} to 1", { n: of });
  return write(money, of);
}

export class Odds {
  // box: its element. rows: {hand, suits, pays} each, best first, for this wager in cents, of `dealt` cards.
  constructor(box, { display, money, rows, wager, dealt }) {
    Object.assign(this, { box, list: box.querySelector("ul"), title: box.querySelector("h2") });
    this.title.textContent = say("A wager of {wager} pays", { wager: write(money, wager) });
    this.list.append(...rows.map((row, place) => this.row(row, place, display, money, dealt)));
    new ResizeObserver(() => this.refit()).observe(box);
  }

  row({ hand: name, suits: only, pays }, place, display, money, dealt) {
    const made = element("li", "");
    made.style.setProperty("--row", place);
    const cards = element("span", "cards");
    cards.setAttribute("aria-hidden", "true");
    cards.append(...example(name, dealt, only));
    const named = element("span", "named", hand(name));
    if (only) named.append(suits(only));
    made.append(cards, named, element("span", "pays", paid(pays, display, money)));
    if (pays.kind === "percent") {
      made.dataset.level = pays.level;
      tone(made, display, pays.level);
    }
    return made;
  }

  // The largest letters that its room has, with the cards where they have room, too.
  refit() {
    const { clientWidth: wide, clientHeight: high } = this.box;
    if (!wide) return;
    const room = [wide * 0.96, high * 0.96 - this.title.offsetHeight];
    const layout = ([style, columns], size) => {
      Object.assign(this.list.style, { width: "max-content", height: "auto", fontSize: `${size.toFixed(1)}px` });
      this.list.className = style;
      this.list.style.gridTemplateRows = `repeat(${Math.ceil(this.list.children.length / columns)}, minmax(0, 1fr))`;
    };
    const sizes = LAYOUTS.map((one) => {
      layout(one, MEASURED_PX);
      return MEASURED_PX * Math.min(room[0] / this.list.offsetWidth, room[1] / this.list.offsetHeight);
    });
    const worth = sizes.map((size, place) => size * LAYOUTS[place][2]);
    const best = worth.indexOf(Math.max(...worth));
    layout(LAYOUTS[best], sizes[best]);
    const height = Math.min(room[1], TALLER_MAX * this.list.offsetHeight);
    const width = Math.min(room[0], WIDE_EM * LAYOUTS[best][1] * sizes[best]);
    Object.assign(this.list.style, { width: `${width}px`, height: `${height}px` });
  }
}
