// The view options, as words above the charts.

import { chooseColumns, chosenColumns, COLUMNS } from "./columns.js";
import { AXES, SCALES, SMOOTHING } from "./view_options.js";

export class Toolbar {
  constructor(page, axes) {
    this.page = page;
    this.words = page.words;
    const { x, y, smooth, columns } = this.words;
    this.place = document.createElement("div");
    this.place.className = "rlvitals-toolbar";
    this.selects = {
      axis: this.#option(x, "axis", AXES.filter((axis) => axes.includes(axis)), this.words.axes),
      smoothing: this.#option(smooth, "smoothing", SMOOTHING, this.words.smoothings, Number),
      scale: this.#option(y, "scale", SCALES, this.words.scales),
    };
    this.#select(columns, COLUMNS, this.words.column_counts, (select) => chooseColumns(select.value)).value = chosenColumns();
    this.reset = document.createElement("button");
    this.reset.type = "button";
    this.reset.textContent = this.words.show_all;
    this.reset.addEventListener("click", () => page.zoom(null));
    this.place.append(this.reset);
    page.toolbars.add(this);
    this.update();
  }

  update() {
    for (const [option, select] of Object.entries(this.selects)) select.value = this.page.options[option];
    this.reset.hidden = this.page.window === null;
  }

  remove() {
    this.page.toolbars.delete(this);
    this.place.remove();
  }

  #option(word, option, values, words, read = String) {
    return this.#select(word, values, words, (select) => this.page.choose(option, read(select.value)));
  }

  #select(word, values, words, choose) {
    const label = document.createElement("label");
    const select = document.createElement("select");
    for (const value of values) select.add(new Option(words[value], value));
    select.addEventListener("change", () => choose(select));
    select.setAttribute("aria-label", word);
    label.append(word, " ", select);
    this.place.append(label);
    return select;
  }
}
