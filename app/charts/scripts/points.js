// Asks the server for the points of curves and reads its binary answer.

import { filled } from "./filled.js";

const LENGTH = 4; // bytes before the header

const unpacked = (buffer) => {
  const size = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, LENGTH, size)));
  let place = LENGTH + size;
  const take = (count) => {
    const numbers = new Float64Array(buffer, place, count);
    place += numbers.byteLength;
    return numbers;
  };
  const curves = header.curves.map((curve) => ({
    ...curve,
    places: take(curve.points),
    steps: take(curve.points),
    values: take(curve.points),
    smoothed: take(curve.smoothed ? curve.points : 0),
    low: take(curve.spread ? curve.points : 0),
    high: take(curve.spread ? curve.points : 0),
  }));
  return { curves, revision: header.revision };
};

// The answers in the order of the question's curves, with the revision of their runs; null where that is the question's
// own. Throws an Error with the server's sentence.
export const ask = async (address, question, words) => {
  const response = await fetch(address, { method: "POST", body: JSON.stringify(question) });
  if (response.status === 204) return null;
  if (!response.ok) throw new Error((await response.text()).trim() || filled(words.no_answer, { status: response.status }));
  return unpacked(await response.arrayBuffer());
};

const joined = (before, after) => {
  const both = new Float64Array(before.length + after.length);
  both.set(before);
  both.set(after, before.length);
  return both;
};

// What a chart has of a curve once an answer has come.
export const withAnswer = (before, answer) => {
  if (!answer.adds || !before) return answer;
  const arrays = ["places", "steps", "values", "smoothed"].map((name) => [name, joined(before[name], answer[name])]);
  return { ...answer, ...Object.fromEntries(arrays) };
};

// The index of the first number that is not below `value`; `numbers` never decreases.
export const firstFrom = (numbers, value) => {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
};

// The index of the number that lies nearest to `value`.
export const nearest = (numbers, value) => {
  const next = firstFrom(numbers, value);
  if (next === 0) return 0;
  return next === numbers.length || value - numbers[next - 1] <= numbers[next] - value ? next - 1 : next;
};
