// The vertical scale of a chart: where a value lies, and which values are worth a line.

const NEAR = 1; // a limit this many data ranges away is worth the room
const ROOM = 0.06; // free above and below the curve, of its range
const [FEWEST_LINES, MOST_LINES] = [2, 3];
const SMALLEST_SPAN = 1e-12; // of the largest value: what is closer together differs by rounding alone
const SMALLEST_SHARE = 1e-3; // of the largest value: where a symmetric log scale turns linear

const DIGITS = [5, 2, 1];

const multiples = (step, low, high) => {
  const found = [];
  for (let index = Math.ceil(low / step - 1e-9); index * step <= high + step * 1e-9; index += 1) {
    found.push(Number((index * step).toPrecision(12)));
  }
  return found;
};

// Round numbers from `low` to `high`: three or four if such there are, else two or more.
const roundNumbers = (low, high) => {
  const power = Math.floor(Math.log10(high - low));
  const steps = [power, power - 1].flatMap((exponent) => DIGITS.map((digit) => digit * 10 ** exponent));
  const lines = steps.map((step) => multiples(step, low, high));
  const isGood = ({ length }) => length === MOST_LINES || length === MOST_LINES + 1;
  return lines.find(isGood) ?? lines.find(({ length }) => length >= FEWEST_LINES) ?? [];
};

const powers = (low, high) => {
  const [first, last] = [Math.ceil(Math.log10(low)), Math.floor(Math.log10(high))];
  const apart = Math.max(1, Math.ceil((last - first) / MOST_LINES));
  const found = [];
  for (let power = first; power <= last; power += apart) found.push(10 ** power);
  return found.length > 1 ? found : roundNumbers(low, high).filter((value) => value > 0);
};

const linear = () => ({ to: (value) => value, from: (place) => place, lines: roundNumbers });

const log = () => ({
  to: (value) => (value > 0 ? Math.log10(value) : null),
  from: (place) => 10 ** place,
  lines: powers,
});

const symlog = (largest) => {
  const bend = largest * SMALLEST_SHARE || 1;
  const to = (value) => Math.asinh(value / bend);
  const from = (place) => bend * Math.sinh(place);
  const side = (edge) => (edge > bend ? powers(bend, edge).slice(-2) : []);
  const lines = (low, high) => [...side(-low).map((value) => -value).reverse(), ...(low <= 0 && high >= 0 ? [0] : []), ...side(high)];
  return { to, from, lines };
};

// `largest`: the greatest magnitude in view.
export const scaleOf = (kind, largest) => ({ linear, log, symlog })[kind](largest);

// How far apart two places are; where that is rounding alone, as if they were one: their size.
const spanOf = (low, high) => {
  const largest = Math.max(Math.abs(low), Math.abs(high));
  return high - low > SMALLEST_SPAN * largest ? high - low : largest || 1;
};

// From where to where the axis goes, in places: every number in view and the limits near it.
export const rangeOf = (scale, low, high, limits) => {
  if (low === null) return [0, 1];
  const span = spanOf(low, high);
  const places = limits.map(scale.to).filter((place) => place !== null);
  const near = places.filter((place) => place >= low - NEAR * span && place <= high + NEAR * span);
  const [bottom, top] = [Math.min(low, ...near), Math.max(high, ...near)];
  const room = ROOM * spanOf(bottom, top);
  return [bottom - room, top + room];
};
