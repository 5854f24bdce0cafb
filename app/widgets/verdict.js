// Draws the verdict card, and a row for each further finding; what a reader unfolded stays so when data arrive.

const PATIENCE = 5000; // milliseconds that a chart gets to appear

const chartOf = (metric) =>
  [...document.querySelectorAll(".rlvitals-chart")].find((place) => place.dataset.metric === metric);

const reveal = (metric, until = Date.now() + PATIENCE) => {
  const chart = chartOf(metric);
  if (chart) chart.scrollIntoView({ block: "center", behavior: "smooth" });
  else if (Date.now() < until) setTimeout(() => reveal(metric, until), 50);
};

const revealDeciders = (name) => {
  const card = [...document.querySelectorAll(".rlv-card")].find((made) => made.dataset.finding === name);
  card?.querySelector(".rlv-deciders")?.scrollIntoView({ block: "center", behavior: "smooth" });
};

const sign = (card) => element("span", "rlv-sign", `${card.shape} ${card.word}`);

const chip = (card, link, index, go) => {
  const more = element("span", link.is_model_text ? "rlv-quote" : "rlv-second", link.more);
  const open = () => {
    go(link);
    if (link.to === "metric") reveal(link.name);
  };
  return hinted(button("rlv-chip", `${card.name}.link.${index}`, open, link.words, link.more ? more : null), link.hint);
};

const difference = (change) =>
  element(
    "pre",
    "rlv-diff",
    change.old ? element("del", "", `− ${change.old}`) : null,
    element("ins", "", `+ ${change.new}`),
  );

const proposal = (card, data, go) => {
  const { words } = data;
  const found = card.proposal;
  if (!found) return null;
  const isFirst = (name) => (name ? "rlv-action rlv-first" : "rlv-action");
  const relaunch = data.relaunch[card.name];
  const actions = element("div", "rlv-actions");
  if (relaunch) {
    const act = () => go({ to: "relaunch", name: card.name });
    actions.append(hinted(button(isFirst(true), `${card.name}.relaunch`, act, relaunch.words), relaunch.hint));
  }
  const each = data.try_each[card.name];
  if (each) {
    const act = () => go({ to: "try_each", name: card.name });
    actions.append(hinted(button(isFirst(false), `${card.name}.try_each`, act, each.words), each.hint));
  }
  if (found.copied) actions.append(copyButton(isFirst(!relaunch), `${card.name}.copy`, () => found.copied, words));
  const why = hinted(element("p", "rlv-why", found.why), found.why);
  const also = found.also ? hinted(element("p", "rlv-also", ...pieces(words.also, { settings: element("code", "", found.also) })), found.also) : null;
  return element(
    "div",
    "rlv-proposal",
    found.change ? difference(found.change) : null,
    why,
    also,
    actions.childElementCount ? actions : null,
    found.source ? hinted(element("p", "rlv-source", filled(words.source, found)), found.source) : null,
  );
};

const list = (title, entries, name = "") =>
  entries.length ? element("div", `rlv-list ${name}`, element("h4", "", title), element("ul", "", ...entries)) : null;

const unfolded = (card, { words }, go) => {
  const sentences = (texts) => texts.map((text) => element("li", "", text));
  const samples = card.samples.map((link, index) =>
    element("li", "", chip(card, link, `sample.${index}`, go), element("span", "rlv-second", ` ${link.hint}`)),
  );
  const judge = card.judged_by;
  const rule = judge ? [element("li", "", chip(card, judge, "rule", go))] : [];
  return element(
    "div",
    "rlv-unfolded",
    list(words.signs, sentences(card.signs)),
    list(words.samples, samples),
    list(words.deciders, sentences(card.deciders), "rlv-deciders"),
    list(words.fixes, sentences(card.fixes)),
    list(words.judged_by, rule),
  );
};

const muteButton = (card, data, go) => {
  if (!data.may_mute || !card.judged_by) return null;
  const act = () => go({ to: "mute", name: card.name });
  return hinted(button("rlv-link rlv-mute", `${card.name}.mute`, act, data.words.mute), data.words.mute_hint);
};

const mutedRow = (row, data, go) => {
  const undo = () => go({ to: "undo", name: row.name });
  const line = element(
    "div",
    "rlv-row",
    element("span", "rlv-sign rlv-second", data.words.muted),
    hinted(element("span", "rlv-sentence rlv-muted", row.sentence), row.sentence),
    hinted(element("span", "rlv-measured", row.reason), row.reason),
    element("span", "rlv-steps", row.when),
    data.may_mute ? button("rlv-link", `${row.name}.undo`, undo, data.words.undo) : null,
  );
  return element("li", "", line);
};

const evidence = (card, data, go, toggle) => {
  const decide = () => {
    toggle();
    revealDeciders(card.name);
  };
  const decides = card.rivals ? button("rlv-link", `${card.name}.decides`, decide, data.words.decides) : null;
  const doubts = [card.rivals && `${card.rivals} `, decides, card.record && decides && " · ", card.record].filter(Boolean);
  const said = [card.first_sign, card.evidence].filter(Boolean).join(" ");
  const more = card.judged_by ? button("rlv-chip", `${card.name}.more`, toggle, card.more || data.words.more) : null;
  return element(
    "div",
    "rlv-evidence",
    element("p", "rlv-when", sign(card), element("span", "rlv-second", card.when), muteButton(card, data, go)),
    hinted(element("h3", "rlv-cause", card.cause), card.cause),
    said ? hinted(element("p", "rlv-said", said), said) : null,
    element("div", "rlv-chips", ...card.links.map((link, index) => chip(card, link, index, go)), more),
    doubts.length ? element("p", "rlv-rivals", ...doubts) : null,
  );
};

const body = (card, data, open, draw, go) => {
  const toggle = () => {
    open.delete(card.name) || open.add(card.name);
    draw();
  };
  const parts = element("div", "rlv-parts", evidence(card, data, go, toggle), proposal(card, data, go));
  const made = element("section", "rlv-card", parts, open.has(card.name) ? unfolded(card, data, go) : null);
  made.dataset.severity = card.severity;
  made.dataset.finding = card.name;
  made.setAttribute("aria-label", filled(data.words.card, { verdict: card.word, cause: card.cause }));
  return made;
};

const row = (card, data, state, draw, go) => {
  const isShown = state.shown.has(card.name);
  const toggle = () => {
    state.shown.delete(card.name) || state.shown.add(card.name);
    draw();
  };
  const show = button("rlv-link", `${card.name}.show`, toggle, isShown ? data.words.hide : data.words.show);
  show.setAttribute("aria-expanded", String(isShown));
  const line = element(
    "div",
    "rlv-row",
    sign(card),
    hinted(element("span", "rlv-sentence", card.cause), card.cause),
    hinted(element("span", "rlv-measured", card.measured || card.evidence), card.evidence),
    element("span", "rlv-steps", card.when),
    show,
  );
  line.dataset.severity = card.severity;
  return element("li", "", line, isShown ? body(card, data, state.open, draw, go) : null);
};

export default function ({ data, parentElement, setTriggerValue }) {
  const place = placeIn(parentElement, "rlv-verdict");
  const state = (place.rlvitals ??= { open: new Set(), shown: new Set(), all: false });
  // Charts of a section that has just been left may still stand on the page: is_short tells that they will go.
  const isHere = (link) => link.to === "metric" && !data.is_short && chartOf(link.name);
  const go = (link) => {
    if (!isHere(link)) setTriggerValue("go", { to: link.to, step: link.step, row: link.row, name: link.name });
  };
  const draw = () => {
    const [worst, ...further] = data.cards;
    const others = data.is_short ? data.cards : further;
    const rows = state.all ? others : others.slice(0, data.is_short ? 1 : data.most_rows);
    const left = others.length - rows.length;
    const all = () => {
      state.all = true;
      draw();
    };
    redraw(place, () => [
      data.is_short ? null : body(worst, data, state.open, draw, go),
      others.length ? element("ul", "rlv-rows", ...rows.map((card) => row(card, data, state, draw, go))) : null,
      left ? button("rlv-link rlv-all", "all", all, left > 1 ? filled(data.words.further, { count: left }) : data.words.one_further) : null,
      data.muted.length ? element("ul", "rlv-rows", ...data.muted.map((row) => mutedRow(row, data, go))) : null,
    ]);
  };
  if (place.dataset.drawn === JSON.stringify(data)) return;
  place.dataset.drawn = JSON.stringify(data);
  whenReleased(place, draw);
}
