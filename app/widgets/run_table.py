"""The table of the runs, with its chips and the bar of what is selected.

Streamlit's own table is drawn on a canvas: a click on a head opens a run, nothing can be bold, and no reader of the
screen finds a row. This one is a table of the page, drawn by `run_table.js`.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from app import state
from app.assets import asset
from app.keys import RUNS, handled
from app.run_list.chips import Chip
from app.run_list.order import COLUMNS, Order
from app.run_list.row import Row
from diagnostics.annotations import LONGEST_NOTE, LONGEST_TAG
from diagnostics.language import N_, _

OnAct = Callable[[str, object], None]

_NAME = "rlvitals_run_table"
_PARTS = (
    "charts/scripts/filled.js",
    "widgets/dom.js",
    "widgets/run_cells.js",
    "widgets/selection_bar.js",
    "widgets/run_table.js",
)  # one module, in this order
_SCRIPT = "\n".join(asset(part) for part in _PARTS)
_STYLE = asset("widgets/run_table.css")
ACTS = ("chip", "sort", "open", "tag", "untag", "note", "archive", "restore")
_TITLES = {
    "verdict": N_("Verdict"),
    "run": N_("Run"),
    "reward": N_("Reward"),
    "last": N_("Last"),
    "state": N_("State"),
    "cost": N_("Cost"),
    "algorithm": N_("Algorithm"),
    "written": N_("Written"),
}


def run_table(
    rows: Sequence[Row],
    key: str,
    on_act: OnAct,
    *,
    chips: Sequence[Mapping[str, Any]] = (),
    order: Order | None = None,
    status: str = "",
    message: str = "",
) -> None:
    """Draw the rows; `message` says why there are none.

    `on_act` gets what is done in it: one of ACTS, and what the browser says of it. Without an order the table only
    shows and opens: nothing sorts and nothing can be selected.
    """
    component = st.components.v2.component(_NAME, js=_SCRIPT, css=_STYLE, isolate_styles=False)
    data = {
        "rows": rows,
        "chips": chips,
        "columns": [
            {"id": name, "title": _(title), "sorts": order is not None and name in COLUMNS}
            for name, title in _TITLES.items()
        ],
        "sort": {"column": order.column, "is_reversed": order.is_reversed} if order else {},
        "status": status,
        "message": message,
        "run": state.run_address(),
        "compare": state.compare_address(()),
        "may_select": order is not None,
        "may_edit": order is not None and not state.is_read_only(),
        "longest_tag": LONGEST_TAG,
        "longest_note": LONGEST_NOTE,
        "keys": handled(RUNS),
        "words": _words(),
    }
    callbacks: dict[str, Any] = {f"on_{name}_change": partial(_pass_on, key, name, on_act) for name in ACTS}
    component(key=key, data=data, **callbacks)


def _words() -> Mapping[str, Any]:
    return {
        "table": _("Runs"),
        "chips": _("Filter by verdict and state"),
        "verdict": _("{verdict}: "),
        "just_opened": _("Just opened"),
        "select": _("Select"),
        "select_run": _("Select {run}"),
        "selected": _("{count} selected"),
        "compare": _("Compare"),
        "compare_hint": _("Two to twenty runs, side by side"),
        "tag": _("Tag"),
        "new_tag": _("New tag"),
        "remove": _("Remove tag {tag}"),
        "note": _("Note"),
        "archive": _("Archive"),
        "restore": _("Restore"),
        "clear": _("Clear"),
        "save": _("Save"),
        "keys": [[["j", "k"], _("move")], [["x"], _("select")], [["c"], _("compare")]],
    }


def _pass_on(key: str, name: str, on_act: OnAct) -> None:
    on_act(name, st.session_state[key].get(name))


def chip_data(chips: Sequence[Chip], total: int, *, is_all: bool, is_disabled: bool) -> list[Mapping[str, Any]]:
    """The chips as plain data, after one that takes back what the others chose."""
    everything = {
        "field": "",
        "value": "",
        "shape": "",
        "word": _("All"),
        "count": f"{total:,}",
        "is_on": is_all,
        "is_disabled": is_disabled,
        "starts_group": False,
    }
    fields = ["", *(chip.field for chip in chips)]
    others = [
        {
            "field": chip.field,
            "value": chip.value,
            "shape": chip.sign.shape,
            "word": chip.sign.word.capitalize(),
            "count": f"{chip.count:,}",
            "is_on": chip.is_on,
            "is_disabled": is_disabled,
            "starts_group": chip.field != before and bool(before),
        }
        for chip, before in zip(chips, fields, strict=False)
    ]
    return [everything, *others]
