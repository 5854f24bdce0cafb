// The cells of a run's row. Everything that a log says arrives as text and becomes text nodes.

const LONGEST_END = 14; // characters of a name that are always shown
const SVG = "http://www.w3.org/2000/svg";

const drawing = (name, attributes) => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
};

const shape = (sign, id) => {
  const made = element("span", `rlv-shape rlv-${id}`, sign);
  made.setAttribute("aria-hidden", "true"); // the word stands beside it
  return made;
};

const unseen = (text) => element("span", "rlv-unseen", text);

const sparkline = (row) => {
  const { lines, dot, marks, box } = row.line;
  const [width, height] = box;
  const picture = drawing("svg", { viewBox: `-12 -14 ${width + 24} ${height + 48}`, preserveAspectRatio: "none" });
  picture.setAttribute("aria-hidden", "true"); // the last value is told in the next cell
  const stroke = { class: "rlv-line", "vector-effect": "non-scaling-stroke" };
  for (const points of lines) picture.append(drawing("polyline", { points, ...stroke }));
  for (const x of marks) picture.append(drawing("line", { x1: x, x2: x, y1: height + 14, y2: height + 32, class: "rlv-mark" }));
  // A line of no length with round ends is a dot, whatever the picture is stretched to.
  if (dot) picture.append(drawing("path", { d: `M${dot[0]},${dot[1]}h0.01`, ...stroke, class: "rlv-dot" }));
  return picture;
};

const CELLS = {
  verdict: (row, table) => {
    const opened = row.just_opened ? [element("span", "rlv-opened", `${table.data.words.just_opened} · `)] : [];
    return [...(row.word ? [unseen(filled(table.data.words.verdict, { verdict: row.word }))] : []), ...opened, row.headline];
  },
  run: (row, table) => {
    // Where a name is too long its middle is left out: what tells two runs apart stands at either end.
    const at = row.name.length > LONGEST_END * 2 ? row.name.length - LONGEST_END : row.name.length;
    const ends = [element("span", "rlv-name-start", row.name.slice(0, at)), element("span", "rlv-name-end", row.name.slice(at))];
    const link = element("a", "rlv-name", ...ends);
    link.setAttribute("aria-label", row.name);
    link.href = table.data.run + row.address;
    link.title = row.note ? `${row.where}\n\n${row.note}` : row.where;
    link.addEventListener("click", (event) => table.open(event, row));
    const tags = row.tags.map((tag) => element("span", "rlv-tag", tag));
    const note = row.note ? [element("span", "rlv-noted", "✎"), unseen(row.note)] : [];
    return [element("span", "rlv-named", link, ...tags, ...note)];
  },
  reward: (row) => {
    if (!row.line) return [];
    return row.missing ? [element("span", "rlv-missing", row.missing)] : [sparkline(row)];
  },
  last: (row) => [element("span", row.is_finite === false ? "rlv-nonfinite" : "", row.last ?? "")],
  state: (row) => {
    if (!row.state) return [];
    const word = element("span", `rlv-state rlv-state-${row.state_id}`, row.state);
    const progress = row.progress && !row.is_telling ? `· ${row.progress}` : row.progress;
    const parts = [...(row.is_telling ? [shape(row.state_shape, row.state_id), " "] : []), word, " ", progress];
    if (row.time_left) parts.push(element("span", "rlv-time-left", ` · ${row.time_left}`));
    if (row.done !== null) {
      const bar = element("span", "rlv-progress");
      bar.style.setProperty("--done", `${100 * row.done}%`);
      parts.push(bar);
    }
    return parts;
  },
  cost: (row) => [row.cost ?? ""],
  algorithm: (row) => {
    const words = element("span", "", row.kind ?? "");
    words.title = row.producer ?? "";
    return [words];
  },
  written: (row) => {
    const words = element("span", "", row.written);
    words.title = row.written_at;
    return [words];
  },
};

