// The curves that uPlot does not draw: of runs side by side, of seeds, of a reference, of evaluations, of what was replaced.

import { colourOf, diamond, dot, faintly, line } from "./canvas.js";

const WIDTHS = { line: 1.75, band: 1.75, thin: 0.75, ghost: 1.25 };
const OPACITIES = { thin: 0.45, ghost: 0.8 };
const [RAW, RANGE, REPLACED] = [0.3, 0.16, 0.4]; // opacities: beneath a smoothed curve, of a band's range, of replaced points
const FEW = 40; // points: so few are drawn one by one

// Every point in view, with its height; those that have none are left out.
const visible = (chart, points, draw) => {
  const [first, last] = chart.page.shown;
  points.places.forEach((place, index) => {
    if (place < first || place > last) return;
    const height = chart.placeOf(points.values[index]);
    if (height !== null) draw(place, height, index);
  });
};

const isCurve = ({ style }) => style in WIDTHS;

export const drawGhosts = (chart, canvas) =>
  chart.known.filter(({ trace }) => trace.style === "ghost").forEach((known) => drawCurve(chart, canvas, known));

// Ranges first, so that no line is hidden by one.
export const drawTraces = (chart, canvas) => {
  const drawn = chart.known.filter(({ trace }, index) => (index || chart.spec.is_overlay) && trace.style !== "ghost");
  drawn.filter(({ points }) => points.low.length).forEach((known) => drawRange(chart, canvas, known));
  drawn.forEach((known) => (isCurve(known.trace) ? drawCurve : drawPoints)(chart, canvas, known));
};

const drawCurve = (chart, canvas, { trace, points }) => {
  const isSmooth = chart.page.options.smoothing > 1 && points.smoothed.length > 0;
  const opacity = OPACITIES[trace.style] ?? 1;
  if (isSmooth) stroke(chart, canvas, trace, points, points.smoothed, opacity);
  stroke(chart, canvas, trace, points, points.values, isSmooth ? opacity * RAW : opacity);
};

// A line that breaks where a value is none.
const stroke = (chart, canvas, trace, { places }, values, opacity) => {
  const { context, palette } = canvas;
  context.strokeStyle = colourOf(palette, trace.colour);
  context.lineWidth = WIDTHS[trace.style];
  context.setLineDash(trace.dash);
  context.beginPath();
  let isDown = false;
  values.forEach((value, index) => {
    const height = chart.placeOf(value);
    const [x, y] = [canvas.x(places[index]), canvas.y(height)];
    if (height !== null && isDown) context.lineTo(x, y);
    else if (height !== null) context.moveTo(x, y);
    isDown = height !== null;
  });
  faintly(canvas, opacity, () => context.stroke());
  context.setLineDash([]);
};

// One area for each stretch without a gap.
const drawRange = (chart, canvas, { trace, points }) => {
  const { context, palette } = canvas;
  const edge = (values) => Array.from(values, (value) => chart.placeOf(value));
  const [low, high] = [edge(points.low), edge(points.high)];
  context.fillStyle = colourOf(palette, trace.colour);
  let start = 0;
  const fill = (stop) => {
    const indices = Array.from({ length: stop - start }, (_, index) => start + index);
    context.beginPath();
    indices.forEach((index) => context.lineTo(canvas.x(points.places[index]), canvas.y(high[index])));
    indices.reverse().forEach((index) => context.lineTo(canvas.x(points.places[index]), canvas.y(low[index])));
    faintly(canvas, RANGE, () => context.fill());
  };
  for (let index = 0; index <= low.length; index += 1) {
    if (index < low.length && low[index] !== null && high[index] !== null) continue;
    if (index > start) fill(index);
    start = index + 1;
  }
};

const drawPoints = (chart, canvas, { trace, points }) => {
  const colour = colourOf(canvas.palette, trace.colour);
  visible(chart, points, (place, height) => {
    const [x, y] = [canvas.x(place), canvas.y(height)];
    if (trace.style === "faint") faintly(canvas, REPLACED, () => dot(canvas, x, y, 2, colour));
    else diamond(canvas, colour, x, y, 4);
  });
};

// A number between two that are none is on no line.
export const drawSinglePoints = (chart, canvas) =>
  chart.lines.forEach(({ trace, points }) => {
    const { values } = points;
    const colour = colourOf(canvas.palette, trace.colour);
    const isFew = values.length <= FEW && !chart.spec.is_overlay;
    visible(chart, points, (place, height, index) => {
      const isAlone = chart.placeOf(values[index - 1]) === null && chart.placeOf(values[index + 1]) === null;
      if (isFew || isAlone) dot(canvas, canvas.x(place), canvas.y(height), 2, colour);
    });
  });

// The last point of each curve in view: where it is drawn, or nothing.
export const endOf = (chart, canvas, { places, values }) => {
  const [first, last] = chart.page.shown;
  const index = values.findLastIndex((value, at) => places[at] <= last && chart.placeOf(value) !== null);
  if (index < 0 || places[index] < first) return null;
  const isWhole = places.at(-1) <= last;
  return { x: canvas.x(places[index]), y: canvas.y(chart.placeOf(values[index])), isWhole };
};

const LEADER = 8; // pixels from a curve's end to the plot's edge, from which on a dotted line leads to its letter

export const drawEnds = (chart, canvas) =>
  chart.lines.forEach(({ trace, points }) => {
    const end = trace.style === "thin" ? null : endOf(chart, canvas, points);
    if (!end) return;
    const colour = colourOf(canvas.palette, trace.colour);
    if (end.isWhole) dot(canvas, end.x, end.y, 3, colour);
    if (!trace.words || canvas.right - end.x < LEADER) return;
    faintly(canvas, REPLACED, () => line(canvas, colour, 1, [[end.x + 4, end.y], [canvas.right, end.y]], [1, 3]));
  });
