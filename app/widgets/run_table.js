// The list of runs: chips, the bar of what is selected, and a table with one row for each run.
// A row is drawn anew only when it changed, so that focus, selection and scroll outlive new data.

class RunTable {
  constructor(parent) {
    this.selected = new Map(); // address of a run → its row
    this.drawn = new Map(); // address of a run → its element, and what was drawn
    this.current = null; // the address of the run that the keys act on
    this.chips = element("div", "rlv-chips");
    this.bar = new SelectionBar(this);
    this.message = element("p", "rlv-message");
    this.message.setAttribute("role", "status");
    this.head = element("tr");
    this.body = element("tbody");
    this.columns = element("colgroup");
    this.table = element("table", "rlv-runs", this.columns, element("thead", "", this.head), this.body);
    this.place = element("div", "rlv-list", this.chips, this.bar.place, this.message, this.table);
    parent.append(this.place);
    this.acts = {
      next: () => this.move(1),
      previous: () => this.move(-1),
      select: () => this.toggleCurrent(),
      compare: () => this.bar.compareAddress && location.assign(this.bar.compareAddress),
      filter: () => document.querySelector(".rlv-filter-input")?.focus(),
    };
    this.onKey = (event) => this.key(event);
    window.addEventListener("keydown", this.onKey, true); // before the shortcuts of the page around
  }

  update(data, send) {
    this.send = send;
    whenReleased(this.place, () => this.draw(data));
  }

  draw(data) {
    this.data = data;
    for (const row of data.rows) if (this.selected.has(row.address)) this.selected.set(row.address, row);
    this.changed("chips", [data.chips, data.status, data.words], () => this.drawChips());
    this.changed("head", [data.columns, data.sort, data.may_select, data.words], () => this.drawHead());
    this.message.textContent = data.message;
    this.table.hidden = !data.rows.length;
    this.table.setAttribute("aria-label", data.words.table);
    this.drawRows();
    this.bar.update();
  }

  changed(part, values, draw) {
    const now = JSON.stringify(values);
    this.before ??= {};
    if (this.before[part] !== now) draw();
    this.before[part] = now;
  }

  drawChips() {
    const { chips, status, words } = this.data;
    const drawn = chips.map((chip) => {
      const made = button("rlv-chip", `chip.${chip.field}.${chip.value}`, () => this.send("chip", [chip.field, chip.value]));
      if (chip.shape) made.append(shape(chip.shape, chip.value));
      made.append(chip.word, " ", element("span", "rlv-count", `${chip.count}`));
      made.setAttribute("aria-pressed", chip.is_on);
      made.disabled = chip.is_disabled;
      made.classList.toggle("rlv-apart", chip.starts_group);
      return made;
    });
    this.chips.setAttribute("role", "group");
    this.chips.setAttribute("aria-label", words.chips);
    this.chips.replaceChildren(...drawn, element("span", "rlv-status", status));
    this.chips.hidden = !chips.length;
  }

  drawHead() {
    const { columns, sort, may_select, words } = this.data;
    const heads = columns.map(({ id, title, sorts }) => {
      const head = element("th", `rlv-cell-${id}`);
      head.scope = "col";
      if (!sorts) head.append(title);
      else {
        const isSorted = sort.column === id;
        const arrow = isSorted ? (sort.is_reversed ? " ↑" : " ↓") : "";
        head.append(button("rlv-sort", `sort.${id}`, () => this.send("sort", id), `${title}${arrow}`));
        if (isSorted) head.setAttribute("aria-sort", sort.is_reversed ? "ascending" : "descending");
      }
      return head;
    });
    const first = [element("th", "rlv-cell-select", unseen(words.select)), element("th", "rlv-cell-shape")];
    this.head.replaceChildren(...(may_select ? first : first.slice(1)), ...heads);
    const names = [...(may_select ? ["select"] : []), "shape", ...columns.map(({ id }) => id)];
    this.columns.replaceChildren(...names.map((id) => element("col", `rlv-cell-${id}`)));
  }

  drawRows() {
    const order = this.data.rows.map((row) => {
      const text = JSON.stringify([row, this.data.columns, this.data.may_select, this.data.words]);
      const known = this.drawn.get(row.address);
      if (known?.text === text) return [row.address, known];
      const made = this.drawRow(row);
      if (known?.made.contains(document.activeElement)) queueMicrotask(() => made.querySelector("a").focus());
      return [row.address, { made, text }];
    });
    this.drawn = new Map(order);
    const wanted = order.map(([, { made }]) => made);
    const now = [...this.body.children];
    const isSame = now.length === wanted.length && now.every((made, index) => made === wanted[index]);
    if (!isSame) {
      const focused = this.body.contains(document.activeElement) ? document.activeElement : null;
      this.body.replaceChildren(...wanted);
      if (focused?.isConnected) focused.focus({ preventScroll: true });
    }
    this.mark();
  }

  drawRow(row) {
    const { columns, may_select, words } = this.data;
    const made = element("tr", `rlv-row rlv-row-${row.verdict}`);
    made.classList.toggle("rlv-firm", row.starts_severity);
    if (may_select) {
      const box = element("input", "rlv-box");
      box.type = "checkbox";
      box.setAttribute("aria-label", filled(words.select_run, { run: row.name }));
      box.addEventListener("change", () => this.select(row, box.checked));
      made.append(element("td", "rlv-cell-select", box));
    }
    made.append(element("td", "rlv-cell-shape", ...(row.shape ? [shape(row.shape, row.verdict)] : [])));
    for (const { id } of columns) {
      const cell = element(id === "run" ? "th" : "td", `rlv-cell-${id}`, ...CELLS[id](row, this));
      if (id === "run") cell.scope = "row";
      if (id === "verdict") cell.title = row.headline;
      made.append(cell);
    }
    made.addEventListener("focusin", () => this.point(row.address));
    made.addEventListener("click", (event) => {
      if (!event.target.closest("a, input, button, .rlv-cell-select") && !`${getSelection()}`) this.open(event, row);
    });
    return made;
  }

  open(event, row) {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return; // the browser's own: another tab
    event.preventDefault();
    this.send("open", row.address);
  }

  point(address) {
    this.current = address;
    this.mark();
  }

  select(row, isSelected) {
    if (isSelected) this.selected.set(row.address, row);
    else this.selected.delete(row.address);
    this.mark();
    this.bar.update();
  }

  clear() {
    this.selected.clear();
    this.bar.editor = null;
    this.mark();
    this.bar.update();
  }

  mark() {
    for (const [address, { made }] of this.drawn) {
      const isSelected = this.selected.has(address);
      made.setAttribute("aria-selected", isSelected);
      made.classList.toggle("rlv-current", address === this.current);
      const box = made.querySelector(".rlv-box");
      if (box) box.checked = isSelected;
    }
  }

  key(event) {
    const isElsewhere = event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.(EDITABLE);
    const act = isElsewhere || !this.data?.may_select ? null : this.acts[this.data.keys[event.key]];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  move(by) {
    const addresses = [...this.drawn.keys()];
    const at = addresses.indexOf(this.current);
    const next = at < 0 ? 0 : Math.min(Math.max(at + by, 0), addresses.length - 1);
    this.drawn.get(addresses[next])?.made.querySelector("a").focus(); // Enter then opens it, as any link
  }

  toggleCurrent() {
    const row = this.data.rows.find(({ address }) => address === this.current);
    if (row) this.select(row, !this.selected.has(row.address));
  }

  leave() {
    window.removeEventListener("keydown", this.onKey, true);
  }
}

const tables = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  if (!tables.has(parentElement)) tables.set(parentElement, new RunTable(parentElement));
  const table = tables.get(parentElement);
  table.update(data, setTriggerValue);
  return () => table.leave();
}
