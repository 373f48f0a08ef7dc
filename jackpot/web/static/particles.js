// The particle renderer of a win where the player has WebGL: coins, sparks and fireworks, drawn by PixiJS. Everything
// is made once, when the page is loaded: a sign runs for weeks.

import { CanvasSource, Container, Particle, ParticleContainer, Rectangle, Texture, WebGLRenderer } from "./vendor/pixi.js";

// In the air at once, also where frames are slow.
const COINS_MAX = 110;
const SPARKS_MAX = 640;
// Steps of a coin's half turn.
const TURNS = 16;
const CELL_PX = 128;
// The longest step of time: a player that slept does not make everything jump.
const STEP_MAX_S = 0.05;
// The coins' own size, and all speeds, in parts of the screen's shorter side.
const COIN = 0.085;
const FALL = 1.15;
// Seconds between two of each, by rank: sparks at the sides, coins at the sides, coins from above, rockets.
const EVERY = [
  { fountain: 0.007, throws: Infinity, rain: Infinity, rockets: Infinity },
  { fountain: 0.05, throws: 0.045, rain: Infinity, rockets: Infinity },
  { fountain: Infinity, throws: 0.14, rain: 0.085, rockets: 0.45 },
];
const BURST = 100;
const SHELLS = [0xffe08a, 0xff6b7d, 0x7cc8ff, 0xffffff, 0xc79bff];

const between = (least, most) => least + Math.random() * (most - least);

// All pictures on one canvas: the coin as it turns, a soft spark, a point of light.
function atlas(coin) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [CELL_PX * TURNS, CELL_PX * 2];
  const pen = canvas.getContext("2d");
  for (let step = 0; step < TURNS; step += 1) {
    const angle = (Math.PI * step) / TURNS;
    const [wide, edge] = [Math.max(0.03, Math.abs(Math.cos(angle))), Math.sin(angle) * 0.07];
    const [middle, radius] = [CELL_PX * (step + 0.5), CELL_PX * 0.44];
    const rim = (shift, colour) => {
      pen.fillStyle = colour;
      pen.beginPath();
      pen.ellipse(middle + shift * radius, CELL_PX / 2, radius * wide, radius, 0, 0, 2 * Math.PI);
      pen.fill();
    };
    for (let layer = -1; layer < 1; layer += 0.25) rim(edge * layer * 2, layer < -0.5 ? "#5a3204" : "#a8690c");
    pen.save();
    pen.translate(middle + edge * radius, CELL_PX / 2);
    pen.scale(wide, 1);
    pen.drawImage(coin, -radius, -radius, 2 * radius, 2 * radius);
    pen.restore();
  }
  const glow = (left, wide, high, stops) => {
    pen.save();
    pen.translate(left + CELL_PX / 2, CELL_PX * 1.5);
    pen.scale(wide, high);
    const light = pen.createRadialGradient(0, 0, 0, 0, 0, CELL_PX / 2);
    stops.forEach(([at, alpha]) => light.addColorStop(at, `rgba(255, 255, 255, ${alpha})`));
    pen.fillStyle = light;
    pen.fillRect(-CELL_PX / 2, -CELL_PX / 2, CELL_PX, CELL_PX);
    pen.restore();
  };
  glow(0, 1, 0.16, [[0, 1], [0.25, 0.85], [1, 0]]); // a streak, along its way
  glow(CELL_PX, 1, 1, [[0, 1], [0.12, 0.9], [0.3, 0.25], [1, 0]]); // a point of light
  return canvas;
}

async function picture(address) {
  const image = new Image();
  image.src = address;
  await image.decode();
  return image;
}

export class Particles {
  // Raises where the player has no WebGL.
  static async on(canvas) {
    const renderer = new WebGLRenderer();
    const coin = await picture("/static/coin.svg");
    await renderer.init({ canvas, width: 8, height: 8, backgroundAlpha: 0, antialias: false, resolution: 1, preferWebGLVersion: 2 });
    return new Particles(canvas, renderer, coin);
  }

  constructor(canvas, renderer, coin) {
    Object.assign(this, { canvas, renderer, lost: false });
    const source = new CanvasSource({ resource: atlas(coin) });
    const cut = (left, top) => new Texture({ source, frame: new Rectangle(left * CELL_PX, top * CELL_PX, CELL_PX, CELL_PX) });
    this.turns = Array.from({ length: TURNS }, (_, step) => cut(step, 0));
    [this.streak, this.point] = [cut(0, 1), cut(1, 1)];
    this.stage = new Container();
    const layer = (texture, most, more) => {
      const moves = { position: true, rotation: true, vertex: true, uvs: true, color: true };
      const box = new ParticleContainer({ texture, dynamicProperties: moves, ...more });
      this.stage.addChild(box);
      return Array.from({ length: most }, () => {
        const drawn = new Particle({ texture, anchorX: 0.5, anchorY: 0.5, alpha: 0 });
        box.addParticle(drawn);
        return { drawn, life: 0 };
      });
    };
    this.coins = layer(this.turns[0], COINS_MAX, {});
    this.sparks = layer(this.point, SPARKS_MAX, { blendMode: "add" });
    this.frame = (now) => this.step(now);
    this.next = null;
    canvas.addEventListener("webglcontextlost", () => {
      this.lost = true;
    });
  }

  // rank: of the level. colour: its tone, "#rrggbb".
  start(rank, colour) {
    this.stop();
    Object.assign(this, { rank, tint: parseInt(colour.slice(1), 16) || 0xffd75e, calm: false, last: null, side: 0 });
    this.due = Object.fromEntries(Object.keys(EVERY[rank]).map((name) => [name, 0]));
    this.next = requestAnimationFrame(this.frame);
  }

  // Nothing new flies up; what is in the air falls, and a little of it goes on.
  rest() {
    this.calm = true;
  }

  stop() {
    if (this.next === null) return;
    cancelAnimationFrame(this.next);
    this.next = null;
    for (const one of [...this.coins, ...this.sparks]) this.hide(one);
    this.renderer.render(this.stage);
  }

  hide(one) {
    one.life = 0;
    one.drawn.alpha = 0;
  }

  step(now) {
    this.next = requestAnimationFrame(this.frame);
    const { clientWidth: wide, clientHeight: high } = this.canvas;
    if (this.renderer.width !== wide || this.renderer.height !== high) this.renderer.resize(wide, high);
    const past = Math.min(STEP_MAX_S, this.last === null ? 0 : (now - this.last) / 1000);
    this.last = now;
    const unit = Math.min(wide, high * 1.2);
    for (const [name, every] of Object.entries(EVERY[this.rank])) {
      this.due[name] += past / (this.calm ? every * 2.5 : every);
      for (; this.due[name] >= 1; this.due[name] -= 1) this[name](wide, high, unit);
    }
    for (const one of this.coins) if (one.life > 0) this.moveCoin(one, past, unit, high);
    for (const one of this.sparks) if (one.life > 0) this.moveSpark(one, past, unit);
    this.renderer.render(this.stage);
  }

  free(of) {
    return of.find((one) => one.life <= 0);
  }

  other() {
    this.side = 1 - this.side;
    return this.side;
  }

  coin(x, y, vx, vy, size) {
    const one = this.free(this.coins);
    if (one === undefined) return;
    Object.assign(one, { vx, vy, life: 6, turn: between(0, TURNS), spin: between(14, 34), roll: between(-2, 2), size });
    Object.assign(one.drawn, { x, y, rotation: between(-1, 1), alpha: 1 });
  }

  throws(wide, high, unit) {
    const side = this.other();
    const speed = between(0.95, 1.5) * Math.min(high, unit * 1.5);
    const angle = between(0.98, 1.42);
    this.coin(side * wide, high * 1.02, (side ? -1 : 1) * Math.cos(angle) * speed * (wide > high ? 1.25 : 0.8), -Math.sin(angle) * speed, unit * COIN * between(0.7, 1.25));
  }

  rain(wide, high, unit) {
    const across = Math.random() ** 1.8 / 2; // most of it at the sides
    this.coin((this.other() ? 1 - across : across) * wide, -unit * COIN, between(-0.05, 0.05) * unit, between(0, 0.3) * high, unit * COIN * between(0.5, 1.1));
  }

  spark(x, y, vx, vy, more) {
    const one = this.free(this.sparks);
    if (one === undefined) return;
    Object.assign(one, { vx, vy, drag: 0.6, fall: 0.9, rocket: null, fades: true, ...more, full: more.life });
    one.drawn.texture = more.shape ?? this.streak;
    Object.assign(one.drawn, { x, y, tint: more.tint, alpha: 1 });
  }

  fountain(wide, high, unit) {
    const side = this.other();
    const speed = between(0.7, 1.75) * Math.min(high, unit * 1.5);
    const angle = between(0.7, 1.5);
    const tint = Math.random() < 0.45 ? 0xffffff : this.tint;
    this.spark(side * wide, high * 1.01, (side ? -1 : 1) * Math.cos(angle) * speed, -Math.sin(angle) * speed, { life: between(0.9, 1.9), size: unit * between(0.02, 0.05), tint });
  }

  rockets(wide, high, unit) {
    const side = this.other();
    const from = side ? between(0.72, 0.98) : between(0.02, 0.28);
    const tint = SHELLS[Math.floor(Math.random() * SHELLS.length)];
    const speed = between(0.95, 1.25) * high;
    this.spark(from * wide, high, (side ? -1 : 1) * between(0, 0.08) * wide, -speed, { life: between(0.62, 0.8), size: unit * 0.05, tint: 0xfff0c0, drag: 0.9, fall: 0.5, rocket: tint, fades: false });
  }

  burst(x, y, tint, unit) {
    const reach = between(0.5, 0.8) * unit;
    this.spark(x, y, 0, 0, { life: 0.5, size: unit * 0.34, tint, shape: this.point, fall: 0 });
    for (let left = BURST; left > 0; left -= 1) {
      const [angle, far] = [between(0, 2 * Math.PI), Math.sqrt(between(0.08, 1)) * reach];
      this.spark(x, y, Math.cos(angle) * far, Math.sin(angle) * far, { life: between(0.9, 1.7), size: unit * between(0.018, 0.034), tint: left % 4 ? tint : 0xffffff, drag: 1.9, fall: 0.22 });
    }
  }

  moveCoin(one, past, unit, high) {
    const { drawn } = one;
    one.vy += FALL * unit * past;
    drawn.x += one.vx * past;
    drawn.y += one.vy * past;
    drawn.rotation += one.roll * past;
    one.turn = (one.turn + one.spin * past) % TURNS;
    drawn.texture = this.turns[Math.floor(one.turn)];
    drawn.scaleX = drawn.scaleY = one.size / CELL_PX;
    one.life -= past;
    if (one.life <= 0 || (drawn.y > high + one.size && one.vy > 0)) this.hide(one);
  }

  moveSpark(one, past, unit) {
    const { drawn } = one;
    const slow = Math.max(0, 1 - one.drag * past);
    one.vx *= slow;
    one.vy = one.vy * slow + one.fall * unit * past;
    drawn.x += one.vx * past;
    drawn.y += one.vy * past;
    one.life -= past;
    if (one.life <= 0) {
      this.hide(one);
      if (one.rocket !== null) this.burst(drawn.x, drawn.y, one.rocket, unit);
      return;
    }
    const left = one.life / one.full;
    const long = drawn.texture === this.streak ? Math.min(4, 1 + Math.hypot(one.vx, one.vy) / unit / 0.35) : 1;
    drawn.rotation = Math.atan2(one.vy, one.vx);
    drawn.scaleX = (one.size * long) / CELL_PX;
    drawn.scaleY = (one.size * (long > 1 ? 1.6 : 1)) / CELL_PX;
    drawn.alpha = one.fades ? Math.min(1, left * 1.6) : 1;
  }
}
