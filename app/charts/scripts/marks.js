// What is drawn around a chart's curves: findings, limits, non-finite values, the chosen step, and words beside the plot.

import { colourOf, cross, dot, drawing, inside, line, triangle } from "./canvas.js";
import { drawLabels, limitPlace } from "./labels.js";
import { drawEnds, drawGhosts, drawSinglePoints, drawTraces } from "./traces.js";

const SHADE = 0.11;
const GAP = 6; // pixels between two names
const RUG = 7; // below the plot
const MARK = 3; // half the width of a mark
const ROW = 8; // from the marks of one run to those of the next
const FOOT = 5; // the height of a mark at the foot of the plot

// Behind everything: the steps of findings, each with its rule above the plot and the finding's name.
export const drawBehind = (chart) =>
  drawing(chart, (canvas) => {
    const { episodes } = chart.spec; // the gravest first: it is drawn last and named first
    const shown = episodes.map((episode) => ({ ...episode, edges: edgesOf(chart, canvas, episode) })).filter(({ edges }) => edges);
    shown.toReversed().forEach((episode) => shadeEpisode(canvas, episode));
    nameEpisodes(canvas, shown);
  });

// Over the lines of the axes, under the curves.
export const drawUnder = (chart) =>
  drawing(chart, (canvas) => {
    const { palette, left, right, top, bottom } = canvas;
    for (const { value } of chart.spec.limits) {
      const y = limitPlace(chart, canvas, value);
      if (y !== null) line(canvas, palette.muted, 1, [[left, y], [right, y]], [4, 3]);
    }
    inside(canvas, () => {
      const resumed = chart.spec.resumed.map((step) => chart.placeOfStep(step)).filter((place) => place !== null);
      resumed.map(canvas.x).forEach((x) => line(canvas, palette.muted, 1, [[x, top], [x, bottom]], [1, 3]));
      drawGhosts(chart, canvas);
    });
  });

// From where to where an episode goes, in pixels; nothing for one out of view.
const edgesOf = (chart, canvas, episode) => {
  const { left, right } = canvas;
  const [from, to] = chart.edgesOf(episode).map((place) => Math.min(Math.max(canvas.x(place), left), right));
  return to > left && from < right ? [from, Math.max(to, from + 2)] : null;
};

const shadeEpisode = ({ context, palette, top, bottom }, { severity, edges: [from, to] }) => {
  context.fillStyle = palette[severity];
  context.globalAlpha = SHADE;
  context.fillRect(from, top, to - from, bottom - top);
  context.globalAlpha = 1;
  context.fillRect(from, top - 2, to - from, 2);
};

// A name where there is room for it, moved left where it would leave the chart.
const nameEpisodes = ({ context, palette, top, whole }, episodes) => {
  const taken = [];
  for (const { severity, shape, words, edges } of episodes) {
    const text = `${shape} ${words}`;
    const width = context.measureText(text).width;
    const start = Math.max(0, Math.min(edges[0], whole - width));
    if (taken.some(([begin, end]) => start < end + GAP && start + width > begin - GAP)) continue;
    taken.push([start, start + width]);
    context.fillStyle = palette[`${severity}_text`];
    context.fillText(text, start, top - 11);
  }
};

// Over the curve: other curves, single points, what has no height, ends, the chosen step, and words beside the plot.
export const drawOver = (chart) =>
  drawing(chart, (canvas) => {
    inside(canvas, () => {
      drawTraces(chart, canvas);
      drawSinglePoints(chart, canvas);
    });
    const broken = chart.lines.filter(({ points }) => points.values.some((value) => !Number.isFinite(value)));
    broken.forEach((known, row) => drawRug(chart, canvas, known, row));
    chart.lines.forEach((known) => drawFoot(chart, canvas, known));
    drawEnds(chart, canvas);
    drawStep(chart, canvas);
    drawLabels(chart, canvas);
  });

const inView = (chart, { places, values }, isMeant, draw) => {
  const [first, last] = chart.page.shown;
  places.forEach((place, index) => {
    if (place >= first && place <= last && isMeant(values[index])) draw(place, values[index]);
  });
};

// NaN and −∞ below the plot, ∞ at its top; of several runs each has a row of its own, in its colour.
const drawRug = (chart, canvas, { trace, points }, row) => {
  const colour = chart.spec.is_overlay ? colourOf(canvas.palette, trace.colour) : canvas.palette.critical_text;
  const [below, above] = [canvas.bottom + RUG - row * ROW, canvas.top + 1 + row * ROW];
  inView(chart, points, (value) => !Number.isFinite(value), (place, value) => {
    const x = canvas.x(place);
    if (Number.isNaN(value)) cross(canvas, colour, x, below, MARK);
    else if (value > 0) triangle(canvas, colour, x, above, above + 2 * MARK, MARK + 0.5);
    else triangle(canvas, colour, x, below + MARK, below - MARK, MARK + 0.5);
  });
};

// Numbers that a logarithm has no place for stand at the foot of the plot.
const drawFoot = (chart, canvas, { trace, points }) => {
  if (chart.kind !== "log") return;
  const colour = colourOf(canvas.palette, trace.colour);
  inView(chart, points, (value) => Number.isFinite(value) && value <= 0, (place) => {
    const x = canvas.x(place);
    line(canvas, colour, 1.75, [[x, canvas.bottom], [x, canvas.bottom - FOOT]]);
  });
};

const drawStep = (chart, canvas) => {
  const place = chart.placeOfStep(chart.page.step);
  const [first, last] = chart.page.shown;
  if (place === null || place < first || place > last) return;
  const x = Math.round(canvas.x(place)) + 0.5;
  line(canvas, canvas.palette.ink, 1, [[x, canvas.top], [x, canvas.bottom]]);
  const height = chart.placeOf(chart.spec.at ?? NaN);
  if (height !== null) dot(canvas, x, canvas.y(height), 3.5, canvas.palette.surface, canvas.palette.ink);
};
