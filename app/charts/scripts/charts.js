// A grid of charts in a place of the page: made once, then only told what has changed.

import { Chart } from "./chart.js";
import { Legend } from "./legend.js";
import { pageOf } from "./page.js";
import { ReferenceChooser } from "./reference.js";
import { Toolbar } from "./toolbar.js";

const grids = new WeakMap(); // by the element that Streamlit gives each component

class Grid {
  charts = new Map(); // by the name of what each one draws

  constructor(parent, page) {
    this.page = page;
    this.place = document.createElement("div");
    this.place.className = "rlvitals-grid";
    parent.append(this.place); // beside the style sheet
  }

  update({ charts, axes, legend, reference }, tell) {
    if (axes && this.toolbar?.words !== this.page.words) this.#addToolbar(axes);
    if (this.toolbar) {
      this.page.legend = legend; // pictures of the charts tell it too
      this.legend.update(legend, this.page.palette);
      this.reference.update(reference, (path) => tell("ghost", path));
    }
    const present = charts.map((spec) => this.#chart(spec, (step) => tell("step", step)));
    for (const [name, chart] of this.charts) {
      if (present.includes(chart)) continue;
      chart.place.remove();
      this.charts.delete(name);
    }
    present.forEach(({ place }, index) => {
      if (this.place.children[index] !== place) this.place.insertBefore(place, this.place.children[index] ?? null);
    });
    this.page.wantPoints(0);
  }

  #addToolbar(axes) {
    this.toolbar?.remove(); // it spoke another language
    this.toolbar = new Toolbar(this.page, axes);
    this.legend = new Legend();
    this.reference = new ReferenceChooser(this.page.words);
    this.toolbar.place.prepend(this.legend.place);
    this.toolbar.place.append(this.reference.place);
    this.place.before(this.toolbar.place);
  }

  remove() {
    this.toolbar?.remove();
    this.place.remove();
  }

  #chart(spec, onStep) {
    const known = this.charts.get(spec.name);
    const chart = known ?? new Chart(this.page, spec, onStep);
    chart.onStep = onStep;
    if (known) known.update(spec);
    this.charts.set(spec.name, chart);
    return chart;
  }
}

export const draw = (parent, data, tell) => {
  const page = pageOf(data.page);
  page.update(data);
  let grid = grids.get(parent);
  if (grid?.page !== page) {
    grid?.remove();
    grid = new Grid(parent, page);
    grids.set(parent, grid);
  }
  for (const name of ["ground", "ink", "muted", "grid", "surface", "line", "critical_text"]) {
    parent.style.setProperty(`--rlvitals-${name}`, page.palette[name]);
  }
  grid.update(data, tell);
};
