// Which line is whose, above the charts.

import { colourOf } from "./canvas.js";

const SVG = "http://www.w3.org/2000/svg";
const [LENGTH, HEIGHT] = [24, 8]; // pixels

const sample = (stroke, dash) => {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("width", LENGTH);
  picture.setAttribute("height", HEIGHT);
  const line = document.createElementNS(SVG, "line");
  const given = { x1: 0, x2: LENGTH, y1: HEIGHT / 2, y2: HEIGHT / 2, stroke, "stroke-width": 1.75, "stroke-dasharray": dash.join(" ") };
  Object.entries(given).forEach(([name, value]) => line.setAttribute(name, value));
  picture.append(line);
  return picture;
};

export class Legend {
  constructor() {
    this.place = document.createElement("div");
    this.place.className = "rlvitals-legend";
  }

  update(entries, palette) {
    const said = JSON.stringify([entries, palette.ink]);
    if (said === this.said) return;
    this.said = said;
    this.place.replaceChildren(
      ...entries.map(({ words, name, colour, dash }) => {
        const entry = document.createElement("span");
        const letter = document.createElement("b");
        letter.textContent = words;
        letter.style.color = colourOf(palette, colour);
        entry.append(sample(colourOf(palette, colour), dash), letter, ` ${name}`);
        entry.title = name;
        return entry;
      }),
    );
  }
}
