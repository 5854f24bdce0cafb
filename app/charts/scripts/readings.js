// The values of several curves at the cursor, in a line below their chart that unfolds where the cursor is.

import { colourOf } from "./canvas.js";
import { filled } from "./filled.js";
import { number, raw } from "./format.js";
import { nearest } from "./points.js";

// At a place on the horizontal axis; nothing for null.
export const showReadings = (chart, element, place) => {
  const read = place === null ? [] : chart.lines.filter(({ trace }) => trace.words).map((known) => reading(chart.page.words, known, place));
  const { palette } = chart.page;
  element.replaceChildren(
    ...read.filter(Boolean).map(({ trace, words }) => {
      const part = document.createElement("span");
      const letter = document.createElement("b");
      letter.textContent = trace.words;
      letter.style.color = colourOf(palette, trace.colour);
      part.append(letter, ` ${words}`);
      return part;
    }),
  );
};

const reading = (words, { trace, points }, place) => {
  const { places, values, low, high } = points;
  if (place < places[0] || place > places.at(-1)) return null;
  const index = nearest(places, place);
  const value = raw(values[index]);
  if (!low.length) return { trace, words: value };
  return { trace, words: filled(words.range, { value, low: number(low[index]), high: number(high[index]) }) };
};
