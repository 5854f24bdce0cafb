// What uPlot is told of a chart: its axes, its curve, its cursor, and when to draw what is ours.

import { duration, number } from "./format.js";
import { mouseDown, selected } from "./gestures.js";
import { drawBehind, drawOver, drawUnder } from "./marks.js";
import { firstFrom } from "./points.js";
import { rangeOf } from "./scale.js";

// Pixels: above for a finding's name, at the left and below for the axes'.
export const MARGINS = { top: 22, bottom: 28, left: 44 };
const BESIDE = { words: 80, letters: 34, nothing: 12 }; // at the right, for words

const SHARED = new Set(["mousemove", "mouseleave"]); // what the cursor over one chart tells the others
const WHOLE = Array.from({ length: 16 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();
const HOLLOW = 8; // pixels across: the point under the cursor
const LEAST_DRAG = 4; // pixels: less is a click

export const marginBeside = ({ traces, limits, is_overlay: isOverlay }) => {
  const hasWords = limits.length || traces.some(({ style }) => style === "ghost");
  return hasWords ? BESIDE.words : isOverlay ? BESIDE.letters : BESIDE.nothing;
};

export const optionsOf = (chart) => {
  const { palette, options, shown } = chart.page;
  return {
    width: chart.canvas.clientWidth,
    height: chart.canvas.clientHeight,
    padding: [MARGINS.top, marginBeside(chart.spec), 0, 0],
    legend: { show: false },
    scales: {
      x: { time: options.axis === "wall", min: shown[0], max: shown[1], auto: false },
      y: { range: () => verticalRange(chart) },
    },
    axes: axesOf(chart),
    series: seriesOf(chart),
    cursor: {
      y: false,
      sync: { key: chart.page.name, scales: ["x", null], setSeries: false, filters: { pub: (kind) => SHARED.has(kind) } },
      drag: { x: true, y: false, setScale: false, dist: LEAST_DRAG },
      points: chart.isSmooth || chart.spec.is_overlay ? { show: false } : { size: HOLLOW, fill: palette.surface, stroke: palette.ink, width: 1.5 },
      bind: { mousedown: (_, __, handle) => mouseDown(chart, handle) },
    },
    hooks: {
      drawClear: [() => chart.plot && drawBehind(chart)],
      drawAxes: [() => chart.plot && drawUnder(chart)],
      draw: [() => chart.plot && drawOver(chart)],
      ready: [(plot) => begin(chart, plot)],
      setSelect: [(plot) => selected(chart, plot)],
      setCursor: [({ cursor }) => chart.read(cursor.left >= 0 ? cursor.idx : null)],
    },
  };
};

// The first drawing comes before the chart knows its plot.
const begin = (chart, plot) => {
  chart.plot = plot;
  plot.redraw(false, true);
};

// Of several runs none is drawn by uPlot: it would lie beneath or above all others.
const seriesOf = ({ page, spec, isSmooth }) => {
  const hidden = spec.is_overlay ? { paths: () => null } : {};
  const curve = { stroke: page.palette.line, width: 1.75, points: { show: false }, spanGaps: false, ...hidden };
  return isSmooth ? [{}, { ...curve, alpha: 0.3, width: 1.25 }, curve] : [{}, curve];
};

const axesOf = (chart) => {
  const { palette } = chart.page;
  const axis = { stroke: palette.muted, font: chart.font, ticks: { show: false } };
  return [
    { ...axis, ...ticksOf(chart.page.options.axis), size: MARGINS.bottom, gap: 12, space: 40, grid: { show: false } },
    { ...axis, ...linesOf(chart), size: MARGINS.left, gap: 6, grid: { stroke: palette.grid, width: 1 } },
  ];
};

const ticksOf = (axis) => {
  if (axis === "wall") return {};
  if (axis === "relative") return { values: (_, places) => places.map(duration) };
  return { incrs: WHOLE, values: (_, places) => places.map((place) => number(place, 6)) };
};

const linesOf = (chart) => ({
  splits: (_, __, low, high) => {
    const { scale } = chart;
    return scale.lines(scale.from(low), scale.from(high)).map(scale.to);
  },
  values: (_, places) => places.map((place) => number(chart.scale.from(place), 4)),
  filter: (_, places) => places,
});

// Every number of every curve in view, and the limits near them.
const verticalRange = (chart) => {
  const [first, last] = chart.page.shown;
  let [low, high] = [Infinity, -Infinity];
  for (const { places, values } of chart.points) {
    for (let index = firstFrom(places, first); index < places.length && places[index] <= last; index += 1) {
      const place = chart.placeOf(values[index]);
      if (place !== null) [low, high] = [Math.min(low, place), Math.max(high, place)];
    }
  }
  const limits = chart.spec.limits.map(({ value }) => value);
  return rangeOf(chart.scale, low <= high ? low : null, high, limits);
};
