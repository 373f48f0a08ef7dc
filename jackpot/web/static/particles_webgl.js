// The particles of a win where a graphics card draws, by PixiJS. Everything is made once, when the page is loaded: a sign
// runs for weeks.

import { COINS_MAX, COLOURS_MAX, COLUMNS, Particles, SPARKS_MAX } from "./particles.js";
import { CELL_PX, sprites } from "./sprites.js";
import { CanvasSource, Container, Particle, ParticleContainer, Rectangle, Texture, WebGLRenderer } from "./vendor/pixi.js";

export class GraphicsCard {
  // Raises where the player has no WebGL. drawn: told of each moment that `at` asked for.
  static async on(canvas, drawn) {
    const renderer = new WebGLRenderer();
    await renderer.init({ canvas, width: 8, height: 8, backgroundAlpha: 0, antialias: false, resolution: 1, preferWebGLVersion: 2 });
    return new GraphicsCard(canvas, renderer, drawn);
  }

  constructor(canvas, renderer, drawn) {
    Object.assign(this, { canvas, renderer, drawn, particles: new Particles() });
    const blank = sprites(Array(COLOURS_MAX).fill("#ffffff"));
    this.source = new CanvasSource({ resource: blank });
    const cut = (cell) => {
      const frame = new Rectangle((cell % COLUMNS) * CELL_PX, Math.floor(cell / COLUMNS) * CELL_PX, CELL_PX, CELL_PX);
      return new Texture({ source: this.source, frame });
    };
    this.cells = Array.from({ length: COLUMNS * (1 + COLOURS_MAX) }, (_, cell) => cut(cell));
    this.stage = new Container();
    const layer = (most, more) => {
      const moves = { position: true, rotation: true, vertex: true, uvs: true, color: true };
      const box = new ParticleContainer({ texture: this.cells[0], dynamicProperties: moves, ...more });
      this.stage.addChild(box);
      return Array.from({ length: most }, () => {
        const drawn = new Particle({ texture: this.cells[0], anchorX: 0.5, anchorY: 0.5, alpha: 0 });
        box.addParticle(drawn);
        return drawn;
      });
    };
    this.sparks = layer(SPARKS_MAX, { blendMode: "add" });
    this.coins = layer(COINS_MAX, {});
    this.frame = () => this.run();
    this.next = null;
  }

  tell({ size, win, at, rest, stop }) {
    if (size) this.renderer.resize(...size);
    if (size) this.size = size;
    if (win) this.begin(win);
    if (at !== undefined) this.drawAt(at);
    if (rest) this.particles.rest();
    if (stop) this.stop();
  }

  begin({ rank, name, colours, past, held }) {
    this.stop();
    const pen = this.source.resource.getContext("2d");
    pen.clearRect(0, 0, this.source.resource.width, this.source.resource.height);
    pen.drawImage(sprites(colours), 0, 0);
    this.source.update();
    this.particles.begin(rank, name, colours.length);
    this.began = performance.now() - past;
    if (!held) this.run();
  }

  run() {
    this.next = requestAnimationFrame(this.frame);
    this.draw((performance.now() - this.began) / 1000);
  }

  stop() {
    if (this.next !== null) cancelAnimationFrame(this.next);
    this.next = null;
    for (const drawn of [...this.coins, ...this.sparks]) drawn.alpha = 0;
    this.renderer.render(this.stage);
  }

  drawAt(past) {
    this.draw(past / 1000);
    this.drawn(past);
  }

  draw(past) {
    this.particles.go(past, ...this.size);
    this.copy(this.particles.coins, this.coins);
    this.copy(this.particles.sparks, this.sparks);
    this.renderer.render(this.stage);
  }

  copy(from, to) {
    from.forEach((one, place) => {
      const drawn = to[place];
      drawn.alpha = one.alpha;
      if (one.alpha === 0) return;
      drawn.texture = this.cells[one.cell];
      drawn.x = one.x;
      drawn.y = one.y;
      drawn.rotation = one.angle;
      drawn.scaleX = one.wide / CELL_PX;
      drawn.scaleY = one.high / CELL_PX;
    });
  }
}
