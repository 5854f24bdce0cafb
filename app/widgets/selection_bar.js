// The bar above the table: what is selected, and what can be done with it.

const FEWEST_COMPARED = 2;
const MOST_COMPARED = 20;

class SelectionBar {
  constructor(table) {
    this.table = table;
    this.place = element("div", "rlv-bar");
    this.editor = null; // "tag" or "note" while its form is open
    this.drawn = "";
  }

  get addresses() {
    return [...this.table.selected.keys()];
  }

  get compareAddress() {
    const count = this.addresses.length;
    const isRight = count >= FEWEST_COMPARED && count <= MOST_COMPARED;
    return isRight ? this.table.data.compare + this.addresses.join("&") : null;
  }

  update() {
    const { data, selected } = this.table;
    this.place.hidden = !data.may_select;
    const rows = [...selected.values()];
    const facts = rows.map(({ address, name, tags, note, is_archived }) => [address, name, tags, note, is_archived]);
    const now = JSON.stringify([facts, this.editor, data.may_edit, data.words]);
    if (now !== this.drawn) this.place.replaceChildren(...(rows.length ? this.actions(rows) : []), this.keys());
    if (now !== this.drawn) this.place.querySelector(".rlv-editor .rlv-field")?.focus();
    this.drawn = now;
  }

  send(name, value) {
    this.table.send(name, value);
  }

  edit(editor) {
    this.editor = this.editor === editor ? null : editor;
    this.update();
  }

  keys() {
    const made = element("span", "rlv-keys");
    for (const [signs, word] of this.table.data.words.keys) {
      made.append(...signs.map((sign) => element("kbd", "rlv-key", sign)), ` ${word} `);
    }
    return made;
  }

  actions(rows) {
    const { words, may_edit } = this.table.data;
    const names = element("span", "rlv-names", rows.map((row) => row.name).join(", "));
    const count = element("strong", "", filled(words.selected, { count: rows.length }));
    const clear = button("rlv-link", "clear", () => this.table.clear(), words.clear);
    return [count, names, this.compare(), ...(may_edit ? this.editing(rows) : []), clear];
  }

  compare() {
    const { words } = this.table.data;
    const link = element("a", "rlv-button rlv-primary", words.compare);
    link.title = words.compare_hint;
    if (this.compareAddress) link.href = this.compareAddress;
    else link.setAttribute("aria-disabled", "true");
    return link;
  }

  editing(rows) {
    const { words } = this.table.data;
    const isArchived = rows.every((row) => row.is_archived);
    const archive = () => {
      this.send(isArchived ? "restore" : "archive", { runs: this.addresses, text: "" });
      this.table.clear();
    };
    return [
      button("rlv-button", "tag", () => this.edit("tag"), words.tag),
      ...(rows.length === 1 ? [button("rlv-button", "note", () => this.edit("note"), words.note)] : []),
      button("rlv-button", "archive", archive, isArchived ? words.restore : words.archive),
      ...(this.editor === "tag" ? [this.tagForm(rows)] : []),
      ...(this.editor === "note" && rows.length === 1 ? [this.noteForm(rows[0])] : []),
    ];
  }

  tagForm(rows) {
    const { words, longest_tag } = this.table.data;
    const field = element("input", "rlv-field");
    Object.assign(field, { maxLength: longest_tag, placeholder: words.new_tag });
    field.setAttribute("aria-label", words.new_tag);
    const given = [...new Set(rows.flatMap((row) => row.tags))];
    const removing = given.map((tag) => {
      const made = button("rlv-tag", `untag.${tag}`, () => this.send("untag", { runs: this.addresses, text: tag }), `${tag} ×`);
      made.setAttribute("aria-label", filled(words.remove, { tag }));
      return made;
    });
    return this.form([...removing, field], () => {
      if (field.value.trim()) this.send("tag", { runs: this.addresses, text: field.value });
    });
  }

  noteForm(row) {
    const { words, longest_note } = this.table.data;
    const field = element("textarea", "rlv-field");
    Object.assign(field, { rows: 2, value: row.note, maxLength: longest_note });
    field.setAttribute("aria-label", words.note);
    return this.form([field], () => this.send("note", { runs: [row.address], text: field.value }));
  }

  form(fields, onSubmit) {
    const submit = element("button", "rlv-button", this.table.data.words.save);
    const made = element("form", "rlv-editor", ...fields, submit);
    made.addEventListener("submit", (event) => {
      event.preventDefault();
      onSubmit();
      this.edit(null);
    });
    made.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.edit(null);
    });
    return made;
  }
}
