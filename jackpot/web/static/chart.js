// The point of a chart that a pointer is nearest to: its time and its sum stand below the chart, and its place is marked.

const SVG = "http://www.w3.org/2000/svg";

function nearest(chart, event) {
  const box = chart.getBoundingClientRect();
  const x = ((event.clientX - box.left) * chart.viewBox.baseVal.width) / box.width;
  let best = null;
  for (const spot of chart.querySelectorAll("[data-says]")) {
    if (best === null || Math.abs(spot.cx.baseVal.value - x) < Math.abs(best.cx.baseVal.value - x)) best = spot;
  }
  return best;
}

function marker(chart) {
  let mark = chart.querySelector(".here");
  if (mark === null) {
    mark = document.createElementNS(SVG, "circle");
    mark.setAttribute("class", "here");
    mark.setAttribute("r", 7);
    chart.append(mark);
  }
  return mark;
}

function show(event) {
  const chart = event.target.closest?.("svg.history");
  if (!chart) return;
  const spot = nearest(chart, event);
  const mark = marker(chart);
  for (const name of ["cx", "cy"]) mark.setAttribute(name, spot.getAttribute(name));
  const said = chart.parentElement.querySelector(".ends .spot");
  said.dataset.range ??= said.textContent;
  said.textContent = spot.dataset.says;
}

// Off the chart the range of its values stands there again.
function leave(event) {
  const chart = event.target.closest?.("svg.history");
  if (!chart || chart.contains(event.relatedTarget)) return;
  chart.querySelector(".here")?.remove();
  const said = chart.parentElement.querySelector(".ends .spot");
  said.textContent = said.dataset.range ?? said.textContent;
}

export function readCharts() {
  for (const moved of ["pointermove", "pointerdown"]) document.addEventListener(moved, show);
  document.addEventListener("pointerout", leave);
}
