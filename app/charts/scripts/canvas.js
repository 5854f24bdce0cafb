// Drawing in CSS pixels: where a chart's plot lies on its canvas, and the few shapes that its marks are made of.

const canvasOf = (chart) => {
  const { plot, page } = chart;
  const ratio = plot.pxRatio ?? window.devicePixelRatio;
  const [left, top, width, height] = ["left", "top", "width", "height"].map((edge) => plot.bbox[edge] / ratio);
  const { x, y } = plot.scales;
  return {
    context: plot.ctx,
    palette: page.palette,
    left,
    top,
    right: left + width,
    bottom: top + height,
    whole: plot.width,
    x: (place) => left + (width * (place - x.min)) / (x.max - x.min),
    y: (place) => top + height * (1 - (place - y.min) / (y.max - y.min)),
    ratio,
  };
};

export const drawing = (chart, draw) => {
  const canvas = canvasOf(chart);
  const { context } = canvas;
  context.save();
  context.scale(canvas.ratio, canvas.ratio);
  context.font = chart.font;
  context.textBaseline = "middle";
  context.textAlign = "left";
  context.lineJoin = "round";
  draw(canvas);
  context.restore();
};

// A colour of the palette by its name; "runs/3" is the fourth of those for runs.
export const colourOf = (palette, name) => {
  const [list, index] = name.split("/");
  return index === undefined ? palette[list] : palette[list][index];
};

export const line = ({ context }, colour, width, points, dash = []) => {
  context.strokeStyle = colour;
  context.lineWidth = width;
  context.setLineDash(dash);
  context.beginPath();
  points.forEach(([x, y], index) => (index ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.stroke();
  context.setLineDash([]);
};

export const dot = ({ context }, x, y, radius, fill, stroke) => {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = fill;
  context.fill();
  if (!stroke) return;
  context.strokeStyle = stroke;
  context.lineWidth = 1.5;
  context.stroke();
};

export const cross = (canvas, colour, x, y, size) => {
  line(canvas, colour, 1.25, [[x - size, y - size], [x + size, y + size]]);
  line(canvas, colour, 1.25, [[x - size, y + size], [x + size, y - size]]);
};

export const diamond = (canvas, colour, x, y, size) =>
  line(canvas, colour, 1.25, [[x - size, y], [x, y - size], [x + size, y], [x, y + size], [x - size, y]]);

export const triangle = ({ context }, colour, x, tip, base, half) => {
  context.fillStyle = colour;
  context.beginPath();
  context.moveTo(x, tip);
  context.lineTo(x - half, base);
  context.lineTo(x + half, base);
  context.fill();
};

export const faintly = ({ context }, opacity, draw) => {
  context.globalAlpha = opacity;
  draw();
  context.globalAlpha = 1;
};

export const inside = (canvas, draw) => {
  const { context, left, top, right, bottom } = canvas;
  context.save();
  context.beginPath();
  context.rect(left, top - 1, right - left, bottom - top + 2);
  context.clip();
  draw();
  context.restore();
};
