// What all charts of a page share: the window, the chosen step, the view options; and the address, which keeps them.

import { ask } from "./points.js";
import { AXES, SCALES, SMOOTHING } from "./view_options.js";

const SETTLED = 60; // milliseconds without a further change before points are asked for
const RETRY = 2000; // milliseconds after a failure
const FOLLOW = 1000; // milliseconds between two questions about a run that grows
const OPTIONS = { axis: "step", smoothing: 0, scale: "auto" };
const CHOICES = { axis: AXES, smoothing: SMOOTHING, scale: SCALES };
const WINDOW = "steps";

const addressed = () => new URLSearchParams(window.location.search);

const windowIn = (parameters) => {
  const edges = (parameters.get(WINDOW) ?? "").split("~").map(Number);
  return edges.length === 2 && edges.every(Number.isFinite) && edges[0] < edges[1] ? edges : null;
};

// Streamlit writes the address anew from what it knew when the page was opened, so that a zoom outlives a change of section
// here. `window.rlvitalsZoom` is also that of the figures of widgets/plot.js.
const knownWindow = (parameters) => {
  const known = window.rlvitalsZoom;
  return known?.run === parameters.get("run") ? known.edges : windowIn(parameters);
};

class Page {
  charts = new Set();
  toolbars = new Set();
  step = null;
  palette = {};
  words = {};
  #generation = 0; // what was asked for before the window or an option changed is of no use
  #timer = null;
  #writing = null;
  #following = null;
  isAsking = false; // for those who wait until every answer has come

  constructor(name) {
    const parameters = addressed();
    this.name = name;
    this.legend = [];
    this.window = knownWindow(parameters);
    const chosen = (name) => (CHOICES[name].map(String).includes(parameters.get(name)) ? parameters.get(name) : OPTIONS[name]);
    this.options = { axis: chosen("axis"), smoothing: Number(chosen("smoothing")), scale: chosen("scale") };
  }

  // The news of a rerun.
  update({ palette, step, first, last, points, words, follows }) {
    const isOtherLanguage = JSON.stringify(words) !== JSON.stringify(this.words);
    const isOtherLook = palette.ink !== this.palette.ink;
    const isOtherStep = step !== this.step;
    Object.assign(this, { palette, step, steps: [first, last], address: points });
    if (isOtherLanguage) {
      this.words = words;
      this.charts.forEach((chart) => chart.nameButtons());
    }
    if (isOtherLook) this.charts.forEach((chart) => chart.rebuild());
    else if (isOtherStep) this.charts.forEach((chart) => chart.redraw());
    this.#write();
    clearTimeout(this.#following);
    if (follows) this.#follow();
  }

  // Charts of a run that grows ask for its points by themselves: the page is drawn anew less often.
  #follow() {
    this.#following = setTimeout(() => {
      if (!this.isShown) return;
      if (document.visibilityState === "visible") {
        this.charts.forEach((chart) => (chart.lacks ??= "news"));
        this.wantPoints(0);
      }
      this.#follow();
    }, FOLLOW);
  }

  // From where to where every chart goes.
  get shown() {
    if (this.window) return this.window;
    const [first, last] = this.options.axis === "step" ? [this.steps[0], this.#lastStep()] : this.#extent();
    return first < last ? [first, last] : [first - 1, last + 1];
  }

  #lastStep() {
    return [...this.charts].reduce((last, { main }) => Math.max(last, main.steps.at(-1) ?? last), this.steps[1]);
  }

  #extent() {
    const known = [...this.charts].flatMap((chart) => chart.lines.map(({ points }) => points.places));
    if (!known.length) return [0, 1];
    return [Math.min(...known.map((places) => places[0])), Math.max(...known.map((places) => places.at(-1)))];
  }

  zoom(edges) {
    this.window = edges;
    this.#askAnew(() => {});
  }

  choose(option, value) {
    this.options[option] = value;
    if (option === "axis") this.window = null;
    this.#askAnew((chart) => (option === "axis" ? chart.forget() : chart.rebuild()));
  }

  #askAnew(change) {
    this.#generation += 1;
    clearTimeout(this.#writing);
    this.#writing = setTimeout(() => this.#write(), SETTLED); // browsers allow few changes of the address a second
    this.#living().forEach((chart) => {
      chart.lacks = "all";
      change(chart);
      chart.redraw();
    });
    this.toolbars.forEach((toolbar) => toolbar.update());
    this.wantPoints();
  }

  get isShown() {
    return this.#living().length > 0;
  }

  #living() {
    this.charts.forEach((chart) => chart.place.isConnected || this.charts.delete(chart));
    return [...this.charts];
  }

  // Streamlit reads the address at its next rerun, so that nothing is drawn anew for this.
  #write() {
    const parameters = addressed();
    const set = (name, value, usual) => (value === usual ? parameters.delete(name) : parameters.set(name, value));
    const edges = this.window && this.window.map((edge) => Number(edge.toPrecision(12)));
    set(WINDOW, edges && edges.join("~"), null);
    for (const [name, usual] of Object.entries(OPTIONS)) set(name, this.options[name], usual);
    window.rlvitalsZoom = { run: parameters.get("run"), edges: this.options.axis === "step" ? edges : null };
    const query = parameters.toString();
    if (query === addressed().toString()) return; // browsers allow few changes a second
    window.history.replaceState(window.history.state, "", `${window.location.pathname}${query && `?${query}`}`);
  }

  wantPoints(delay = SETTLED) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), delay);
  }

  // One question for all charts in view that lack points.
  async #ask() {
    const charts = this.#living().filter((chart) => chart.isInView && chart.lacks);
    if (this.isAsking || !charts.length) return;
    const known = charts[0].revision;
    const revision = charts.every((chart) => chart.lacks === "news" && chart.revision === known) ? known : null;
    const generation = this.#generation;
    const asked = charts.map((chart) => chart.wanted());
    const [first, last] = this.window ?? [null, null];
    const columns = Math.max(...charts.map((chart) => chart.columns));
    const { axis, smoothing } = this.options;
    charts.forEach((chart) => (chart.lacks = null));
    this.isAsking = true;
    let [delay, hasChanged] = [0, true];
    try {
      const question = { curves: asked.flat(), first, last, columns, axis, smoothing, revision };
      const answer = await ask(this.address, question, this.words);
      hasChanged = answer !== null;
      if (hasChanged && generation === this.#generation) {
        charts.forEach((chart, index) => chart.take(answer.curves.splice(0, asked[index].length), answer.revision));
      }
    } catch (error) {
      delay = RETRY;
      charts.forEach((chart) => chart.fail(error.message));
    } finally {
      this.isAsking = false;
    }
    if (axis !== "step" && hasChanged) this.charts.forEach((chart) => chart.redraw()); // the extent is that of all curves
    if (this.#living().some((chart) => chart.isInView && chart.lacks)) this.wantPoints(delay);
  }
}

const pages = new Map(); // by name

// The page of a run. One that was left, and is come back to, begins with what its own address says.
export const pageOf = (name) => {
  if (!pages.get(name)?.isShown) pages.set(name, new Page(name));
  return pages.get(name);
};
