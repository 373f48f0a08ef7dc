// Where the keys of somebody without a mouse go, once htmx has put other elements in place of those they were at.
// htmx itself finds an element again that has an id.

const MAIN = "#main";
let inside = false;

export function keepFocus() {
  document.body.addEventListener("htmx:beforeSwap", ({ detail }) => {
    // A button that has sent its form is disabled, and has no focus any more: the page that comes is its answer.
    inside = detail.target === document.body || detail.target.contains(document.activeElement);
  });
  document.body.addEventListener("htmx:afterSettle", () => {
    const lost = inside && document.activeElement === document.body;
    // The page's own part: its menu was passed on the page before. It has no ring, and nothing moves.
    if (lost) document.querySelector(MAIN)?.focus({ preventScroll: true });
    inside = false;
  });
}
