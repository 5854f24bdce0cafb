// The jump: a button that looks like a field, the dialog that it opens, and the dialog that lists the keys.

const TYPING = 60; // milliseconds without a key before the server is asked
const MOST_RECENT = 8;
const RECENT = "rlvitals.recent"; // in the browser's storage: the runs opened lately, the newest first
const LOOKS = 100; // for a chart that is being drawn
const LOOK = 100; // milliseconds

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

const stored = () => {
  try {
    const found = JSON.parse(localStorage.getItem(RECENT) ?? "[]");
    return Array.isArray(found) ? found.filter(({ where }) => typeof where === "string") : [];
  } catch {
    return []; // no storage, or not ours
  }
};

const remember = (opened) => {
  if (!opened) return;
  const others = stored().filter(({ where }) => where !== opened.where);
  try {
    localStorage.setItem(RECENT, JSON.stringify([opened, ...others].slice(0, MOST_RECENT)));
  } catch {
    // a browser that keeps nothing
  }
};

const keyOf = (event) => (event.ctrlKey || event.metaKey ? `Ctrl+${event.key.toLowerCase()}` : event.key);
const labelOf = (key) => (key === "Ctrl+k" ? (isMac ? "⌘K" : "Ctrl K") : key);

const scrollTo = (metric, looks = LOOKS) => {
  const chart = [...document.querySelectorAll(".rlvitals-chart")].find(({ dataset }) => dataset.metric === metric);
  if (chart) chart.scrollIntoView({ block: "center" });
  else if (looks) setTimeout(() => scrollTo(metric, looks - 1), LOOK);
};

class Jump {
  constructor(parent) {
    this.hits = [];
    this.at = 0;
    this.field = element("button", "rlj-field", element("span"), element("kbd", "", labelOf("Ctrl+k")));
    this.field.type = "button";
    this.field.setAttribute("aria-keyshortcuts", "Control+K Meta+K");
    this.field.addEventListener("click", () => this.open());
    this.input = element("input", "rlj-input");
    Object.assign(this.input, { type: "text", spellcheck: false, autocomplete: "off", maxLength: 100 });
    const combobox = { role: "combobox", "aria-autocomplete": "list", "aria-controls": "rlj-list", "aria-expanded": "true" };
    Object.entries(combobox).forEach(([name, value]) => this.input.setAttribute(name, value));
    this.list = element("ul", "rlj-list");
    this.list.id = "rlj-list";
    this.list.setAttribute("role", "listbox");
    this.said = element("p", "rlj-said");
    this.said.setAttribute("role", "status");
    this.dialog = element("dialog", "rlj-dialog", this.input, this.list, this.said);
    this.help = element("dialog", "rlj-dialog rlj-help");
    for (const dialog of [this.dialog, this.help]) {
      dialog.addEventListener("click", (event) => event.target === dialog && dialog.close()); // beside it
    }
    this.input.addEventListener("input", () => this.askSoon());
    this.input.addEventListener("keydown", (event) => this.move(event));
    parent.append(this.field, this.dialog, this.help);
    this.acts = { jump: () => this.open(), help: () => this.openHelp() };
    this.onKey = (event) => this.key(event);
    window.addEventListener("keydown", this.onKey, true);
  }

  update(data, go) {
    Object.assign(this, { data, go, words: data.words });
    this.say(data.words);
    remember(data.opened);
  }

  say({ field, keys }) {
    this.field.firstChild.textContent = this.input.placeholder = field;
    for (const named of [this.input, this.list, this.dialog]) named.setAttribute("aria-label", field);
    this.help.setAttribute("aria-label", keys);
  }

  key(event) {
    const act = this.acts[this.data.handled[keyOf(event)]];
    const isWriting = !event.ctrlKey && !event.metaKey && event.target.closest?.(EDITABLE);
    if (!act || isWriting) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  open() {
    if (this.dialog.open) return;
    this.help.close();
    this.input.value = "";
    this.dialog.showModal();
    this.ask();
  }

  openHelp() {
    const { words, everywhere, keys, gestures } = this.data;
    const part = (title, rows) => {
      const lines = rows.map((row) => element("tr", "", element("th", "", ...row.keys.map((key) => element("kbd", "", labelOf(key)))), element("td", "", row.words)));
      return rows.length ? element("table", "", element("caption", "", title), element("tbody", "", ...lines)) : null;
    };
    const close = button("rlj-close", "close", () => this.help.close(), words.close);
    this.help.replaceChildren(
      ...[element("h2", "", words.keys), part(words.here, keys), part(words.mouse, gestures), part(words.everywhere, everywhere), close].filter(Boolean),
    );
    if (!this.help.open) this.help.showModal();
  }

  askSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), TYPING);
  }

  async ask() {
    const asked = this.input.value.trim();
    const address = new URL(this.data.endpoint, document.baseURI);
    for (const [name, value] of Object.entries({ q: asked, run: this.data.run })) if (value) address.searchParams.set(name, value);
    this.asking?.abort();
    this.asking = new AbortController();
    try {
      const answer = await fetch(address, { signal: this.asking.signal });
      if (!answer.ok) throw new Error(this.words.failed);
      const hits = await answer.json();
      this.show(asked ? hits : [...this.recent(), ...hits]);
    } catch (error) {
      if (error.name !== "AbortError") this.show([], this.words.failed);
    }
  }

  recent() {
    const others = stored().filter(({ where }) => where !== this.data.opened?.where);
    return others.map((run) => ({ ...run, kind: this.words.recent, way: "run" }));
  }

  show(hits, said = this.words.nothing) {
    Object.assign(this, { hits, at: 0 });
    const options = hits.map((hit, index) => {
      const made = element("li", "rlj-hit", element("span", "rlj-name", hit.name), element("span", "rlj-about", hit.about), element("span", "rlj-kind", hit.kind));
      made.id = `rlj-${index}`;
      made.setAttribute("role", "option");
      made.addEventListener("mousemove", () => this.point(index));
      made.addEventListener("click", () => this.take(hit));
      return made;
    });
    this.list.replaceChildren(...options);
    this.said.textContent = hits.length ? "" : said;
    this.point(0);
  }

  point(index) {
    this.at = index;
    [...this.list.children].forEach((option, place) => option.setAttribute("aria-selected", String(place === index)));
    this.input.setAttribute("aria-activedescendant", this.list.children[index]?.id ?? "");
    this.list.children[index]?.scrollIntoView({ block: "nearest" });
  }

  move(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by && this.hits.length) this.point((this.at + by + this.hits.length) % this.hits.length);
    else if (event.key === "Enter" && this.hits[this.at]) this.take(this.hits[this.at]);
    else return;
    event.preventDefault();
  }

  take({ way, where }) {
    this.dialog.close();
    this.go({ way, where });
    if (way === "chart") scrollTo(where.slice(where.indexOf(" ") + 1));
  }

  leave() {
    window.removeEventListener("keydown", this.onKey, true);
  }
}

const jumps = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  if (!jumps.has(parentElement)) jumps.set(parentElement, new Jump(parentElement));
  const jump = jumps.get(parentElement);
  jump.update(data, (wish) => setTriggerValue("go", wish));
  return () => jump.leave();
}
