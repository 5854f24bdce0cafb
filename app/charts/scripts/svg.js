// A drawing context that writes SVG: what a chart calls of a canvas, as elements.

const SPACE = "http://www.w3.org/2000/svg";
const DIGITS = 2; // after the point, of a coordinate
const NO_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g; // characters that no XML may hold

const round = (number) => Number(number.toFixed(DIGITS));

export class SvgContext {
  fillStyle = "#000";
  strokeStyle = "#000";
  lineWidth = 1;
  globalAlpha = 1;
  font = "12px sans-serif";
  textAlign = "left";
  textBaseline = "middle";
  #dash = [];
  #path = "";
  #saved = [];
  #clips = 0;
  #ruler = document.createElement("canvas").getContext("2d");

  constructor(width, height) {
    this.root = this.place = document.createElementNS(SPACE, "svg");
    this.#put(this.root, { width, height, viewBox: `0 0 ${width} ${height}` });
  }

  text() {
    return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(this.root)}\n`;
  }

  save() {
    const { fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, textBaseline, place } = this;
    const look = { fillStyle, strokeStyle, lineWidth, globalAlpha, font, textAlign, textBaseline, place };
    this.#saved.push([look, this.#dash]);
  }

  restore() {
    const [look, dash] = this.#saved.pop();
    Object.assign(this, look);
    this.#dash = dash;
  }

  translate(x, y) {
    this.#group({ transform: `translate(${round(x)} ${round(y)})` });
  }

  scale(x, y) {
    if (x !== 1 || y !== 1) this.#group({ transform: `scale(${x} ${y})` });
  }

  clip() {
    const id = `clip${(this.#clips += 1)}`;
    const clip = this.#add("clipPath", { id });
    const place = this.place;
    this.place = clip;
    this.#add("path", { d: this.#path });
    this.place = place;
    this.#group({ "clip-path": `url(#${id})` });
  }

  setLineDash(dash) {
    this.#dash = dash;
  }

  beginPath() {
    this.#path = "";
  }

  moveTo(x, y) {
    this.#path += `M${round(x)} ${round(y)}`;
  }

  lineTo(x, y) {
    this.#path += `${this.#path ? "L" : "M"}${round(x)} ${round(y)}`;
  }

  closePath() {
    this.#path += "Z";
  }

  rect(x, y, width, height) {
    this.#path += `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}Z`;
  }

  // Whole circles are all that charts draw.
  arc(x, y, radius) {
    const size = round(radius);
    this.#path += `M${round(x - radius)} ${round(y)}a${size} ${size} 0 1 0 ${2 * size} 0a${size} ${size} 0 1 0 ${-2 * size} 0Z`;
  }

  fill() {
    this.#add("path", { d: this.#path, fill: this.fillStyle, ...this.#opacity });
  }

  stroke() {
    const dash = this.#dash.length ? { "stroke-dasharray": this.#dash.join(" ") } : {};
    const look = { stroke: this.strokeStyle, "stroke-width": this.lineWidth, "stroke-linejoin": "round" };
    this.#add("path", { d: this.#path, fill: "none", ...look, ...dash, ...this.#opacity });
  }

  fillRect(x, y, width, height) {
    const [left, top, wide, high] = [x, y, width, height].map(round);
    this.#add("rect", { x: left, y: top, width: wide, height: high, fill: this.fillStyle, ...this.#opacity });
  }

  fillText(text, x, y) {
    const [, weight, size, family] = /^(?:(\d+|bold) )?([\d.]+px) (.*)$/.exec(this.font) ?? [null, "", "12px", "sans-serif"];
    const anchor = { left: "start", center: "middle", right: "end" }[this.textAlign];
    const shift = { middle: "0.35em", top: "0.8em" }[this.textBaseline] ?? "0";
    const look = { "font-family": family, "font-size": size, "font-weight": weight || "400", "text-anchor": anchor };
    const made = this.#add("text", { x: round(x), y: round(y), dy: shift, fill: this.fillStyle, ...look, ...this.#opacity });
    made.textContent = String(text).replace(NO_XML, "\ufffd");
  }

  measureText(text) {
    this.#ruler.font = this.font;
    return this.#ruler.measureText(text);
  }

  get #opacity() {
    return this.globalAlpha === 1 ? {} : { opacity: this.globalAlpha };
  }

  #group(attributes) {
    this.place = this.#add("g", attributes);
  }

  #add(name, attributes) {
    const made = this.#put(document.createElementNS(SPACE, name), attributes);
    this.place.append(made);
    return made;
  }

  #put(made, attributes) {
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  }
}
