"""The Runs page: one row for every run found, its state and its verdict."""

import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NoReturn

import pandas as pd
import streamlit as st
from pandas.io.formats.style import Styler

from app import state
from app.figures.sparkline import sparkline
from app.load.listing import Listed, Listing
from app.load.runs import Snapshot
from app.theme import STATES, VERDICTS
from app.widgets.markdown import escaped
from app.widgets.open_logs import open_logs
from diagnostics.curves.selection import main_reward
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.visible_text import one_line
from diagnostics.wording.runs import producer
from diagnostics.wording.steps import progress
from diagnostics.wording.times import age
from diagnostics.wording.values import counted
from diagnostics.wording.verdicts import verdict_headline

Cells = dict[str, object]

_POLL_SECONDS = 3.0
_PATIENCE = 0.5  # seconds that the page waits for what can be read at once
_READING = "◔ reading"
_TABLE = "runs.table"
_DRAWN = "runs.drawn"  # the paths of the rows as drawn
_FILTER = "runs.filter"
_SAMPLE_MARK = "(sample)"
_MOST_ROWS, _MOST_HEIGHT, _ROW_HEIGHT = 25, 860, 32  # rows, pixels, pixels
_COLUMNS = {
    "state": st.column_config.TextColumn(width=84),
    "name": st.column_config.TextColumn(width=170, help="Click a row to open the run."),
    "verdict": st.column_config.TextColumn(width=88),
    "finding": st.column_config.TextColumn(width=386),
    "reward": st.column_config.LineChartColumn(width=72),
    "step": st.column_config.TextColumn(width=64),
    "algorithm": st.column_config.TextColumn(width=76),
    "producer": st.column_config.TextColumn(width=94),
    "written": st.column_config.TextColumn(width=82),
}
_listings: list[Listing[Cells]] = []  # the newest one, when folders have been added


def render(folders: Sequence[Path], open_run: Callable[[Path], NoReturn], open_launch: Callable[[], NoReturn]) -> None:
    """Draw the list of the runs below these folders; `open_run` goes to a run's page, `open_launch` to Launch."""
    with st.container(horizontal=True):
        st.text_input(
            "Filter",
            key=_FILTER,
            placeholder="Filter by name, algorithm, producer, state, verdict",
            label_visibility="collapsed",
            width=420,
        )
        if not state.is_read_only():
            open_logs()
    st.fragment(_listing, run_every=_POLL_SECONDS)(folders, open_run, open_launch)


@cache
def _listing_of(folders: tuple[Path, ...]) -> Listing[Cells]:
    """One for all sessions."""
    _listings.append(Listing(folders, _cells, before=_listings.pop() if _listings else None))
    return _listings[0]


def _listing(
    folders: Sequence[Path], open_run: Callable[[Path], NoReturn], open_launch: Callable[[], NoReturn]
) -> None:
    _open_clicked(open_run)
    listing = _listing_of(tuple(folders))
    found = listing.entries(_PATIENCE)
    if found is None:
        st.caption(f"Looking for runs in {_folder_names(folders)}")
        return
    if listing.left_out:
        st.caption(_left_out(listing.left_out))
    if not found:
        _empty(folders, open_launch)
        return
    if any(state.is_sample(item.ref.path) for item in found):
        st.caption(f"Runs marked {_SAMPLE_MARK} are samples: real trainings that show health and sickness.")
    if all(state.is_sample(item.ref.path) for item in found):
        _first_steps(open_launch)
    unread = sum(not item.is_read for item in found)
    if unread:
        st.caption(f"Reading: {len(found) - unread} of {len(found)} runs so far.")
    readable = [item for item in found if not item.error]
    rows = [item for item in readable if _matches(_row(item))]
    _table(rows)
    if len(rows) < len(readable):
        st.caption(f"{len(rows)} of {len(readable)} runs match the filter.")
    for item in found:
        if item.error:
            st.caption(f":orange[{escaped(item.error)}]")


def _open_clicked(open_run: Callable[[Path], NoReturn]) -> None:
    """Open the run of the clicked row, by the order that was drawn then.

    This comes before any drawing: a refresh of the list between the click and the other page would empty that page.
    """
    table = st.session_state.get(_TABLE)
    if table and table.selection.cells:
        index, _ = table.selection.cells[0]
        open_run(st.session_state[_DRAWN][index])


def _table(rows: Sequence[Listed[Cells]]) -> None:
    st.dataframe(
        _coloured(pd.DataFrame([_row(item) for item in rows], columns=list(_COLUMNS))),
        hide_index=True,
        key=_TABLE,
        on_select="rerun",
        selection_mode="single-cell",
        height="content" if len(rows) <= _MOST_ROWS else _MOST_HEIGHT,
        row_height=_ROW_HEIGHT,
        column_config=_COLUMNS,
    )
    st.session_state[_DRAWN] = [item.ref.path for item in rows]


def _coloured(table: pd.DataFrame) -> Styler:
    """The table with each verdict in the colour of its severity; the word and the shape say it too."""
    palette = state.palette()
    colours = {str(sign): f"color: {palette.of(severity)}" for severity, sign in VERDICTS.items()}
    return table.style.map(lambda cell: colours.get(cell, ""), subset=["verdict"])


def _row(found: Listed[Cells]) -> Cells:
    """The cells of a row; only the name of a run that was not read yet."""
    cells = found.summary or {
        **dict.fromkeys(_COLUMNS, ""),
        "state": _READING,
        "name": one_line(found.ref.name),
        "reward": (),
    }
    sample = f" {_SAMPLE_MARK}" if state.is_sample(found.ref.path) else ""
    return {**cells, "name": f"{cells['name']}{sample}", "written": age(found.written, time.time())}


def _cells(snapshot: Snapshot) -> Cells:
    """The cells that need the run to be read."""
    run, diagnosis = snapshot.run, snapshot.diagnosis
    return {
        "state": str(STATES[run.status.state]),
        "name": one_line(run.name),
        "verdict": str(VERDICTS[diagnosis.verdict]),
        "finding": one_line(_finding(diagnosis)),
        "reward": sparkline(main_reward(run)),
        "step": progress(run, short=True).removeprefix("step "),
        "algorithm": one_line(run.algorithm),
        "producer": one_line(producer(run)),
    }


def _finding(diagnosis: Diagnosis) -> str:
    """The worst finding, else what ended the run, else how much was checked."""
    error = "" if diagnosis.fired else diagnosis.run.status.short_error
    return error or verdict_headline(diagnosis)


def _matches(row: Cells) -> bool:
    text = " ".join(str(cell) for cell in row.values() if isinstance(cell, str)).lower()
    return all(word in text for word in st.session_state.get(_FILTER, "").lower().split())


def _empty(folders: Sequence[Path], open_launch: Callable[[], NoReturn]) -> None:
    st.markdown(f"**No run yet in {_folder_names(folders)}**")
    _first_steps(open_launch)


def _folder_names(folders: Sequence[Path]) -> str:
    return escaped(", ".join(map(str, folders)))


def _left_out(links: int) -> str:
    verbs = ("leads", "is") if links == 1 else ("lead", "are")
    return f"{counted(links, 'link')} in these folders {verbs[0]} outside of them and {verbs[1]} left out."


def _first_steps(open_launch: Callable[[], NoReturn]) -> None:
    """The two ways to see a run of one's own: train a demo, or open logs."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Train one now", help="A small demo on this machine, about a minute.", type="primary"):
            open_launch()
        above = "" if state.is_read_only() else "with the button above, or by "
        st.caption(f"or open your own logs: {above}`rlvitals PATH` in a terminal")
