// The effects of a win: sparks for a minor, coins for a major, fireworks and a rain of coins for a mega. PixiJS draws
// them where the player has WebGL; where it has none, or loses it, the style sheet moves a few of them instead.

import { element } from "./odometer.js";
import { rank } from "./wins.js";

// Elements of the style sheet's way, made once: coins and sparks, fireworks.
const PIECES = 26;
const BURSTS = 5;
const KINDS = ["sparks", "coins", "fireworks"];
const still = matchMedia("(prefers-reduced-motion: reduce)");

// Evenly spread numbers from 0 to 1 that look like chance, and are the same on signs side by side.
const spread = (place, step) => (place * step) % 1;

function pieces() {
  return Array.from({ length: PIECES }, (_, place) => {
    const piece = element("i", "piece");
    const facts = { side: place % 2 ? -1 : 1, far: spread(place, 0.618), high: spread(place, 0.414), late: spread(place, 0.732), size: spread(place, 0.271) };
    for (const [name, value] of Object.entries(facts)) piece.style.setProperty(`--${name}`, value.toFixed(3));
    return piece;
  });
}

function bursts() {
  return Array.from({ length: BURSTS }, (_, place) => {
    const burst = element("i", "shell");
    burst.style.setProperty("--place", place);
    burst.style.setProperty("--left", `${[12, 84, 24, 91, 8, 76][place]}%`);
    burst.style.setProperty("--top", `${[26, 20, 60, 56, 44, 38][place]}%`);
    return burst;
  });
}

// Renderers that compute on the processor what a graphics card should.
const SOFTWARE = /swiftshader|llvmpipe|software|basic render/i;

// Whether a graphics card draws; a preview may ask for a computed one.
function hasWebGL() {
  const context = document.createElement("canvas").getContext("webgl2");
  if (context === null) return false;
  const facts = context.getExtension("WEBGL_debug_renderer_info");
  const drawer = facts ? context.getParameter(facts.UNMASKED_RENDERER_WEBGL) : "";
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return !SOFTWARE.test(drawer) || new URLSearchParams(location.search).has("webgl");
}

export class Coins {
  // canvas: of PixiJS. box: of the style sheet's way.
  constructor(canvas, box) {
    Object.assign(this, { canvas, box, particles: null });
    box.append(...pieces(), ...bursts());
    if (!still.matches && hasWebGL()) this.load();
  }

  async load() {
    try {
      const { Particles } = await import("./particles.js");
      this.particles = await Particles.on(this.canvas);
    } catch (error) {
      console.info(`the style sheet moves what flies: ${error.message}`);
    }
  }

  get drawn() {
    return this.particles !== null && !this.particles.lost;
  }

  start(level, colour) {
    this.stop();
    if (this.drawn) this.particles.start(rank(level), colour);
    else this.box.dataset.kind = KINDS[rank(level)];
  }

  // The end of a celebration: less flies, and it goes on to the last moment.
  rest() {
    if (this.drawn) this.particles.rest();
    this.box.classList.add("calm");
  }

  stop() {
    this.particles?.stop();
    this.box.classList.remove("calm");
    delete this.box.dataset.kind;
  }
}
