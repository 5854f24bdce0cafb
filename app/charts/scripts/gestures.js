// What the mouse does over a chart: drag to zoom, shift and drag to move, click for a step, double click for everything.

const CLICK = 220; // milliseconds in which a second click makes it a double click
const LEAST = 4; // pixels that a zoom has to span; less is a click

export const mouseDown = (chart, handle) => (event) => (event.shiftKey ? move(chart, event) : handle(event));

const move = (chart, { clientX: start }) => {
  const [first, last] = chart.page.shown;
  const perPixel = (last - first) / chart.plot.over.clientWidth;
  const follow = ({ clientX }) => {
    const by = (start - clientX) * perPixel;
    chart.page.zoom([first + by, last + by]);
  };
  document.addEventListener("mousemove", follow);
  document.addEventListener("mouseup", () => document.removeEventListener("mousemove", follow), { once: true });
};

// uPlot's selection becomes the window of the whole page.
export const selected = ({ page }, plot) => {
  const { left, width } = plot.select;
  if (width < LEAST) return;
  const edges = [left, left + width].map((pixel) => plot.posToVal(pixel, "x"));
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  page.zoom(edges);
};

export const listen = (chart) => {
  const { over, cursor } = chart.plot;
  let [waiting, start] = [null, 0];
  over.addEventListener("mousedown", ({ clientX }) => (start = clientX));
  over.addEventListener("click", ({ shiftKey, clientX }) => {
    if (Math.abs(clientX - start) >= LEAST) return; // the end of a drag
    const step = chart.stepAt(chart.plot.posToVal(cursor.left, "x"));
    clearTimeout(waiting);
    if (step !== null && !shiftKey) waiting = setTimeout(() => chart.onStep(step), CLICK);
  });
  over.addEventListener("dblclick", () => {
    clearTimeout(waiting);
    chart.page.zoom(null);
  });
};
