// A chart as a file: the same drawing for PNG, on a canvas, and for SVG, as it stands on the page.

import { filled } from "./filled.js";
import { drawBehind, drawOver, drawUnder } from "./marks.js";
import { SvgContext } from "./svg.js";

const HEAD = 44; // pixels above the plot: the title, and a line on what is drawn
const SIDE = 8; // pixels
const SHARP = 2; // pixels of a PNG for each of the page
const TICK_GAP = 6;
const NOT_IN_NAMES = /[^A-Za-z0-9._-]+/g;

// Two buttons over the chart's upper right corner, which `nameSaving` names.
export const addSaving = (chart, parent) => {
  const place = document.createElement("div");
  place.className = "rlvitals-chart-save";
  for (const [form, save] of [["PNG", savePng], ["SVG", saveSvg]]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = form;
    button.dataset.form = form;
    button.addEventListener("click", () => chart.plot && save(chart));
    place.append(button);
  }
  parent.append(place);
};

export const nameSaving = ({ page, place }) => {
  for (const button of place.querySelectorAll(".rlvitals-chart-save button")) {
    button.ariaLabel = button.title = filled(page.words.save, button.dataset);
  }
};

const saveSvg = (chart) => {
  const { width, height } = sizeOf(chart);
  const context = new SvgContext(width, height);
  drawPicture(chart, context);
  download(new Blob([context.text()], { type: "image/svg+xml" }), nameOf(chart, "svg"));
};

const savePng = (chart) => {
  const { width, height } = sizeOf(chart);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width * SHARP, height * SHARP];
  const context = canvas.getContext("2d");
  context.scale(SHARP, SHARP);
  drawPicture(chart, context);
  canvas.toBlob((content) => download(content, nameOf(chart, "png")), "image/png");
};

const sizeOf = ({ plot }) => ({ width: plot.width + 2 * SIDE, height: plot.height + HEAD + SIDE });

const nameOf = (chart, end) => {
  const run = chart.page.name.split("/").slice(-2).join("-");
  return `${`${run}-${chart.spec.name}`.replace(NOT_IN_NAMES, "-").replace(/^[-.]+/, "").slice(-120)}.${end}`;
};

const download = (content, name) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};

const drawPicture = (chart, context) => {
  const { width, height } = sizeOf(chart);
  context.fillStyle = chart.page.palette.ground;
  context.fillRect(0, 0, width, height);
  drawHead(chart, context, width);
  context.save();
  context.translate(SIDE, HEAD);
  const drawn = onto(chart, context);
  drawBehind(drawn);
  drawAxes(drawn, context);
  drawUnder(drawn);
  if (!chart.spec.is_overlay) drawCurves(drawn, context); // of several runs the marks hold every curve
  drawOver(drawn);
  context.restore();
};

// The chart as the marks see it, with another context, in pixels of the page.
const onto = (chart, context) => {
  const { plot } = chart;
  const ratio = plot.pxRatio ?? window.devicePixelRatio;
  const bbox = Object.fromEntries(Object.entries(plot.bbox).map(([side, value]) => [side, value / ratio]));
  const other = Object.create(plot, { ctx: { value: context }, bbox: { value: bbox }, pxRatio: { value: 1 } });
  return Object.create(chart, { plot: { value: other } });
};

const drawHead = ({ spec, page, font, words }, context, width) => {
  const { axis, smoothing, scale } = page.options;
  const said = page.words;
  const family = font.replace(/^\S+ /, "");
  const options = [
    words.unit.textContent,
    filled(said.drawn_over, { axis: said.axes[axis] }),
    smoothing > 1 ? filled(said.drawn_smoothed, { points: said.smoothings[smoothing] }) : "",
    scale === "auto" ? "" : filled(said.drawn_on, { scale: said.scales[scale] }),
    ...(spec.is_overlay ? page.legend.map(({ words: letter, name }) => `${letter} ${name}`) : []),
  ];
  context.textBaseline = "middle";
  const write = (text, x, y, look, colour, align = "left") => {
    [context.font, context.fillStyle, context.textAlign] = [`${look} ${family}`, colour, align];
    context.fillText(text, x, y);
  };
  write(spec.title, SIDE, 14, "600 14px", page.palette.ink);
  write(spec.last, width - SIDE, 14, "600 14px", spec.is_finite ? page.palette.ink : page.palette.critical_text, "right");
  write(options.filter(Boolean).join(" · "), SIDE, 32, "12px", page.palette.muted);
};

const drawAxes = ({ plot, page, font, scale }, context) => {
  const { left, top, width, height } = plot.bbox;
  const [right, bottom] = [left + width, top + height];
  const [across, upright] = plot.axes;
  const { min, max } = plot.scales.y;
  Object.assign(context, { font, lineWidth: 1, strokeStyle: page.palette.grid, textBaseline: "middle", textAlign: "right" });
  for (const [index, place] of (upright._splits ?? []).entries()) {
    if (place < min || place > max) continue;
    const y = Math.round(top + plot.valToPos(place, "y")) + 0.5;
    stroke(context, [[left, y], [right, y]]);
    context.fillStyle = page.palette.muted;
    context.fillText(upright._values[index] ?? String(scale.from(place)), left - TICK_GAP, y);
  }
  Object.assign(context, { textBaseline: "top", textAlign: "center" });
  for (const [index, place] of (across._splits ?? []).entries()) {
    const words = across._values[index];
    if (words) String(words).split("\n").forEach((text, line) => context.fillText(text, left + plot.valToPos(place, "x"), bottom + 12 + 14 * line));
  }
};

const drawCurves = (chart, context) => {
  const { left, top, width, height } = chart.plot.bbox;
  context.save();
  context.beginPath();
  context.rect(left, top - 1, width, height + 2);
  context.clip();
  const { values, smoothed } = chart.main;
  context.strokeStyle = chart.page.palette.line;
  context.globalAlpha = chart.isSmooth ? 0.3 : 1;
  context.lineWidth = chart.isSmooth ? 1.25 : 1.75;
  drawCurve(chart, context, values);
  context.globalAlpha = 1;
  context.lineWidth = 1.75;
  if (chart.isSmooth) drawCurve(chart, context, smoothed);
  context.restore();
};

// A value that is no number ends the line; the next one begins another.
const drawCurve = (chart, context, values) => {
  const { left, top } = chart.plot.bbox;
  let part = [];
  const flush = () => part.length > 1 && stroke(context, part);
  values.forEach((value, index) => {
    const height = chart.placeOf(value);
    if (height === null) part = (flush(), []);
    else part.push([left + chart.plot.valToPos(chart.main.places[index], "x"), top + chart.plot.valToPos(height, "y")]);
  });
  flush();
};

const stroke = (context, points) => {
  context.beginPath();
  points.forEach(([x, y], index) => (index ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.stroke();
};
