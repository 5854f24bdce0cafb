"""Muting a finding from the page: the question for reason, runs and last day, and what is muted already."""

from datetime import date

import streamlit as st

from app.languages import speak
from app.widgets import project_file
from app.widgets.markdown import escaped
from app.widgets.refusal import refusal_line
from diagnostics.language import N_, _
from diagnostics.model.diagnosis import Diagnosis, Muted
from diagnostics.model.run import Run
from diagnostics.visible_text import one_line
from diagnostics.wording.findings import begun_large, in_words
from diagnostics.wording.messages import message_text

_ASKED, _PROBLEM = "mute.asked", "mute.problem"
_THIS_RUN, _PROJECT = N_("This run"), N_("This project")


def ask_to_mute(run: Run, finding: str) -> None:
    """Let the page ask how a finding is to be muted; for a callback."""
    st.session_state.pop(_PROBLEM, None)
    st.session_state[_ASKED] = (str(run.path), finding)


def undo(run: Run, muted: Muted) -> None:
    """Tell of a muted finding again; for a callback."""
    speak()
    st.session_state[_PROBLEM] = project_file.unmute(run, muted.mute)


def mute_question(diagnosis: Diagnosis) -> None:
    """Draw the question that was asked for, and why the last change could not be made; else nothing."""
    run, asked = diagnosis.run, st.session_state.get(_ASKED)
    known = {finding.name: message_text(finding.summary) for finding in diagnosis.findings}
    known |= {outcome.rule: f"{begun_large(in_words(outcome.rule))}." for outcome in diagnosis.fired}
    if asked and asked[0] == str(run.path) and asked[1] in known and project_file.may_change(run):
        st.dialog(_("Mute a finding"), on_dismiss=_forget)(_question)(run, asked[1], known[asked[1]])
    elif sentence := st.session_state.get(_PROBLEM):
        refusal_line(sentence)


def _question(run: Run, finding: str, sentence: str) -> None:
    project_file.draw_whole_page_if_wanted()
    file = project_file.file_of(run)
    key = f"mute.{run.run_id}.{finding}"
    st.markdown(escaped(one_line(sentence)))
    with st.form(key, border=False):
        st.text_area(
            _("Reason"),
            key=f"{key}.reason",
            max_chars=project_file.LONGEST_REASON,
            help=_("Every report of the run tells it."),
        )
        st.radio(
            _("For"),
            (_THIS_RUN, _PROJECT),
            format_func=_,
            key=f"{key}.runs",
            horizontal=True,
            captions=(_("and no other"), _("all runs below {folder}").format(folder=escaped(str(file.parent)))),
        )
        st.date_input(
            _("Until"),
            value=None,
            min_value=date.today(),
            key=f"{key}.until",
            format="YYYY-MM-DD",
            help=_("The last day on which it holds. Left empty, it holds for good."),
        )
        st.caption(
            _("Written into {file}, which the command line reads too. It can be undone.").format(
                file=escaped(str(file))
            )
        )
        if problem := st.session_state.get(_PROBLEM):
            refusal_line(problem)
        # A callback, since a rerun for new data may come between the click and the code that would see it.
        st.form_submit_button(_("Mute"), type="primary", on_click=_mute, args=(run, finding, key))


def _mute(run: Run, finding: str, key: str) -> None:
    speak()
    asked = st.session_state
    problem = project_file.mute(
        run,
        finding,
        asked[f"{key}.reason"],
        only_this_run=asked[f"{key}.runs"] == _THIS_RUN,
        until=asked[f"{key}.until"],
    )
    asked[_PROBLEM] = problem
    if not problem:
        _forget()


def _forget() -> None:
    st.session_state.pop(_ASKED, None)
