// Draws the checks of a run by what came of them; a group that was unfolded or folded stays so when data arrive.

const rowOf = (row, data, go) => {
  const words = element("span", "rlc-said", row.sentence, row.more ? element("span", "rlc-second", ` ${row.more}`) : null);
  const made = button(
    "rlc-row",
    `rule.${row.rule}`,
    () => go({ to: "rule", name: row.rule }),
    element("span", "rlc-sign", row.sign),
    hinted(element("span", "rlc-name", row.name), row.id),
    words,
    element("span", "rlc-second", row.steps),
  );
  made.dataset.severity = row.severity;
  made.setAttribute("aria-pressed", String(row.rule === data.chosen));
  return made;
};

const groupOf = (group, data, state, go) => {
  const made = element(
    "details",
    "rlc-group",
    element("summary", "", group.title, element("span", "rlc-second", ` ${group.rows.length}`)),
    ...group.rows.map((row) => rowOf(row, data, go)),
  );
  const holdsChosen = group.rows.some((row) => row.rule === data.chosen);
  made.open = state.open.get(group.title) ?? (!group.is_folded || holdsChosen);
  made.addEventListener("toggle", () => state.open.set(group.title, made.open));
  return made;
};

export default function ({ data, parentElement, setTriggerValue }) {
  const place = placeIn(parentElement, "rlc-checks");
  const state = (place.rlvitals ??= { open: new Map() });
  const drawn = JSON.stringify(data);
  if (state.drawn === drawn) return;
  state.drawn = drawn;
  const go = (wish) => setTriggerValue("go", wish);
  whenReleased(place, () => redraw(place, () => data.groups.map((group) => groupOf(group, data, state, go))));
}
