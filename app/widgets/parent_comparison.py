"""A relaunched run compared with its parent: the changed settings and the fate of the parent's findings."""

from pathlib import Path

import streamlit as st

from app import state
from app.languages import chosen_parameters
from app.load.runs import snapshot_of
from app.theme import FATES
from app.widgets.markdown import escaped
from diagnostics.api import UnreadableRun
from diagnostics.comparison import Comparison, ParentFinding, compare
from diagnostics.language import _
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.run import Run
from diagnostics.runlog.parent import find_parent
from diagnostics.wording.comparison import comparison_heading, fate_sentence, missing_parent_sentence, reward_sentence
from diagnostics.wording.messages import message_text
from diagnostics.wording.severities import verdict_word
from diagnostics.wording.steps import steps_of


def parent_comparison(child: Diagnosis, compare_page: st.Page | None = None) -> None:
    """Draw the comparison; nothing for a run without a parent, a sentence if the parent was not found.

    `compare_page` is the page on which both can be seen side by side.
    """
    if child.run.parent is None:
        return
    path = _parent_of(child.run)
    try:
        comparison = compare(child, snapshot_of(str(path), state.boundary()).diagnosis) if path is not None else None
    except UnreadableRun:
        comparison = None
    if comparison is None:
        st.caption(escaped(missing_parent_sentence(child.run)))
    else:
        _draw(comparison, child.run, compare_page)


def _parent_of(run: Run) -> Path | None:
    """The parent's folder, searched for once per session."""
    known = f"parent.{run.run_id}"
    if known not in st.session_state:
        st.session_state[known] = find_parent(run, *state.folders())
    path: Path | None = st.session_state[known]
    return path


def _draw(comparison: Comparison, child: Run, compare_page: st.Page | None) -> None:
    parent = comparison.parent.run
    with st.container(border=True, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{escaped(comparison_heading(comparison))}**")
            st.button(
                _("Open {run}").format(run=escaped(parent.name)),
                type="tertiary",
                on_click=state.open_run,
                args=(parent.path,),
            )
            if compare_page is not None:
                both = [*chosen_parameters().items(), *((state.RUN, str(run.path)) for run in (parent, child))]
                st.page_link(compare_page, label=_("Compare the two"), query_params=both)
        for item in comparison.inherited:
            _finding_fate(item)
        for finding in comparison.new:
            words = _("It is {severity}: {steps}.")
            when = escaped(words.format(severity=verdict_word(finding.severity), steps=steps_of(finding)))
            sign = escaped(_("new"))
            st.markdown(f":orange[▲ {sign}] {escaped(message_text(finding.summary))} :gray[{when}]")
        if sentence := reward_sentence(comparison):
            st.caption(escaped(sentence))


def _finding_fate(item: ParentFinding) -> None:
    sign = FATES[item.fate]
    st.markdown(
        f":{sign.colour}[{sign}] {escaped(message_text(item.finding.summary))} :gray[{escaped(fate_sentence(item))}]"
    )
