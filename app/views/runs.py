"""The Runs page: one row for every run found, its verdict first, filtered and sorted as the address says."""

import time
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import NoReturn

import streamlit as st

from app import state
from app.languages import fragment
from app.load.listing import Listed, Listing
from app.load.runs import Found
from app.run_list.chips import chips, everything
from app.run_list.entry import Entry, entries
from app.run_list.kept import KeptSummaries
from app.run_list.order import Order, first_of_severity
from app.run_list.row import Row, row, status
from app.run_list.summary import Summary, summary
from app.widgets.filter_field import filter_field
from app.widgets.markdown import escaped
from app.widgets.open_logs import open_logs
from app.widgets.refusal import refusal_line
from app.widgets.run_annotations import annotations_of, change
from app.widgets.run_table import chip_data, run_table
from diagnostics.addresses import shown as shown_path
from diagnostics.language import N_, _, ngettext
from diagnostics.remote.following import silence_of
from diagnostics.run_filter.filter import Filter
from diagnostics.run_filter.hint import hint
from diagnostics.run_filter.parser import LONGEST_FILTER, FilterError, parse
from diagnostics.told import said

Folders = Callable[[], Sequence[Path]]
OpenRun = Callable[[Path], NoReturn]
OpenLaunch = Callable[[], NoReturn]

_POLL_SECONDS = 3.0
_PATIENCE = 0.5  # seconds that the page waits for what can be read at once
_TABLE, _FIELD = "runs.table", "runs.filter"
_OPEN, _PROBLEM = "runs.open", "runs.problem"
_FIELD_WIDTH = 600  # pixels
_MOST_ROWS = 1_000  # drawn; a filter finds the others
_USUAL = N_("severity, then newest")
_listings: list[Listing[Summary]] = []  # the newest one, when folders have been added


def render(folders: Folders, open_run: OpenRun, open_launch: OpenLaunch) -> None:
    """Draw the list of the runs below these folders; `open_run` goes to a run's page, `open_launch` to Launch."""
    fragment(_page, run_every=_POLL_SECONDS)(folders, open_run, open_launch)


@cache
def _listing_of(folders: tuple[Path, ...]) -> Listing[Summary]:
    """One for all sessions."""
    before = _listings.pop() if _listings else None
    _listings.append(Listing(folders, summary, before, KeptSummaries()))
    return _listings[0]


def _page(folders: Folders, open_run: OpenRun, open_launch: OpenLaunch) -> None:
    # Before any drawing: a refresh of the list between the click and the other page would empty that page.
    if (chosen := st.session_state.pop(_OPEN, None)) is not None:
        open_run(chosen)
    listing = _listing_of(tuple(folders()))
    listed = listing.entries(_PATIENCE)
    if listed is None:
        st.caption(_("Looking for runs in {folders}").format(folders=_names(folders())))
        return
    said, problem = annotations_of([item.ref.path for item in listed])
    known = entries(listed, said, state.is_sample)
    if listed and not all(state.is_sample(item.ref.path) for item in listed):
        _list(known, problem or st.session_state.get(_PROBLEM, ""), open_launch)
    else:
        _first_visit(folders(), known, open_launch)
    st.caption(_("Runs below {folders}").format(folders=_names(_own(folders()))))
    _left_out(folders(), listing.found, listed)


def _list(known: Sequence[Entry], problem: str, open_launch: OpenLaunch) -> None:
    """The list as its user works with it."""
    text = state.in_address(state.FILTER)[: LONGEST_FILTER + 1]
    order = Order.parse(state.in_address(state.SORT))
    state.remember_list()
    _header(text, open_launch)
    try:
        chosen, message = parse(text), ""
    except FilterError as error:
        chosen, message = Filter(), _("{reason} All runs are shown.").format(reason=error)
    shown = [entry for entry in known if chosen.matches(entry.facts)]
    rest = everything(chosen)
    run_table(
        _rows(order.sorted(shown), has_severities=order.column == "verdict"),
        _TABLE,
        partial(_act, known),
        chips=chip_data(
            chips(known, chosen),
            sum(rest.matches(entry.facts) for entry in known),
            is_all=chosen == rest,
            is_disabled=bool(message),
        ),
        order=order,
        status=_status(known, shown, order),
        message=problem or message or hint(chosen, [entry.facts for entry in known]),
    )


def _header(text: str, open_launch: OpenLaunch) -> None:
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
        filter_field(text, _filter, _FIELD, _FIELD_WIDTH)
        if not state.is_read_only():
            with st.container(horizontal=True, width="content"):
                open_logs(_OPEN)
                if st.button(_("Train one"), help=_("A small demo on this machine, about a minute."), type="primary"):
                    open_launch()


def _rows(shown: Sequence[Entry], *, has_severities: bool) -> list[Row]:
    now, firm = time.time(), first_of_severity(shown)
    return [
        row(entry, state.run_query(entry.path), now, starts_severity=has_severities and is_first)
        for entry, is_first in zip(shown[:_MOST_ROWS], firm, strict=False)
    ]


def _status(known: Sequence[Entry], shown: Sequence[Entry], order: Order) -> str:
    listed = sum(not entry.facts.marks for entry in known)
    unread = sum(entry.summary is None for entry in known)
    words = _(_USUAL) if order == Order() else ""
    cut = _("the first {count} are shown").format(count=f"{_MOST_ROWS:,}") if len(shown) > _MOST_ROWS else ""
    return " · ".join(filter(None, (status(len(shown), max(listed, len(shown)), unread, words), cut)))


def _filter(text: str) -> None:
    state.write_into_address(state.FILTER, text[: LONGEST_FILTER + 1])


def _act(known: Sequence[Entry], what: str, sent: object) -> None:
    """Do what was asked for in the table; the script then draws what has become of it."""
    st.session_state.pop(_PROBLEM, None)
    if what == "chip" and isinstance(sent, list) and len(sent) == 2:
        _toggle(*map(str, sent))
    elif what == "sort" and isinstance(sent, str):
        order = Order.parse(state.in_address(state.SORT)).by(sent)
        state.write_into_address(state.SORT, "" if order == Order() else str(order))
    elif what == "open" and isinstance(sent, str):
        if (path := state.run_of_query(sent)) in {entry.path for entry in known}:
            st.session_state[_OPEN] = path
    elif problem := change(what, sent, frozenset(entry.path for entry in known)):
        st.session_state[_PROBLEM] = problem


def _toggle(field: str, value: str) -> None:
    """Choose a chip or no longer; the chip without a field takes back what the others chose."""
    try:
        chosen = parse(state.in_address(state.FILTER))
    except FilterError:  # typed between the click and now; the page says what is wrong with it
        return
    changed = chosen.toggled(field, value) if field else everything(chosen)
    state.write_into_address(state.FILTER, str(changed))


def _first_visit(folders: Sequence[Path], samples: Sequence[Entry], open_launch: OpenLaunch) -> None:
    """What to do first, above the sample runs where there are any."""
    st.markdown(_("## No runs in {folders} yet.").format(folders=_names(_own(folders))))
    st.markdown(
        _(
            "Runs appear here by themselves as soon as a trainer writes logs: TRL, verl, TensorBoard, W&B offline, "
            "trackio or rlvitals."
        )
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(_("Train one now"), help=_("A small demo on this machine."), type="primary"):
            open_launch()
        if not state.is_read_only():
            open_logs(_OPEN)
        st.caption(_("about a minute on a laptop, no download"))
    st.code(_("rlvitals ~/experiments   # or give a folder when starting"), language=None)
    if samples:
        st.markdown(_("### Sample runs"))
        st.caption(
            _("Real trainings that came with rlvitals, healthy and sick. They leave this list once you have a run.")
        )
        run_table(_rows(Order().sorted(samples), has_severities=False), _TABLE, partial(_act, samples))


def _own(folders: Sequence[Path]) -> Sequence[Path]:
    """The folders that are to hold the user's runs; all of them where they hold samples alone."""
    return [folder for folder in folders if not state.is_sample(folder)] or folders


def _names(folders: Sequence[Path]) -> str:
    """The folders as one would type them; "./runs" reads as a folder in a sentence, "runs" does not."""
    return escaped(", ".join(name if "/" in name or name == "." else f"./{name}" for name in map(shown_path, folders)))


def _left_out(folders: Sequence[Path], found: Found, listed: Sequence[Listed[Summary]]) -> None:
    """Say what the list lacks: links that lead outside, what a bound cut off, what cannot be read."""
    if links := found.links_out:
        words = ngettext(
            "{count} link in these folders leads outside of them and is left out.",
            "{count} links in these folders lead outside of them and are left out.",
            links,
        )
        st.caption(words.format(count=f"{links:,}"))
    for sentence in filter(None, map(silence_of, folders)):
        refusal_line(said(sentence))
    for sentence in (*found.omissions, *(item.error for item in listed if item.error)):
        refusal_line(sentence)
