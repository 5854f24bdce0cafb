// One chart: a heading of text and a canvas that uPlot draws on.

import { filled } from "./filled.js";
import { clock, raw } from "./format.js";
import { listen } from "./gestures.js";
import { MARGINS, marginBeside, optionsOf } from "./options.js";
import { addSaving, nameSaving } from "./picture.js";
import { firstFrom, nearest, withAnswer } from "./points.js";
import { showReadings } from "./readings.js";
import { scaleOf } from "./scale.js";
import uPlot from "./uplot.js";

const PER_COLUMN = 4; // points of a column that draw the same line as all of them
const NOTHING = { places: [], steps: [], values: [], smoothed: [], low: [], high: [], mark: null };
const CURVES = new Set(["line", "thin", "band"]); // of what is compared; neither a reference nor single points

// Whose points a chart draws and how, whatever their number.
const identityOf = (spec) => JSON.stringify([spec.traces.map(({ points, ...trace }) => trace), spec.scale]);

const element = (tag, name, parent) => {
  const made = document.createElement(tag);
  made.className = `rlvitals-${name}`;
  parent?.append(made);
  return made;
};

export class Chart {
  points = []; // what is known of each trace, in their order
  lacks = "all"; // else "new": what its run has gained; "news": the same, if its run has changed at all
  revision = null; // of its runs, as the last answer told
  isInView = false;
  plot = null;
  #isReading = false;

  constructor(page, spec, onStep) {
    this.page = page;
    this.onStep = onStep;
    this.place = element("figure", "chart");
    this.place.dataset.metric = spec.name;
    this.place.chart = this;
    const head = element("figcaption", "chart-head", this.place);
    const [upper, lower] = [element("div", "chart-line", head), element("div", "chart-line", head)];
    const word = (name, line) => element("span", `chart-${name}`, line);
    this.words = { title: word("title", upper), last: word("last", upper), unit: word("unit", lower), read: word("read", lower) };
    this.#addEnlarge(head);
    addSaving(this, head);
    this.nameButtons();
    this.canvas = element("div", "chart-plot", this.place);
    this.canvas.setAttribute("role", "img");
    this.readings = spec.is_overlay ? element("div", "chart-readings", element("div", "chart-below", this.place)) : null;
    new ResizeObserver(() => this.#resize()).observe(this.canvas);
    new IntersectionObserver(([{ isIntersecting }]) => this.#see(isIntersecting), { rootMargin: "200px" }).observe(this.place);
    this.update(spec);
    page.charts.add(this);
  }

  get main() {
    return this.points[0] ?? NOTHING;
  }

  // Each trace with its points, as far as they are known.
  get known() {
    const all = this.spec.traces.map((trace, index) => ({ trace, points: this.points[index] }));
    return all.filter(({ points }) => points?.places.length);
  }

  // The curves of the run, or of the runs side by side.
  get lines() {
    return this.known.filter(({ trace }) => CURVES.has(trace.style));
  }

  get columns() {
    const width = this.canvas.clientWidth - MARGINS.left - marginBeside(this.spec);
    return Math.max(Math.round(width * window.devicePixelRatio), 1);
  }

  // The news of a rerun: only what has changed is drawn again.
  update(spec) {
    const before = this.spec;
    if (before && JSON.stringify(before) === JSON.stringify(spec)) return;
    this.spec = spec;
    this.place.dataset.metric = spec.name;
    this.words.title.textContent = this.words.title.title = spec.title;
    this.#tellLast(spec.last, spec.is_finite);
    this.#tellUnit();
    this.words.unit.title = spec.note || spec.unit;
    this.canvas.setAttribute("aria-label", spec.words);
    if (!this.#isReading) this.read(null);
    const isOther = before && identityOf(before) !== identityOf(spec);
    if (!before || isOther) this.lacks = "all";
    else if (JSON.stringify(before.traces) !== JSON.stringify(spec.traces)) this.lacks ??= "new";
    if (isOther) this.points.length = Math.min(this.points.length, 1);
    if (this.plot && (isOther || marginBeside(before) !== marginBeside(spec))) this.rebuild();
    else this.redraw();
  }

  forget() {
    this.points = [];
    this.rebuild();
  }

  // What to ask the server for: everything in the window, or what has come since.
  wanted() {
    const isLong = this.main.places.length > 3 * PER_COLUMN * this.columns;
    const isGrowth = this.lacks !== "all" && !isLong && this.main.places.length > 0;
    return this.spec.traces.map(({ run, series, replaced, others }, index) => {
      const since = isGrowth ? (this.points[index]?.mark ?? null) : null;
      return { run, series, replaced, others, since };
    });
  }

  take(answers, revision) {
    this.revision = revision;
    const hasNews = answers.some((answer, index) => !answer.adds || answer.places.length || !this.points[index]);
    const { last, is_finite: isFinite } = answers[0];
    if (last !== null && !this.spec.is_overlay) this.#tellLast(last, isFinite);
    this.points = answers.map((answer, index) => withAnswer(this.points[index], answer));
    if (!hasNews) return;
    this.place.dataset.points = this.main.places.length;
    this.#tellUnit(); // also where a failure was told
    this.place.classList.remove("rlvitals-failed");
    this.redraw();
  }

  #tellLast(words, isFinite) {
    this.words.last.textContent = words;
    this.words.last.classList.toggle("rlvitals-not-finite", !isFinite);
  }

  fail(sentence) {
    this.lacks = "all";
    this.words.unit.textContent = sentence;
    this.place.classList.add("rlvitals-failed");
  }

  rebuild() {
    this.#tellUnit();
    this.plot?.destroy();
    this.plot = null;
    if (!this.main.places.length || !this.canvas.clientWidth) return;
    this.font = `12px ${getComputedStyle(this.canvas).fontFamily}`;
    this.scale = this.#scale();
    this.plot = new uPlot(optionsOf(this), this.#data(), this.canvas);
    listen(this);
  }

  redraw() {
    if (this.plot?.series.length !== (this.isSmooth ? 3 : 2)) {
      this.rebuild();
      return;
    }
    const [min, max] = this.page.shown;
    this.scale = this.#scale();
    this.plot.batch(() => {
      this.plot.setData(this.#data(), false);
      this.plot.setScale("x", { min, max });
    });
    if (this.readings && !this.#isReading) this.#readAll();
  }

  // Where a value lies on the vertical axis; null if it lies nowhere.
  placeOf(value) {
    return Number.isFinite(value) ? this.scale.to(value) : null;
  }

  // Where a step lies on the horizontal axis; null if there is no such step.
  placeOfStep(step) {
    if (step === null || step === undefined) return null;
    if (this.page.options.axis === "step") return step;
    const index = firstFrom(this.main.steps, step);
    return index < this.main.steps.length ? this.main.places[index] : null;
  }

  // The step that was logged nearest to a place, by any of the curves; null if there is none.
  stepAt(place) {
    const found = this.lines.map(({ points: { places, steps } }) => {
      const index = nearest(places, place);
      return { step: steps[index], apart: Math.abs(places[index] - place) };
    });
    return found.sort((one, other) => one.apart - other.apart)[0]?.step ?? null;
  }

  edgesOf({ first, last }) {
    if (this.page.options.axis === "step") return [first - 0.5, last + 0.5];
    return [this.placeOfStep(first) ?? Infinity, this.placeOfStep(last) ?? this.main.places.at(-1)];
  }

  get isSmooth() {
    return this.page.options.smoothing > 1 && this.main.smoothed.length > 0;
  }

  // A logarithm has no place for the others, which are marked at the foot.
  #tellUnit() {
    const isLost = this.kind === "log" && this.lines.some(({ points }) => points.values.some((value) => value <= 0));
    const words = [isLost ? this.page.words.log_foot : "", this.spec.unit];
    this.words.unit.textContent = words.filter(Boolean).join(" · ");
  }

  get kind() {
    return this.page.options.scale === "auto" ? this.spec.scale : this.page.options.scale;
  }

  #scale() {
    const most = (values) => values.reduce((found, value) => (Number.isFinite(value) ? Math.max(found, Math.abs(value)) : found), 0);
    return scaleOf(this.kind, Math.max(0, ...this.lines.map(({ points }) => most(points.values))));
  }

  #data() {
    const { places, values, smoothed } = this.main;
    const shown = (numbers) => Array.from(numbers, (value) => this.placeOf(value));
    return this.isSmooth ? [places, shown(values), shown(smoothed)] : [places, shown(values)];
  }

  // The value under the cursor, or else at the chosen step, beneath the last one.
  read(index) {
    this.#isReading = index !== null && index !== undefined;
    if (this.readings) {
      this.#readAll();
      return;
    }
    const { steps, places, values } = this.main;
    if (!this.#isReading || index >= values.length) {
      this.words.read.textContent = this.spec.read;
      return;
    }
    const { words, options } = this.page;
    const read = { step: steps[index], value: raw(values[index]) };
    const isTimed = options.axis === "wall";
    this.words.read.textContent = isTimed ? filled(words.read_with_time, { ...read, time: clock(places[index]) }) : filled(words.read, read);
  }

  #readAll() {
    const place = this.#isReading ? this.plot.posToVal(this.plot.cursor.left, "x") : null;
    const step = place === null ? this.page.step : this.stepAt(place);
    this.words.read.textContent = step === null || step === undefined ? "" : filled(this.page.words.at, { step });
    showReadings(this, this.readings, place ?? this.placeOfStep(step));
  }

  #addEnlarge(head) {
    const button = (this.enlarge = element("button", "chart-enlarge", head));
    button.type = "button";
    button.textContent = "⤢";
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      const isLarge = this.place.classList.toggle("rlvitals-large");
      button.setAttribute("aria-pressed", String(isLarge));
      this.nameButtons();
      this.place.scrollIntoView({ block: "nearest" }); // the others have moved, and so has this one
    });
  }

  // Once they are made, when one means something else, and when the page speaks another language.
  nameButtons() {
    const { make_small: back, enlarge } = this.page.words;
    this.enlarge.ariaLabel = this.enlarge.title = this.place.classList.contains("rlvitals-large") ? back : enlarge;
    nameSaving(this);
  }

  #see(isInView) {
    this.isInView = isInView;
    if (isInView && this.lacks) this.page.wantPoints(0);
  }

  #resize() {
    const { clientWidth, clientHeight } = this.canvas;
    if (!clientWidth) return;
    if (!this.plot) this.rebuild();
    if (!this.plot || (this.plot.width === clientWidth && this.plot.height === clientHeight)) return;
    this.plot.setSize({ width: clientWidth, height: clientHeight });
    this.lacks = "all"; // as many points as there are columns now
    this.page.wantPoints();
  }
}
