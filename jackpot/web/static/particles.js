// The particles of a win as numbers: sparks of a minor, coins of a major, and of a mega in each act something else. They
// move in steps of the same length by the win's own numbers, so that signs side by side show the same, and one that
// comes late, too. Nothing here draws: `particles_canvas.js` and `particles_webgl.js` do.

import { act } from "./phases.js";

export const STEP_S = 1 / 60;
// In the air at once.
export const COINS_MAX = 110;
export const SPARKS_MAX = 490;

// The pictures: a row of a coin's half turn, then a row of each colour's shapes (`sprites.js`).
export const COLUMNS = 20;
export const STREAK = 0;
export const POINT = 1;
export const GLINT = 2;
export const FOIL = 3;
export const FOIL_TURNS = 8;
export const COLOURS_MAX = 6;
// The colour that is the metal of the theme, behind the level's own and white (tones.js).
const METAL = 2;
const shape = (colour, which) => COLUMNS * (1 + colour) + which;

// Sizes and speeds are parts of the screen's shorter side; G pulls down.
const COIN = 0.05;
const COIN_MORE = 0.085;
const G = 1.15;
const SHELL_SPARKS = 84;
// Seconds between two of each, by the level's rank.
const EVERY = [
  { fountain: 0.006, glint: 0.12 },
  { volley: 0.9, toss: 0.13, foil: 0.075, glint: 0.3 },
  { rocket: 0.42, rain: 0.06, foil: 0.07, glint: 0.35 },
];
// The same of a mega's acts, where they differ.
const ACTS = {
  fountain: { geyser: 0.021, glint: 0.2 },
  again: { toss: 0.11, volley: 1.3, foil: 0.12 },
  spot: { glint: 0.07, foil: 0.16 },
  hand: { rocket: 0.26, foil: 0.09, rain: 0.12, glint: 0.3 },
};
// How many of these go on at the end of a celebration.
const CALM = 0.35;
// What a volley throws, and what a mega begins with.
const VOLLEY = 11;
const BLAST_COINS = 44;
const BLAST_SPARKS = 150;

// Numbers from 0 to 1 that look like chance and follow from a text.
function chances(text) {
  let state = 0x9e3779b9;
  for (const letter of text) state = Math.imul(state ^ letter.codePointAt(0), 0x85ebca6b) + 0x27d4eb2f;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const particle = () => ({ life: 0, cell: 0, x: 0, y: 0, vx: 0, vy: 0, angle: 0, wide: 0, high: 0, alpha: 0 });

export class Particles {
  constructor() {
    // A coin's place says how near it is: the last are drawn last, and are the largest.
    this.coins = Array.from({ length: COINS_MAX }, particle);
    this.sparks = Array.from({ length: SPARKS_MAX }, particle);
    this.place = 0;
  }

  // name: of the win, on which all chance depends. colours: how many there are; 0 is the level's, 1 white.
  begin(rank, name, colours) {
    Object.assign(this, { rank, colours, chance: chances(name), past: 0, isCalm: false, side: 0 });
    for (const one of [...this.coins, ...this.sparks]) one.life = one.alpha = 0;
    this.due = {};
    this.isBlast = rank === 2;
  }

  rest() {
    this.isCalm = true;
  }

  // On to so many seconds after the win began, on a screen of this size.
  go(past, wide, high) {
    if (this.wide && (this.wide !== wide || this.high !== high)) this.spread(wide / this.wide, high / this.high);
    Object.assign(this, { wide, high, unit: Math.min(wide, high * 1.2) });
    for (; this.past + STEP_S <= past; this.past += STEP_S) this.step();
  }

  spread(across, down) {
    for (const one of [...this.coins, ...this.sparks]) {
      one.x *= across;
      one.y *= down;
    }
  }

  between(least, most) {
    return least + this.chance() * (most - least);
  }

  step() {
    if (this.isBlast) this.blast();
    const played = this.rank === 2 ? act("mega", this.past * 1000)?.name : null;
    for (const [name, every] of Object.entries(ACTS[played] ?? EVERY[this.rank])) {
      this.due[name] = (this.due[name] ?? 1) + (STEP_S / every) * (this.isCalm ? CALM : 1);
      for (; this.due[name] >= 1; this.due[name] -= 1) this[name]();
    }
    for (const one of this.coins) if (one.life > 0) this.moveCoin(one);
    for (const one of this.sparks) if (one.life > 0) this.moveSpark(one);
  }

  other() {
    this.side = 1 - this.side;
    return this.side;
  }

  free(of) {
    for (let tried = 0; tried < of.length; tried += 1) {
      this.place = (this.place + 7) % of.length;
      if (of[this.place].life <= 0) return of[this.place];
    }
    return null;
  }

  coin(x, y, vx, vy) {
    const one = this.free(this.coins);
    if (one === null) return;
    const near = this.place / COINS_MAX;
    const size = this.unit * (COIN + COIN_MORE * near * near);
    Object.assign(one, { x, y, vx: vx * (0.8 + 0.4 * near), vy: vy * (0.9 + 0.2 * near), wide: size, high: size, life: 7, alpha: 1 });
    Object.assign(one, { angle: this.between(-1, 1), roll: this.between(-2, 2), turn: this.between(0, COLUMNS), spin: this.between(16, 40) });
  }

  spark(x, y, vx, vy, more) {
    const one = this.free(this.sparks);
    if (one === null) return;
    Object.assign(one, { x, y, vx, vy, drag: 0.6, fall: 0.9, shell: null, kind: STREAK, colour: 0, size: 0.03, ...more, full: more.life, turn: 0 });
    this.look(one);
  }

  // A few colours of a firework go together.
  colour() {
    return 1 + Math.floor(this.chance() * (this.colours - 1));
  }

  // Sparks out of both lower corners.
  fountain() {
    const side = this.other();
    const speed = this.between(0.65, 1.7) * Math.min(this.high, this.unit * 1.4);
    const angle = this.between(0.85, 1.52);
    const colour = [0, 1, METAL][Math.floor(this.chance() * 3)];
    const more = { life: this.between(0.9, 1.9), size: this.between(0.02, 0.044), colour, fall: 1 };
    this.spark(side * this.wide, this.high * 1.01, (side ? -1 : 1) * Math.cos(angle) * speed, -Math.sin(angle) * speed, more);
  }

  // A star of light that comes and goes, most of them near the edges.
  glint() {
    const across = this.chance() ** 1.6 / 2;
    const x = (this.other() ? 1 - across : across) * this.wide;
    this.spark(x, this.between(0.04, 0.8) * this.high, 0, 0, { life: this.between(0.5, 1), size: this.between(0.05, 0.13), kind: GLINT, colour: 1, fall: 0 });
  }

  throwOne(side, far) {
    const speed = this.between(0.9, 1.5) * Math.min(this.high, this.unit * 1.5) * far;
    const angle = this.between(0.95, 1.45);
    const across = this.wide > this.high ? 1.3 : 0.75;
    this.coin(side * this.wide, this.high * 1.03, (side ? -1 : 1) * Math.cos(angle) * speed * across, -Math.sin(angle) * speed);
  }

  // A handful out of one side, with a puff of sparks.
  volley() {
    const side = this.other();
    for (let left = VOLLEY; left > 0; left -= 1) this.throwOne(side, 1);
    for (let left = 26; left > 0; left -= 1) {
      const [angle, speed] = [this.between(0.6, 1.5), this.between(0.3, 1.2) * this.unit];
      const more = { life: this.between(0.4, 0.9), size: this.between(0.02, 0.035), colour: left % 3 ? 0 : 1 };
      this.spark(side * this.wide, this.high, (side ? -1 : 1) * Math.cos(angle) * speed, -Math.sin(angle) * speed, more);
    }
  }

  // A jet of coins out of each side's foot, nearly straight up.
  geyser() {
    const side = this.other();
    const from = side ? this.between(0.84, 0.97) : this.between(0.03, 0.16);
    const up = this.between(1.05, 1.5) * Math.min(this.high * 1.15, this.unit * 1.5);
    this.coin(from * this.wide, this.high * 1.05, this.between(-0.11, 0.11) * this.wide, -up);
  }

  toss() {
    this.throwOne(this.other(), this.between(0.7, 1));
  }

  // Most of it at the sides.
  rain() {
    const across = this.chance() ** 1.7 / 2;
    const x = (this.other() ? 1 - across : across) * this.wide;
    this.coin(x, -0.14 * this.unit, this.between(-0.05, 0.05) * this.unit, this.between(0, 0.3) * this.high);
  }

  // Foil that turns and sinks.
  foil() {
    const across = this.chance() ** 1.4 / 2;
    const x = (this.other() ? 1 - across : across) * this.wide;
    const more = { life: this.between(3, 5), size: this.between(0.018, 0.032), kind: FOIL, colour: this.colour(), drag: 1.2, fall: 0.16 };
    this.spark(x, -0.03 * this.high, this.between(-0.1, 0.1) * this.unit, this.between(0.1, 0.3) * this.high, more);
  }

  rocket() {
    const side = this.other();
    const from = side ? this.between(0.7, 0.99) : this.between(0.01, 0.3);
    const more = { life: this.between(0.6, 0.85), size: 0.05, colour: 1, drag: 0.9, fall: 0.5, shell: Math.floor(this.chance() * 3) };
    this.spark(from * this.wide, this.high, (side ? -1 : 1) * this.between(-0.02, 0.07) * this.wide, -this.between(0.95, 1.3) * this.high, more);
  }

  // A ball of two colours, a ring, or a willow whose sparks sink for long.
  burst({ x, y, shell }) {
    const reach = this.between(0.5, 0.82) * this.unit;
    const [inner, outer] = [this.colour(), this.colour()];
    this.spark(x, y, 0, 0, { life: 0.45, size: 0.42, kind: POINT, colour: outer, fall: 0 });
    for (let left = SHELL_SPARKS; left > 0; left -= 1) {
      const isRing = shell === 1;
      const angle = isRing ? (2 * Math.PI * left) / SHELL_SPARKS : this.between(0, 2 * Math.PI);
      const far = (isRing ? (left % 2 ? 1 : 0.55) : Math.sqrt(this.between(0.06, 1))) * reach;
      const willow = shell === 2 ? { life: this.between(1.5, 2.4), drag: 1.6, fall: 0.3, colour: 2 } : { life: this.between(0.8, 1.5), drag: 1.9, fall: 0.22, colour: left % 3 ? outer : inner };
      this.spark(x, y, Math.cos(angle) * far, Math.sin(angle) * far, { size: this.between(0.02, 0.036), ...willow });
    }
  }

  // Out of the middle to all sides, at the first moment.
  blast() {
    this.isBlast = false;
    const [x, y] = [this.wide / 2, this.high * 0.45];
    for (let left = BLAST_COINS; left > 0; left -= 1) {
      const [angle, speed] = [this.between(0, 2 * Math.PI), this.between(0.5, 1.3)];
      this.coin(x, y, Math.cos(angle) * speed * this.wide * 0.7, (Math.sin(angle) - 0.5) * speed * this.high * 0.8);
    }
    for (let left = BLAST_SPARKS; left > 0; left -= 1) {
      const [angle, speed] = [this.between(0, 2 * Math.PI), this.between(0.4, 1.6)];
      const more = { life: this.between(0.7, 1.5), size: this.between(0.025, 0.05), colour: left % 2 ? 2 : 1, drag: 1.1 };
      this.spark(x, y, Math.cos(angle) * speed * this.wide * 0.6, Math.sin(angle) * speed * this.high * 0.7, more);
    }
  }

  moveCoin(one) {
    one.vy += G * this.unit * STEP_S;
    one.x += one.vx * STEP_S;
    one.y += one.vy * STEP_S;
    one.angle += one.roll * STEP_S;
    one.turn = (one.turn + one.spin * STEP_S) % COLUMNS;
    one.cell = Math.floor(one.turn);
    one.life -= STEP_S;
    if (one.life <= 0 || (one.y > this.high + one.high && one.vy > 0)) one.life = one.alpha = 0;
  }

  moveSpark(one) {
    const slow = Math.max(0, 1 - one.drag * STEP_S);
    one.vx *= slow;
    one.vy = one.vy * slow + one.fall * this.unit * STEP_S;
    one.x += one.vx * STEP_S;
    one.y += one.vy * STEP_S;
    one.life -= STEP_S;
    one.turn += STEP_S;
    if (one.life > 0) {
      this.look(one);
    } else {
      one.life = one.alpha = 0;
      if (one.shell !== null) this.burst(one);
    }
  }

  // What is drawn of a spark now.
  look(one) {
    const left = one.life / one.full;
    const size = one.size * this.unit;
    if (one.kind === STREAK) {
      const long = Math.min(4.5, 1 + Math.hypot(one.vx, one.vy) / this.unit / 0.3);
      Object.assign(one, { cell: shape(one.colour, STREAK), angle: Math.atan2(one.vy, one.vx), wide: size * long, high: size * 1.5 });
      one.alpha = one.shell === null ? Math.min(1, left * 1.6) : 1;
    } else if (one.kind === FOIL) {
      const turn = Math.floor(one.turn * 14) % FOIL_TURNS;
      Object.assign(one, { cell: shape(one.colour, FOIL + turn), angle: one.turn * 1.7, wide: size, high: size, alpha: Math.min(1, left * 5) });
      one.vx += Math.sin(one.turn * 4) * 0.3 * this.unit * STEP_S;
    } else {
      const grown = one.kind === GLINT ? Math.sin(Math.PI * left) : 1;
      Object.assign(one, { cell: shape(one.colour, one.kind), angle: one.kind === GLINT ? one.turn * 0.7 : 0, wide: size * grown, high: size * grown, alpha: Math.min(1, left * 1.4) });
    }
  }
}
