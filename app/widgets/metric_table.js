// All metrics at one step: a row each, sorted by what a click on a heading says.

const COLUMNS = ["title", "value", "first", "change", "healthy", "unit", "tag"];

const stepBar = ({ step, before, after, words }, go) => {
  const to = (key, sign, hint, wish) => {
    const made = hinted(button("rlm-step", key, () => go(wish), sign), hint);
    made.ariaLabel = hint;
    made.disabled = wish.step === undefined;
    return made;
  };
  return element(
    "div",
    "rlm-bar",
    to("before", "◀", words.before, { step: before ?? undefined }),
    element("b", "", step === null ? words.newest_values : filled(words.step, { step })),
    to("after", "▶", words.after, { step: after ?? undefined }),
    step === null ? null : button("rlm-newest", "newest", () => go({ step: null }), words.newest),
  );
};

const heading = (words, state, draw) => (key) => {
  const cell = element("th", `rlm-${key}`, button("", `sort.${key}`, () => draw(key), words[key]));
  cell.scope = "col";
  if (state.key === key) cell.ariaSort = state.isDown ? "descending" : "ascending";
  return cell;
};

const rowOf = (row) => {
  const name = element("th", "rlm-title", row.title);
  name.scope = "row";
  const value = element("td", "rlm-value", element("span", row.is_finite ? "" : "rlm-bad", row.value), row.more ? element("span", "rlm-more", ` ${row.more}`) : null);
  const made = element("tr", "", hinted(name, row.name), value, ...COLUMNS.slice(2).map((key) => hinted(element("td", `rlm-${key}`, row[key]), row[key])));
  made.dataset.metric = row.name;
  return made;
};

const numberOf = (words) => Number(words.replace("−", "-").replace("∞", "Infinity").replace(/[,%].*/, ""));

// Numbers by size, what is none first; words by the alphabet.
const sorted = (rows, { key, isDown }) => {
  if (!key) return rows;
  const by = ["value", "first", "change"].includes(key)
    ? (row) => (Number.isNaN(numberOf(row[key])) ? -Infinity : numberOf(row[key]))
    : (row) => row[key].toLowerCase();
  const found = rows.toSorted((one, other) => (by(one) < by(other) ? -1 : by(one) > by(other) ? 1 : 0));
  return isDown ? found.reverse() : found;
};

export default function ({ data, parentElement, setTriggerValue }) {
  const place = placeIn(parentElement, "rlm-metrics");
  const state = (place.rlvitals ??= { key: null, isDown: false });
  const drawn = JSON.stringify(data);
  if (state.drawn === drawn) return;
  state.drawn = drawn;
  const go = (wish) => setTriggerValue("go", wish);
  const draw = (key) => {
    if (key) Object.assign(state, { isDown: state.key === key && !state.isDown, key });
    const head = element("thead", "", element("tr", "", ...COLUMNS.map(heading(data.columns, state, draw))));
    const table = element("table", "", head, element("tbody", "", ...sorted(data.rows, state).map(rowOf)));
    redraw(place, () => [stepBar(data, go), table]);
  };
  whenReleased(place, () => draw());
}
