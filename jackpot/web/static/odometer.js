// The odometer of an amount: it runs up to the true value within a set time and never beyond it, and down at once.

// A value is reached at the latest after two of these: the run under way is ended in its time, then comes the newest.
const RUN_MS = 1200;
const DIGITS = "01234567890"; // the 0 again, for a 9 that rolls on
// Widths in em; an amount's own width decides how large it can be written.
const ROOM_EM = 0.1; // left and right of a digit, in its window
const GAP_EM = 0.04; // between two windows, as base.css has it
const MARK_ROOM_EM = 0.04;
const LETTER_ROOM_EM = 0.1;
// A window is so much higher than its digit.
const CELL = 1.26;

// A comma and a sign of money end so far from the edge of their cell.
const EDGE_EM = 0.015;

// What this box's font measures, in em: {digit: of a window, cell: its height, drop: what brings a digit to the
// middle of its line, wide(text): of a text, reach(text): how far it goes above and below that middle}. It differs from
// screen to screen.
function metrics(box) {
  const pen = document.createElement("canvas").getContext("2d");
  const { fontFamily, fontWeight } = getComputedStyle(box);
  pen.font = `${fontWeight} 100px ${fontFamily}`;
  const wide = (text) => pen.measureText(text).width / 100;
  const zero = pen.measureText("0");
  const high = zero.actualBoundingBoxAscent + zero.actualBoundingBoxDescent;
  const middle = (zero.actualBoundingBoxAscent - zero.actualBoundingBoxDescent) / 2;
  const line = (zero.fontBoundingBoxAscent - zero.fontBoundingBoxDescent) / 2;
  const reach = (text) => {
    const { actualBoundingBoxAscent: up, actualBoundingBoxDescent: down } = pen.measureText(text);
    return [(up - middle) / 100, (down + middle) / 100];
  };
  return { wide, reach, digit: Math.max(...Array.from(DIGITS, wide)) + ROOM_EM, cell: (CELL * high) / 100, drop: (middle - line) / 100 };
}

const still = matchMedia("(prefers-reduced-motion: reduce)");

// A new part of a page.
export function element(name, className, text = "") {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

const ways = new Map();

// How a page writes sums: {format, unit: cents of the lowest digit}. money: {locale, currency}.
function wayOf({ locale, currency }) {
  const name = `${locale} ${currency}`;
  if (!ways.has(name)) {
    // The wire counts hundredths: a currency of three decimals is shown with two. Drums have European digits.
    const style = { style: "currency", currency, numberingSystem: "latn" };
    const { maximumFractionDigits: most } = new Intl.NumberFormat(locale, style).resolvedOptions();
    const digits = Math.min(most, 2);
    const format = new Intl.NumberFormat(locale, { ...style, minimumFractionDigits: digits, maximumFractionDigits: digits });
    ways.set(name, { format, unit: 10 ** (2 - digits) });
  }
  return ways.get(name);
}

// The parts of a sum of cents: {type, value} in their order. What is less than the lowest digit is never rounded up.
// Direction marks order whole lines of text; here each part has a place of its own.
function partsOf(money, cents) {
  const { format, unit } = wayOf(money);
  const parts = format.formatToParts((Math.floor(cents / unit) * unit) / 100);
  return parts.map(({ type, value }) => ({ type, value: value.replace(/[\u200e\u200f]/g, "") }));
}

// A sum of cents as text.
export function write(money, cents) {
  return partsOf(money, cents).map(({ value }) => value).join("");
}

export class Odometer {
  // box: where it is drawn. money: {locale, currency}. Its text in the accessibility tree is the newest true value.
  constructor(box, money) {
    this.box = box;
    this.money = money;
    this.places = 0; // digits that it has at the least, those in front without a number
    this.shown = null; // cents, with a fraction while it runs
    this.run = null; // {from, to, began}
    this.next = null; // the newest value, where a run is under way
    this.columns = []; // the lowest digit first
    this.frame = (now) => this.step(now);
    this.waiting = false;
    this.font = metrics(box);
    this.wide = 0; // em
    for (const name of ["digit", "cell", "drop"]) box.style.setProperty(`--${name}`, `${this.font[name].toFixed(3)}em`);
    box.setAttribute("role", "img");
  }

  // As wide as this sum from now on, also while it counts up to it.
  reserve(cents) {
    this.places = 0;
    this.build(cents);
    this.places = this.columns.length;
    this.say(cents);
  }

  say(cents) {
    const text = write(this.money, cents);
    if (this.said !== text) this.box.setAttribute("aria-label", text);
    this.said = text;
  }

  // The newest true value, cents. Returns whether it is lower than what stood here.
  set(cents) {
    this.say(cents);
    const newest = this.next ?? (this.run ? this.run.to : this.shown);
    if (newest === null || cents < newest || still.matches) {
      this.run = this.next = null;
      this.draw(cents);
      return newest !== null && cents < newest;
    }
    if (cents > newest) {
      if (this.run) this.next = cents;
      else this.run = { from: this.shown, to: cents, began: performance.now() };
      this.wake();
    }
    return false;
  }

  wake() {
    if (!this.waiting) {
      this.waiting = true;
      requestAnimationFrame(this.frame);
    }
  }

  step(now) {
    this.waiting = false;
    if (!this.run) return;
    const { from, to, began } = this.run;
    const part = Math.max(0, (now - began) / RUN_MS);
    if (part < 1) {
      this.draw(from + (to - from) * part);
    } else {
      this.draw(to);
      this.run = this.next === null ? null : { from: to, to: this.next, began: Math.max(began + RUN_MS, now - RUN_MS) };
      this.next = null;
    }
    if (this.run) this.wake();
  }

  draw(cents) {
    this.shown = cents;
    const { unit } = wayOf(this.money);
    const own = Math.max(Math.floor(cents / unit).toString().length, 3 - Math.log10(unit));
    if (Math.max(own, this.places) !== this.columns.length) this.build(cents);
    let left = cents / unit;
    let carry = left % 1;
    left = Math.floor(left);
    for (const [at, column] of this.columns.entries()) {
      const digit = left % 10;
      const place = digit + carry;
      if (column.place !== place) {
        column.place = place;
        column.strip.style.transform = `translateY(${(-100 * place) / DIGITS.length}%)`;
      }
      if (column.ahead !== at >= own) {
        column.ahead = at >= own;
        for (const part of column.parts) part.classList.toggle("ahead", column.ahead);
      }
      carry = digit === 9 ? carry : 0; // a digit rolls on while all below it are 9
      left = Math.floor(left / 10);
    }
    const text = Math.floor(cents).toString();
    if (this.box.dataset.cents !== text) this.box.dataset.cents = text;
  }

  // A comma whose tail would be cut off stands higher, a sign of money that is higher than its cell is written lower.
  keep(part, text) {
    const [above, below] = this.font.reach(text);
    const half = this.font.cell / 2 - EDGE_EM;
    if (part.className === "sign-of-money") part.style.transform = `scaleY(${Math.min(1, half / Math.max(above, below)).toFixed(3)})`;
    else part.style.setProperty("--lift", `${Math.max(0, below - half).toFixed(3)}em`);
  }

  build(cents) {
    this.columns = [];
    this.box.textContent = "";
    let em = 0;
    let parts = [];
    const mark = (text, className, wide) => {
      em += wide;
      const part = element("span", className, text);
      part.style.width = `${wide.toFixed(3)}em`;
      part.setAttribute("aria-hidden", "true");
      this.keep(part, text);
      this.box.append(part);
      return part;
    };
    const column = () => {
      const box = element("span", "digit");
      const strip = element("span", "strip");
      for (const digit of DIGITS) strip.append(element("span", "", digit));
      box.append(strip);
      box.setAttribute("aria-hidden", "true");
      this.box.append(box);
      parts = [box]; // the mark behind a digit without a number is not seen either
      this.columns.unshift({ strip, parts, place: null, ahead: false });
      em += this.font.digit + GAP_EM;
    };
    for (const { type, value } of partsOf(this.money, cents)) {
      const text = value.trim();
      if (type === "integer" || type === "fraction") for (const _ of value) column();
      else if (type === "group") parts.push(mark(text, text ? "mark" : "gap", text ? this.font.wide(text) + MARK_ROOM_EM : GAP_EM * 5));
      else if (type === "decimal") mark(text, "mark", this.font.wide(text) + MARK_ROOM_EM);
      else if (text) mark(text, "sign-of-money", this.font.wide(text) + LETTER_ROOM_EM);
    }
    this.wide = em;
  }
}
