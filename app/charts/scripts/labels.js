// The labels beside a plot: of its limits and its curves, each at its height and none on another.

import { colourOf } from "./canvas.js";
import { endOf } from "./traces.js";

const LABEL = 14; // pixels from one line of words to the next
const GAP = 6; // between the plot and what stands beside it
const BETWEEN = 5; // words of one line

export const limitPlace = (chart, canvas, value) => {
  const place = chart.scale.to(value);
  if (place === null) return null;
  const y = canvas.y(place);
  return y >= canvas.top - 0.5 && y <= canvas.bottom + 0.5 ? y : null;
};

export const drawLabels = (chart, canvas) => {
  const limits = ofLimits(chart, canvas).map((words) => [words]);
  const names = ofCurves(chart, canvas);
  const lines = [...limits, ...inLines(names, capacityOf(canvas) - limits.length)].map((parts) => ({ parts, y: parts[0].y }));
  spread(lines, canvas);
  lines.forEach((line) => write(canvas, line));
};

const capacityOf = ({ top, bottom }) => Math.max(Math.floor((bottom - top) / LABEL) + 1, 1);

const ofLimits = (chart, canvas) => {
  const colour = canvas.palette.muted;
  const all = chart.spec.limits.map(({ value, words }) => ({ y: limitPlace(chart, canvas, value), value, words, colour }));
  const inView = all.filter(({ y }) => y !== null).map((limit) => ({ ...limit, short: limit.words.split(" ").at(-1) }));
  const away = all.filter(({ y, value }) => y === null && chart.spec.reached.includes(value));
  const top = chart.scale.from(chart.plot.scales.y.max);
  const above = away.filter(({ value }) => value > top)[0];
  const below = away.filter(({ value }) => value <= top).at(-1);
  const arrow = (limit, y, sign) => limit && { y, colour, words: `${limit.words} ${sign}`, short: sign };
  return [...inView, arrow(above, canvas.top, "↑"), arrow(below, canvas.bottom, "↓")].filter(Boolean);
};

const ofCurves = (chart, canvas) => {
  const named = chart.known.filter(({ trace }) => trace.words);
  const ends = named.map(({ trace, points }) => ({ trace, end: endOf(chart, canvas, points) })).filter(({ end }) => end);
  return ends.map(({ trace, end }) => ({ y: end.y, words: trace.words, colour: colourOf(canvas.palette, trace.colour) }));
};

// One beneath the other; where there is no room for all, several neighbours in a line.
const inLines = (words, room) => {
  const sorted = words.toSorted((one, other) => one.y - other.y);
  const each = Math.max(Math.ceil(sorted.length / Math.max(room, 1)), 1);
  return Array.from({ length: Math.ceil(sorted.length / each) }, (_, index) => sorted.slice(index * each, (index + 1) * each));
};

// Each line moved as little as keeps it off the others.
const spread = (lines, { bottom }) => {
  lines.sort((one, other) => one.y - other.y);
  lines.forEach((line, index) => (line.y = index ? Math.max(line.y, lines[index - 1].y + LABEL) : line.y));
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const floor = index < lines.length - 1 ? lines[index + 1].y - LABEL : bottom;
    lines[index].y = Math.min(lines[index].y, floor);
  }
};

const write = ({ context, right, whole }, { parts, y }) => {
  let x = right + GAP;
  for (const { words, short, colour } of parts) {
    const text = fitting(context, words, short, whole - x);
    context.fillStyle = colour;
    context.fillText(text, x, y);
    x += context.measureText(text).width + BETWEEN;
  }
};

// The words, else their short form, else as much of them as there is room for.
const fitting = (context, words, short, room) => {
  const fits = (text) => context.measureText(text).width <= room;
  if (fits(words) || short) return fits(words) ? words : short;
  let length = words.length - 1;
  while (length > 1 && !fits(`${words.slice(0, length)}…`)) length -= 1;
  return `${words.slice(0, length)}…`;
};
