// The view options, as words above the charts.

import { chooseColumns, chosenColumns, COLUMNS } from "./columns.js";
import { AXES, SCALES, SMOOTHING } from "./view_options.js";

export class Toolbar {
  constructor(page, axes) {
    this.page = page;
    this.place = document.createElement("div");
    this.place.className = "rlvitals-toolbar";
    this.selects = {
      axis: this.#option("x", "axis", Object.fromEntries(axes.map((axis) => [axis, AXES[axis]]))),
      smoothing: this.#option("smooth", "smoothing", SMOOTHING, Number),
      scale: this.#option("y", "scale", SCALES),
    };
    this.#select("columns", COLUMNS, (select) => chooseColumns(select.value)).value = chosenColumns();
    this.reset = document.createElement("button");
    this.reset.type = "button";
    this.reset.textContent = "show all";
    this.reset.addEventListener("click", () => page.zoom(null));
    this.place.append(this.reset);
    page.toolbars.add(this);
    this.update();
  }

  update() {
    for (const [option, select] of Object.entries(this.selects)) select.value = this.page.options[option];
    this.reset.hidden = this.page.window === null;
  }

  #option(word, option, words, read = String) {
    return this.#select(word, words, (select) => this.page.choose(option, read(select.value)));
  }

  #select(word, words, choose) {
    const label = document.createElement("label");
    const select = document.createElement("select");
    for (const [value, text] of Object.entries(words)) select.add(new Option(text, value));
    select.addEventListener("change", () => choose(select));
    select.setAttribute("aria-label", word);
    label.append(word, " ", select);
    this.place.append(label);
    return select;
  }
}
