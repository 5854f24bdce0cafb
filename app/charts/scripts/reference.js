// The chooser of a reference that is drawn grey behind every curve; the runs to choose from come once it is reached for.

const OFF = "";

export class ReferenceChooser {
  constructor(words) {
    this.words = words;
    this.place = document.createElement("label");
    this.select = document.createElement("select");
    this.select.setAttribute("aria-label", words.ghost);
    this.place.append(`${words.ghost} `, this.select);
    this.select.addEventListener("change", () => this.tell(this.select.value));
    for (const reached of ["pointerenter", "focusin"]) this.place.addEventListener(reached, () => this.#ask());
  }

  // `current` is the path in the address, `name` what to call it.
  update({ source, current, name }, tell) {
    this.tell = tell;
    if (this.source !== source) Object.assign(this, { source, known: null });
    this.#offer([{ path: OFF, words: this.words.ghost_off }, ...(current ? [{ path: current, words: name }] : []), ...(this.known ?? [])]);
    this.select.value = current;
  }

  async #ask() {
    if (this.known) return;
    this.known = [];
    try {
      const response = await fetch(this.source);
      if (!response.ok) throw new Error(await response.text());
      this.known = await response.json();
      this.#offer(this.known);
    } catch {
      this.known = null; // the next time that it is reached for
    }
  }

  #offer(options) {
    const present = new Set([...this.select.options].map(({ value }) => value));
    for (const { path, words } of options) {
      if (present.has(path)) continue;
      present.add(path);
      this.select.add(new Option(words, path));
    }
  }
}
