// What is drawn around a chart's curve: findings, limits, non-finite values, other curves, the chosen step.

const SHADE = 0.11;
const LABEL = 14; // pixels from one label's line to the next
const GAP = 6; // between the plot and what stands beside it
const RUG = 7; // below the plot
const MARK = 3; // half the width of a mark

// Drawing in CSS pixels, with the plot's edges and the places of values.
const canvasOf = (chart) => {
  const { plot, page } = chart;
  const ratio = plot.pxRatio ?? window.devicePixelRatio;
  const { left, top, width, height } = plot.bbox;
  return {
    context: plot.ctx,
    palette: page.palette,
    left: left / ratio,
    top: top / ratio,
    right: (left + width) / ratio,
    bottom: (top + height) / ratio,
    whole: plot.width,
    x: (place) => left / ratio + plot.valToPos(place, "x"),
    y: (place) => top / ratio + plot.valToPos(place, "y"),
    ratio,
  };
};

const drawing = (chart, draw) => {
  const canvas = canvasOf(chart);
  const { context } = canvas;
  context.save();
  context.scale(canvas.ratio, canvas.ratio);
  context.font = chart.font;
  context.textBaseline = "middle";
  context.textAlign = "left";
  draw(canvas);
  context.restore();
};

const line = ({ context }, colour, width, points, dash = []) => {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.setLineDash(dash);
  context.beginPath();
  points.forEach(([x, y], index) => (index ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.stroke();
  context.setLineDash([]);
};

const dot = ({ context }, x, y, radius, fill, stroke) => {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = fill;
  context.fill();
  if (!stroke) return;
  context.strokeStyle = stroke;
  context.lineWidth = 1.5;
  context.stroke();
};

const inside = (canvas, draw) => {
  const { context, left, top, right, bottom } = canvas;
  context.save();
  context.beginPath();
  context.rect(left, top - 1, right - left, bottom - top + 2);
  context.clip();
  draw();
  context.restore();
};

// Behind everything: the steps of findings, each with its rule above the plot and the finding's name.
export const drawBehind = (chart) =>
  drawing(chart, (canvas) => {
    const { episodes } = chart.spec; // the gravest first: it is drawn last and named first
    const shown = episodes.map((episode) => ({ ...episode, edges: edgesOf(chart, canvas, episode) })).filter(({ edges }) => edges);
    shown.toReversed().forEach((episode) => shadeEpisode(canvas, episode));
    nameEpisodes(canvas, shown);
  });

// Over the lines of the axes, under the curve.
export const drawLimits = (chart) =>
  drawing(chart, (canvas) => {
    for (const { value } of chart.spec.limits) {
      const y = limitPlace(chart, canvas, value);
      if (y !== null) line(canvas, canvas.palette.muted, 1, [[canvas.left, y], [canvas.right, y]], [4, 3]);
    }
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

const limitPlace = (chart, canvas, value) => {
  const place = chart.scale.to(value);
  if (place === null) return null;
  const y = canvas.y(place);
  return y >= canvas.top - 0.5 && y <= canvas.bottom + 0.5 ? y : null;
};

// Over the curve: single points, other curves, non-finite values, the end, the chosen step, and words beside the plot.
export const drawOver = (chart) =>
  drawing(chart, (canvas) => {
    inside(canvas, () => {
      chart.others.forEach(({ trace, points }) => drawOther(chart, canvas, trace, points));
      drawSinglePoints(chart, canvas);
    });
    drawRug(chart, canvas);
    drawEnd(chart, canvas);
    drawStep(chart, canvas);
    drawWords(canvas, wordsBeside(chart, canvas));
  });

const visible = (chart, points, draw) => {
  const [first, last] = chart.page.shown;
  points.places.forEach((place, index) => {
    if (place >= first && place <= last) draw(place, index);
  });
};

const drawOther = (chart, canvas, trace, points) => {
  const { context, palette } = canvas;
  const colour = palette[trace.colour];
  if (trace.style === "line") {
    let part = [];
    const flush = () => part.length && line(canvas, colour, 1.25, part, trace.dash ?? []);
    points.values.forEach((value, index) => {
      if (Number.isFinite(value)) part.push([canvas.x(points.places[index]), canvas.y(chart.scale.to(value))]);
      else part = (flush(), []);
    });
    flush();
    return;
  }
  visible(chart, points, (place, index) => {
    const height = chart.placeOf(points.values[index]);
    if (height === null) return;
    const [x, y] = [canvas.x(place), canvas.y(height)];
    if (trace.style === "faint") {
      context.globalAlpha = 0.4;
      dot(canvas, x, y, 2, colour);
      context.globalAlpha = 1;
    } else {
      line(canvas, colour, 1.25, [[x - 4, y], [x, y - 4], [x + 4, y], [x, y + 4], [x - 4, y]]);
    }
  });
};

// A number between two that are none is on no line.
const drawSinglePoints = (chart, canvas) => {
  const { values } = chart.main;
  const isFew = values.length <= 40;
  visible(chart, chart.main, (place, index) => {
    const height = chart.placeOf(values[index]);
    const isAlone = !Number.isFinite(values[index - 1]) && !Number.isFinite(values[index + 1]);
    if (height !== null && (isFew || isAlone)) dot(canvas, canvas.x(place), canvas.y(height), 2, canvas.palette.line);
  });
};

const drawRug = (chart, canvas) => {
  const below = canvas.bottom + RUG;
  visible(chart, chart.main, (place, index) => {
    const value = chart.main.values[index];
    if (Number.isFinite(value)) return;
    const [x, colour] = [canvas.x(place), canvas.palette.critical_text];
    if (Number.isNaN(value)) {
      line(canvas, colour, 1.25, [[x - MARK, below - MARK], [x + MARK, below + MARK]]);
      line(canvas, colour, 1.25, [[x - MARK, below + MARK], [x + MARK, below - MARK]]);
    } else {
      const [tip, base] = value > 0 ? [canvas.top + 1, canvas.top + 1 + 2 * MARK] : [below + MARK, below - MARK];
      triangle(canvas, colour, x, tip, base);
    }
  });
};

const triangle = ({ context }, colour, x, tip, base) => {
  context.fillStyle = colour;
  context.beginPath();
  context.moveTo(x, tip);
  context.lineTo(x - MARK - 0.5, base);
  context.lineTo(x + MARK + 0.5, base);
  context.fill();
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

const drawEnd = (chart, canvas) => {
  const { places, values } = chart.main;
  const index = values.findLastIndex(Number.isFinite);
  const [first, last] = chart.page.shown;
  if (index < 0 || places[index] < first || places[index] > last || places.at(-1) > last) return;
  const height = chart.placeOf(values[index]);
  if (height !== null) dot(canvas, canvas.x(places[index]), canvas.y(height), 3, canvas.palette.line);
};

const wordsBeside = (chart, canvas) => {
  const inView = chart.spec.limits.map(({ value, words }) => ({ y: limitPlace(chart, canvas, value), value, words }));
  const words = inView.filter(({ y }) => y !== null);
  for (const { trace, points } of chart.others) {
    const height = trace.words && points.values.length ? chart.placeOf(points.values.at(-1)) : null;
    if (height !== null) words.push({ y: canvas.y(height), words: trace.words, short: trace.words });
  }
  const away = inView.filter(({ y, value }) => y === null && chart.spec.reached.includes(value));
  const top = chart.scale.from(chart.plot.scales.y.max);
  const above = away.filter(({ value }) => value > top)[0];
  const below = away.filter(({ value }) => value <= top).at(-1);
  if (above) words.push({ y: canvas.top, words: `${above.words} ↑`, short: "↑" });
  if (below) words.push({ y: canvas.bottom, words: `${below.words} ↓`, short: "↓" });
  return words;
};

// Each word at its height, moved as little as keeps them apart.
const drawWords = (canvas, words) => {
  const { context, right, whole, palette } = canvas;
  words.sort((one, other) => one.y - other.y);
  words.forEach((word, index) => {
    word.y = index ? Math.max(word.y, words[index - 1].y + LABEL) : word.y;
  });
  for (let index = words.length - 1; index >= 0; index -= 1) {
    const floor = index < words.length - 1 ? words[index + 1].y - LABEL : canvas.bottom;
    words[index].y = Math.min(words[index].y, floor);
  }
  context.fillStyle = palette.muted;
  for (const { words: text, y } of words) {
    const room = whole - right - GAP;
    const fits = context.measureText(text).width <= room;
    context.fillText(fits ? text : text.replace(/^\S+ /, ""), right + GAP, y);
  }
};
