"""The project file as the page changes it: the rlvitals.toml that `rlvitals mute` writes and every command reads."""

from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path

import streamlit as st

from app import state
from app.load.runs import expire
from diagnostics.addresses import address_of
from diagnostics.language import _
from diagnostics.model.diagnosis import UnknownLimitError
from diagnostics.model.project import Mute, pattern_of
from diagnostics.model.run import Run
from diagnostics.project import ProjectFileError, add_mute, file_for, remove_mutes, set_limits
from diagnostics.rules import CATALOG
from diagnostics.rules.overrides import effective_limits
from diagnostics.visible_text import visible

LONGEST_REASON = 1_000  # characters
_WANTED = "project.whole_page"


def may_change(run: Run) -> bool:
    """Whether mutes and limits of a run can be changed from here: not where all is read-only.

    Nor of a sample run, or of one that lies elsewhere.
    """
    return not (state.is_read_only() or state.is_sample(run.path) or address_of(run.path))


def file_of(run: Run) -> Path:
    """The file that holds the run's mutes and limits, or would."""
    return file_for(run.path, state.folders())


def mute(run: Run, finding: str, reason: str, *, only_this_run: bool, until: date | None) -> str:
    """Mute a finding of this run, or of all runs that share its file; the sentence why not, else empty."""
    words = visible(reason.strip())
    if not words:
        return _("A mute needs its reason: everybody who reads a report sees it.")
    if len(words) > LONGEST_REASON:
        return _("A reason has at most {most} characters; this one has {count}.").format(
            most=f"{LONGEST_REASON:,}", count=f"{len(words):,}"
        )
    if why := _why_not(run):
        return why
    pattern = pattern_of(run.path, file := file_of(run)) if only_this_run else ""
    if only_this_run and not pattern:  # an empty one would mean every run
        return _("{file} does not lie above this run, so it cannot mean this one alone.").format(file=file)
    return _change(run, lambda file: add_mute(file, Mute(finding, words, pattern, until)))


def unmute(run: Run, undone: Mute) -> str:
    """Tell of a finding again; the sentence why not, else empty."""
    return _change(run, lambda file: remove_mutes(file, undone.finding, undone.run))


def change_limits(run: Run, rule: str, typed: Mapping[str, str]) -> str:
    """Write those limits of a rule that were typed anew, an empty one as its default; the sentence why not, else empty.

    Nothing is written unless every limit exists and fits.
    """
    defaults = next(known.limits.values() for known in CATALOG if known.name == rule)
    before = {**defaults, **run.project.limits.get(rule, {})}
    try:
        given = {name: _number(f"{rule}.{name}", text) for name, text in typed.items() if text.strip()}
        checked = effective_limits(CATALOG, {rule: given})[rule].values()
    except UnknownLimitError as error:
        return _("{reason}. Nothing was written.").format(reason=error)
    new = {name: checked[name] for name in typed if checked[name] != before[name]}
    written = {name: None if value == defaults[name] else value for name, value in new.items()}
    return _change(run, lambda file: set_limits(file, rule, written)) if written else ""


def want_whole_page() -> None:
    """Let a fragment draw the whole page anew; for a callback."""
    st.session_state[_WANTED] = True


def draw_whole_page_if_wanted() -> None:
    """Draw the whole page anew where a callback of this fragment asked for it, or has changed the file."""
    if st.session_state.pop(_WANTED, False):
        st.rerun()


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        words = _("{name} must be a number, but is {text}").format(name=name, text=repr(text.strip()[:40]))
        raise UnknownLimitError(words) from None


def _change(run: Run, change: Callable[[Path], object]) -> str:
    """Change the file, unless it is none of the page's; the run is then judged anew."""
    if why := _why_not(run):
        return why
    try:
        change(file_of(run))
    except ProjectFileError as error:
        return str(error)
    expire(str(run.path))
    want_whole_page()
    return ""


def _why_not(run: Run) -> str:
    """Why this page does not change the file of a run; empty where it does."""
    if not may_change(run):
        return _("This dashboard shows it and changes nothing.")
    file = file_of(run)
    if file.parent != run.path.absolute():
        return ""
    return _(
        "{file} lies in the run's own folder, where this page writes nothing; change it by hand, or move it up."
    ).format(file=file)
