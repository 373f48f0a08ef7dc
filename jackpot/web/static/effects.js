// The effects of a win: sparks for a minor, coins for a major, fireworks and a rain of coins for a mega. PixiJS draws
// them where a graphics card does; elsewhere a worker draws them onto the same canvas.

import { rank } from "./wins.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");
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

// What draws on the canvas: {tell(message)}. The messages are those of `particles_canvas.js`.
async function painter(canvas, drawn) {
  if (hasWebGL()) {
    const { GraphicsCard } = await import("./particles_webgl.js");
    return GraphicsCard.on(canvas, drawn);
  }
  const worker = new Worker(new URL("./particles_canvas.js", import.meta.url), { type: "module" });
  worker.addEventListener("message", ({ data }) => drawn(data.drawn));
  const given = canvas.transferControlToOffscreen();
  worker.postMessage({ canvas: given }, [given]);
  return { tell: (message) => worker.postMessage(message) };
}

export class Effects {
  constructor(canvas) {
    Object.assign(this, { canvas, painter: null, win: null });
    if (!still.matches) this.load();
    new ResizeObserver(() => this.resize()).observe(canvas);
  }

  async load() {
    try {
      this.painter = await painter(this.canvas, (past) => {
        this.canvas.dataset.drawn = past; // a film waits for it
      });
    } catch (error) {
      console.info(`nothing flies in a win on this player: ${error.message}`);
      return;
    }
    this.canvas.dataset.ready = "";
    if (this.win) this.begin();
  }

  size() {
    return [this.canvas.clientWidth, this.canvas.clientHeight];
  }

  // A canvas of another size is empty: what stays at a moment is drawn again.
  resize() {
    this.tell({ size: this.size() });
    if (this.win?.held) this.at(this.win.past());
  }

  tell(message) {
    if (this.canvas.clientWidth) this.painter?.tell(message);
  }

  // name: of the win. colours: "#rrggbb" each, the level's first, then white. past(): milliseconds since it began. held:
  // whether it stays at the moments that `at` says.
  start(level, name, colours, past, held) {
    this.win = { rank: rank(level), name, colours, past, held };
    this.begin();
  }

  begin() {
    const past = this.win.past();
    this.tell({ size: this.size(), win: { ...this.win, past } });
    if (this.win.held) this.at(past);
  }

  at(past) {
    if (this.win) this.tell({ at: past });
  }

  // The end of a celebration: less flies, and it goes on to the last moment.
  rest() {
    if (this.win) this.tell({ rest: true });
  }

  stop() {
    if (this.win) this.painter?.tell({ stop: true });
    this.win = null;
  }
}
