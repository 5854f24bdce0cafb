"""The state of a page: run, step, sample, section and entry in its address, and what the environment allows."""

import math
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from app.languages import in_chosen_language
from app.theme import DARK, LIGHT, Palette
from diagnostics.addresses import AddressError, address_of, is_address, local_path
from diagnostics.boundary import Boundary
from diagnostics.foreign_files.folders import resolved
from diagnostics.runlog.parent import SAMPLE_RUNS

RUN, STEP, SAMPLE, SECTION, ENTRY = "run", "step", "sample", "section", "entry"
FILTER, SORT = "filter", "sort"
FIND, ORDER, CUT, SPLIT, AGAINST, PROMPT = "find", "order", "cut", "split", "against", "prompt"  # of the samples
METRIC = "metric"  # what the names of the metrics are to hold
_COMPARE = "compare"
_ENTRY_SHOWN = "learn.entry"  # of the page's session: what its address says
_LIST = "runs.list"  # of the page's session: how the list was filtered and sorted
_NEWEST = "newest"  # in place of a step
_WINDOW, _AXIS = "steps", "axis"  # of the charts
_PAGE = "page"  # of the page's session: the one that was drawn last
_RULE = "rule"  # of the page's session: the check whose text is shown
_OWN_RUNS = Path("runs")
_MOST_DIGITS = 18  # of a step, which is an int64
_PATHS, _READ_ONLY = "RLVITALS_PATHS", "RLVITALS_READ_ONLY"


def folders() -> tuple[Path, ...]:
    """The folders to show: those of RLVITALS_PATHS, else ./runs and the sample runs beside the app."""
    named = tuple(Path(part) for part in os.environ.get(_PATHS, "").split(os.pathsep) if part)
    return named or (_OWN_RUNS, SAMPLE_RUNS)


def folder_of_new_runs() -> Path:
    """Where trainings that are started here are written: the first folder shown that is the user's own, else ./runs.

    Nothing is written into a copy of what lies elsewhere: it would be lost there, and whoever owns what was copied
    would not see it. Nor among the sample runs, which are a part of rlvitals.
    """
    return next((folder for folder in folders() if not address_of(folder) and not is_sample(folder)), _OWN_RUNS)


def add_folder(path: Path) -> None:
    """Also show the runs of another folder, in every session, until the dashboard ends."""
    shown = dict.fromkeys((*folders(), path))
    os.environ[_PATHS] = os.pathsep.join(map(str, shown))


def boundary() -> Boundary:
    """What may be opened: what really lies in the folders shown."""
    return Boundary.around(folders())


def boundary_with_samples() -> Boundary:
    """The same, and the sample runs: the Learn page shows them, and they may stand as a reference behind any chart."""
    return Boundary.around((*folders(), SAMPLE_RUNS))


def show_new_run(path: Path) -> None:
    """Also show a run that was started from here, where the folders shown do not hold it: beside a single run, say."""
    if not boundary().holds(path):
        add_folder(path)


def is_read_only() -> bool:
    """Whether trainings may not be started or stopped from here."""
    return os.environ.get(_READ_ONLY) == "1"


def is_sample(path: Path) -> bool:
    """Whether a run is one of the sample runs that ship with rlvitals."""
    return SAMPLE_RUNS.name in resolved(path).parts


def selected_run() -> str | None:
    """The path of the run in the address, which may also name a run that lies elsewhere by its own address."""
    named = st.query_params.get(RUN)
    try:
        return str(local_path(named)) if named and is_address(named) else named
    except AddressError:
        return named


def open_run(path: Path) -> None:
    """Write another run into the address of the Run page; its newest step is shown."""
    choose_step(None)
    write_into_address(PROMPT, "")
    st.query_params[RUN] = str(path)


def run_query(path: Path) -> str:
    """The part of an address that names a run, also one whose name is no UTF-8."""
    return query_of(str(path))


def query_of(run: str) -> str:
    """The same of a path as text."""
    return f"{RUN}={quote(os.fsencode(run))}"


def run_of_query(query: str) -> Path | None:
    """The run that `run_query` named; None where the text is no such part of an address."""
    name, _, words = query.partition("=")
    return Path(os.fsdecode(unquote_to_bytes(words))) if name == RUN and words.isascii() else None


def run_address() -> str:
    """The address of a run's page, relative to any page, behind which the query of the run is to be put."""
    return _before_runs(RUN)


def compare_address(paths: Iterable[Path]) -> str:
    """The address of the page that compares these runs, relative to any page; more of them may be put behind it."""
    return f"{_before_runs(_COMPARE)}{'&'.join(map(run_query, paths))}"


def _before_runs(page: str) -> str:
    address = in_chosen_language(page)
    return f"{address}{'&' if '?' in address else '?'}"


def in_address(name: str) -> str:
    """A parameter of the address; empty where it is not there."""
    return st.query_params.get(name, "")


def write_into_address(name: str, value: str) -> None:
    """Replace a parameter of the address; an empty value removes it."""
    if value:
        st.query_params[name] = value
    else:
        st.query_params.pop(name, None)


def follow_address(key: str, value: str) -> None:
    """Give the widget of this key the value in the address where it has another, as after a jump or the way back.

    Only there: a value that is given goes to the page, where it would undo what was clicked or typed in the meantime.
    """
    if st.session_state.get(key) != value:
        st.session_state[key] = value


def remember_list() -> None:
    """Keep how the list of runs is filtered and sorted, for the way back to it."""
    st.session_state[_LIST] = {name: text for name in (FILTER, SORT) if (text := in_address(name))}


def list_parameters() -> dict[str, str]:
    """How the list of runs was filtered and sorted when it was last seen."""
    kept: dict[str, str] = st.session_state.get(_LIST, {})
    return kept


def number_in_address(name: str) -> int | None:
    """A number from 0 in the address; None where there is none."""
    return number_of(in_address(name))


def number_of(text: str) -> int | None:
    """The number from 0 that a text is; None where it is none, or longer than a step can be."""
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else None


def chosen_step() -> int | None:
    """The step in the address; None where there is none, or the newest is wanted."""
    return number_in_address(STEP)


def choose_step(step: int | None) -> None:
    """Write a step into the address; None takes it out."""
    st.query_params.pop(SAMPLE, None)
    if step is None:
        st.query_params.pop(STEP, None)
    else:
        st.query_params[STEP] = str(step)


def chosen_entry() -> str | None:
    """The entry of the catalogue in the address of the Learn page; None for its index.

    A link from one entry to another leaves the browser's address as it was: Streamlit takes them for one page.
    """
    entry = st.query_params.get(ENTRY)
    if entry != st.session_state.get(_ENTRY_SHOWN):
        st.session_state[_ENTRY_SHOWN] = entry
        write_into_address(ENTRY, entry or "")
    return entry


def shown_steps() -> tuple[float, float] | None:
    """The steps that the charts of the page are zoomed to; None where all are shown, or another axis than steps.

    A chart's script writes them into the address by itself; a figure's tells them (`take_zoom_of`).
    """
    first, _, last = in_address(_WINDOW).partition("~")
    try:
        edges = float(first), float(last)
    except ValueError:
        return None
    return edges if edges[0] < edges[1] and all(map(math.isfinite, edges)) and not in_address(_AXIS) else None


def follows_newest() -> bool:
    """Whether the address asks for the newest step, whichever that is."""
    return st.query_params.get(STEP) == _NEWEST


def follow_newest() -> None:
    """Write into the address that the newest step is wanted, whichever that is."""
    choose_step(None)
    st.query_params[STEP] = _NEWEST


def chosen_sample() -> int | None:
    """The row in the address among the samples of the chosen step; None for none."""
    return number_in_address(SAMPLE)


def choose_sample(step: int, row: int) -> None:
    """Write a sample into the address: its step, and its row among the samples of that step."""
    choose_step(step)
    st.query_params[SAMPLE] = str(row)


def section() -> str | None:
    """The section of the Run page in the address; None where it names none."""
    return st.query_params.get(SECTION)


def choose_section(name: str) -> None:
    """Write a section of the Run page into the address."""
    st.query_params[SECTION] = name


def chosen_rule() -> str | None:
    """The check whose text was asked for."""
    rule: str | None = st.session_state.get(_RULE)
    return rule


def choose_rule(name: str) -> None:
    """Ask for the text of a check."""
    st.session_state[_RULE] = name


def take_step_of(component: str) -> None:
    """Choose the step that the component of this key says was clicked."""
    step = st.session_state[component].step
    if step is not None:
        choose_step(int(step))


def take_zoom_of(component: str) -> None:
    """Write the steps into the address that the component of this key says it was zoomed to; none for all of them."""
    zoomed = st.session_state[component].zoom
    if zoomed is not None and not in_address(_AXIS):
        write_into_address(_WINDOW, "~".join(f"{float(edge):.12g}" for edge in zoomed))


def page_has_gone() -> Callable[[], bool]:
    """Whether the page that is drawn now has been closed since; may be asked from any thread."""
    context = get_script_run_ctx()
    if context is None or not runtime.exists():  # not in a server
        return lambda: False
    server, session = runtime.get_instance(), context.session_id
    return lambda: not server.is_active_session(session)


def forget_other_pages(page: str) -> None:
    """Let no part of a page that was left be drawn again: a browser that asks for one late would be shown it alone."""
    context = get_script_run_ctx()
    if context is not None and st.session_state.get(_PAGE, page) != page:
        context.fragment_storage.clear()
    st.session_state[_PAGE] = page


def is_dark() -> bool:
    """Whether the browser shows the dark theme."""
    return st.context.theme.type == "dark"


def palette() -> Palette:
    """The colours of the theme that the browser shows."""
    return DARK if is_dark() else LIGHT
