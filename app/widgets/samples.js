// Draws the samples of a step: the steps, the table by prompt, and one sample in full. Model text is text nodes only.

const SVG = "http://www.w3.org/2000/svg";
const CURVE_HEIGHT = 64; // pixels
const TYPING = 250; // milliseconds without a key before a search is sent
const MORE_ROWS = 128; // with each click

const choice = (name, value) => ({ to: "choice", name, value });

const shape = (tag, attributes) => {
  const made = document.createElementNS(SVG, tag);
  Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
  return made;
};

const curveOf = ({ curve, steps: { current }, words }, go) => {
  const place = element("div", "rls-curve");
  if (!curve || curve.points.length < 2) return place;
  const values = curve.points.map(([, value]) => value);
  const { first, last } = curve;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const across = (step) => (100 * (step - first)) / (last - first || 1);
  const up = (value) => CURVE_HEIGHT - 4 - ((CURVE_HEIGHT - 8) * (value - low)) / (high - low || 1);
  const drawing = shape("svg", { viewBox: `0 0 100 ${CURVE_HEIGHT}`, preserveAspectRatio: "none", role: "img" });
  drawing.setAttribute("aria-label", filled(words.curve, { metric: curve.title }));
  if (curve.episode) {
    const [from, to, severity] = curve.episode;
    const box = { x: across(Math.max(from, first)), y: 0, height: CURVE_HEIGHT, class: "rls-episode" };
    const made = shape("rect", { ...box, width: Math.max(0.4, across(Math.min(to, last)) - box.x) });
    made.dataset.severity = severity;
    drawing.append(made);
  }
  const line = curve.points.map(([step, value]) => `${across(step)},${up(value)}`).join(" ");
  const at = across(Math.min(Math.max(current, first), last));
  drawing.append(
    shape("polyline", { points: line, class: "rls-line" }),
    shape("line", { x1: at, x2: at, y1: 0, y2: CURVE_HEIGHT, class: "rls-now" }),
  );
  drawing.addEventListener("click", (event) => {
    const box = drawing.getBoundingClientRect();
    const step = first + ((last - first) * (event.clientX - box.left)) / box.width;
    go({ to: "step", step: Math.round(step) });
  });
  const [begin, end, , finding] = curve.episode ?? [];
  const name = finding ? filled(words.curve_with_finding, { metric: curve.title, finding, first: begin, last: end }) : curve.title;
  place.append(element("p", "rls-second", name), drawing);
  return place;
};

const stepBar = (data, go) => {
  const { steps, words } = data;
  const to = (step) => () => step !== null && go({ to: "step", step });
  const arrow = (key, sign, hint, step) => {
    const made = hinted(button("rls-arrow", key, to(step), sign), hint);
    made.disabled = step === null;
    return made;
  };
  const links = [];
  const link = (key, text, wish) => links.push(button("rls-link", key, () => go(wish), text));
  if (steps.onset !== null && steps.onset !== steps.current) link("onset", filled(words.onset, { step: steps.onset }), { to: "onset" });
  const isFollowing = data.choice.is_newest || (data.may_follow_newest && steps.onset === null && data.choice.step === null);
  if (steps.newest !== steps.current || (data.may_follow_newest && !isFollowing)) link("newest", words.newest, { to: "newest" });
  const others = links.flatMap((made, index) => (index ? [" · ", made] : [made]));
  const logged = steps.count === 1 ? words.one_step : filled(words.steps, { count: steps.count });
  return element(
    "div",
    "rls-steps",
    element(
      "div",
      "rls-stepper",
      arrow("before", "←", words.before, steps.before),
      element("h3", "rls-step", filled(words.step, { step: steps.current })),
      arrow("after", "→", words.after, steps.after),
    ),
    element("p", "rls-second", steps.facts),
    element("p", "rls-second", logged, others.length ? " · " : null, ...others),
  );
};

const choosers = (data, state, go) => {
  const { words } = data;
  const order = element("select");
  for (const [name, text] of data.orders) order.add(new Option(text, name));
  order.value = data.choice.order;
  order.dataset.key = "order";
  order.setAttribute("aria-label", words.order_label);
  order.addEventListener("change", () => go(choice("order", order.value)));
  const cut = element("input", "");
  cut.type = "checkbox";
  cut.checked = data.choice.only_cut;
  cut.dataset.key = "cut";
  cut.addEventListener("change", () => go(choice("only_cut", cut.checked)));
  const find = (state.find ??= element("input", "rls-find"));
  find.dataset.key = "find";
  find.placeholder = words.find;
  find.setAttribute("aria-label", words.find);
  if (document.activeElement !== find) find.value = data.choice.find;
  find.oninput = () => {
    clearTimeout(state.typing);
    state.typing = setTimeout(() => go(choice("find", find.value)), TYPING);
  };
  const splits = data.splits.map(([name, text]) => {
    const made = button("rls-split", `split.${name}`, () => go(choice("split", name)), text);
    made.setAttribute("aria-pressed", String(name === data.split));
    return made;
  });
  return element("div", "rls-choosers", ...splits, element("label", "", `${words.order} `, order), element("label", "", cut, ` ${words.only_cut}`), find);
};

const flagChip = (flag, key, go) => {
  const act = (event) => {
    event.stopPropagation();
    go({ to: "rule", name: flag.rule });
  };
  const made = hinted(button("rls-flag", key, act, flag.words), flag.sentence);
  made.dataset.severity = flag.severity;
  return made;
};

const rowOf = (row, data, state, go) => {
  const cell = (className, ...parts) => element("td", className, ...parts);
  const score = element("span", "rls-score", row.score);
  if (row.heat !== null) score.style.setProperty("--heat", `${Math.round(8 + 34 * row.heat)}%`);
  const { endings } = data.words;
  const end = row.end === "cut" ? element("span", "rls-end", `⇥ ${endings.cut}`) : endings[row.end];
  const flags = row.flags.map((flag, index) => flagChip(flag, `${row.step}.${row.row}.${index}`, go));
  const made = element(
    "tr",
    "rls-row",
    cell("rls-number", String(data.choice.followed === null ? row.row + 1 : row.step)),
    data.is_grouped ? null : cell("rls-text", row.query),
    cell("rls-text", row.response),
    cell("rls-figure", score),
    ...row.rewards.map((value) => cell("rls-figure", value)),
    state.has.advantage ? cell("rls-figure", row.advantage) : null,
    state.has.tokens ? cell("rls-figure rls-second", row.tokens) : null,
    state.has.end ? cell("rls-figure", end) : null,
    state.has.flags ? cell("rls-flags", ...flags) : null,
  );
  made.setAttribute("aria-selected", String(data.detail?.step === row.step && data.detail?.row === row.row));
  made.addEventListener("click", () => state.choose(made, row));
  state.rows.push([made, row]);
  return made;
};

const groupOf = (group, data, state, go) => {
  const rows = group.rows.map((row) => rowOf(row, data, state, go));
  if (!data.is_grouped) return element("tbody", "", ...rows);
  const first = group.rows[0];
  const follow = () => go({ to: "follow", step: first.step, row: first.row });
  const link = group.can_be_followed ? button("rls-link", `follow.${first.row}`, follow, data.words.follow) : null;
  const facts = element("span", "rls-facts", group.facts, link ? " · " : null, link);
  const heading = element("th", "", element("div", "", hinted(element("span", "rls-prompt", group.query), group.query), facts));
  heading.colSpan = 3 + data.functions.length + Object.values(state.has).filter(Boolean).length;
  return element("tbody", "", element("tr", "rls-group", heading), ...rows);
};

const table = (data, state, go) => {
  const { words } = data;
  const logged = (name) => data.groups.some((group) => group.rows.some((row) => row[name].length));
  state.has = Object.fromEntries(["advantage", "tokens", "end", "flags"].map((name) => [name, logged(name)]));
  const heading = (text, className) => hinted(element("th", className ?? "rls-figure", text), text);
  const names = [
    heading(data.choice.followed === null ? "" : words.step_heading, "rls-number"),
    data.is_grouped ? null : heading(words.query, "rls-query"),
    heading(words.response_heading, "rls-wide"),
    heading(words.score),
    ...data.functions.map((name) => heading(name)),
    state.has.advantage ? heading(words.advantage) : null,
    state.has.tokens ? heading(words.tokens) : null,
    state.has.end ? heading(words.end) : null,
    state.has.flags ? heading(words.flags, "rls-flags") : null,
  ];
  const groups = data.groups.map((group) => groupOf(group, data, state, go));
  const made = element("table", "", element("thead", "", element("tr", "", ...names.filter(Boolean))), ...groups);
  const count = element("p", "rls-second", filled(words.found, data));
  const more = data.left ? button("rls-link", "more", () => go(choice("most_rows", data.choice.most_rows + MORE_ROWS)), filled(words.left, { count: data.left })) : null;
  const back = data.choice.followed === null ? null : button("rls-link", "all", () => go(choice("followed", null)), words.back);
  return element(
    "div",
    "rls-table",
    back,
    made,
    data.found ? null : element("p", "rls-second", words.nothing),
    element("p", "rls-foot", count, more),
  );
};

const textOf = (words, title, turns, cut) => {
  const parts = turns.map((turn) => {
    const pieces = turn.pieces.map((piece) => element("span", piece.kind === "token" ? "rls-token" : "", piece.text));
    return element("div", "rls-turn", turn.role ? element("h5", "", turn.role) : null, element("pre", "", ...pieces));
  });
  if (cut) parts.at(-1)?.querySelector("pre").append(element("span", "rls-cut", cut));
  const made = element("section", "rls-whole", element("h4", "", title), ...parts);
  if (!turns.length) made.append(element("p", "rls-second", cut ? filled(words.empty_and_cut, { cut }) : words.empty));
  made.setAttribute("aria-label", title);
  return made;
};

const differenceOf = (data, go) => {
  const { difference: found, words } = data;
  if (!found) return null;
  const other = element("input", "rls-other");
  other.type = "number";
  other.value = found.step;
  other.dataset.key = "other";
  other.setAttribute("aria-label", words.compared_label);
  other.addEventListener("change", () => go(choice("compared_with", Math.round(Number(other.value)))));
  const rows = found.figures.map(([name, then, now]) => element("tr", "", element("td", "", name), element("td", "rls-figure", then), element("td", "rls-figure", now)));
  const heads = ["", ...[found.step, data.steps.current].map((step) => filled(words.at_step, { step }))].map((text) => element("th", "rls-figure", text));
  const parts = found.words.map((part) => element({ then: "del", now: "ins", same: "span" }[part.kind], "", part.text));
  const made = element(
    "section",
    "rls-whole",
    element("h4", "", ...pieces(words.compared, { step: other }), " ", button("rls-link", "alone", () => go(choice("compared_with", null)), words.close)),
    element("table", "rls-figures", element("thead", "", element("tr", "", ...heads)), element("tbody", "", ...rows)),
    parts.length ? element("pre", "rls-words", ...parts) : element("p", "rls-second", words.no_answer),
  );
  made.setAttribute("aria-label", words.difference);
  return made;
};

const keys = ({ words }) =>
  element("p", "rls-keys", ...words.keys.flatMap(([signs, text]) => [...signs.map((key) => element("kbd", "", key)), `${text} `]));

const detailOf = (data, go) => {
  const { detail: found, words } = data;
  if (!found) return element("aside", "rls-detail");
  const title = filled(words.title, { step: found.step, sample: found.row + 1 });
  const figures = found.figures.map(([name, value]) => element("div", "", element("dt", "", name), element("dd", "", value)));
  const flags = found.flags.map((flag, index) =>
    element("li", "", flagChip(flag, `flag.${index}`, go), element("span", "", ` ${flag.sentence}`)),
  );
  const made = element(
    "aside",
    "rls-detail",
    element("div", "rls-title", element("h3", "", title), copyButton("rls-copy", "copy", () => found.copied, words)),
    element("dl", "", ...figures),
    differenceOf(data, go),
    textOf(words, words.query, found.query, ""),
    textOf(words, words.response, found.response, found.cut),
    flags.length ? element("section", "rls-whole", element("h4", "", words.flags), element("ul", "", ...flags)) : null,
    keys(data),
  );
  made.setAttribute("aria-label", words.sample);
  return made;
};

const onKey = (state, go) => (event) => {
  if (!state.place.isConnected) return document.removeEventListener("keydown", state.onKey);
  const isTyping = event.target.closest?.("input, textarea, select, [contenteditable], [role=radiogroup]");
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const { data } = state;
  const move = (by) => {
    const index = state.rows.findIndex(([made]) => made.getAttribute("aria-selected") === "true");
    const next = state.rows[Math.min(Math.max(index + by, 0), state.rows.length - 1)];
    if (next && state.rows[index] !== next) state.choose(...next);
  };
  const step = (number) => number !== null && go({ to: "step", step: number });
  const acts = {
    next: () => move(1),
    previous: () => move(-1),
    step_before: () => step(data.steps.before),
    step_after: () => step(data.steps.after),
    difference: () => go(choice("compared_with", data.difference ? null : data.steps.first)),
    find: () => state.find.focus(),
  };
  const act = acts[data.keys[event.key]];
  if (!act) return undefined;
  event.preventDefault();
  return act();
};

const drawAll = (place, state, data, go) => {
  const scrolled = place.querySelector(".rls-detail")?.scrollTop ?? 0;
  const isSame = state.data?.detail?.step === data.detail?.step && state.data?.detail?.row === data.detail?.row;
  Object.assign(state, { data, rows: [] });
  state.choose = (made, row) => {
    state.rows.forEach(([other]) => other.setAttribute("aria-selected", String(other === made)));
    made.scrollIntoView({ block: "nearest" });
    go({ to: "sample", step: row.step, row: row.row });
  };
  redraw(place, () => [
    element("div", "rls-bar", stepBar(data, go), curveOf(data, go), choosers(data, state, go)),
    element("div", "rls-parts", table(data, state, go), detailOf(data, go)),
  ]);
  if (isSame) place.querySelector(".rls-detail").scrollTop = scrolled;
};

export default function ({ data, parentElement, setTriggerValue }) {
  const place = placeIn(parentElement, "rls-samples");
  const state = (place.rlvitals ??= { place, rows: [] });
  const drawn = JSON.stringify(data);
  const go = (wish) => setTriggerValue("go", wish);
  document.removeEventListener("keydown", state.onKey);
  state.onKey = onKey(state, go);
  document.addEventListener("keydown", state.onKey);
  if (state.drawn === drawn) return;
  state.drawn = drawn;
  whenReleased(place, () => drawAll(place, state, data, go));
}
