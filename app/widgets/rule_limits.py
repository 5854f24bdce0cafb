"""The limits of a rule on the page: unit, default, source and the project's own value, which can be changed here."""

from collections.abc import Sequence

import streamlit as st

from app.languages import speak
from app.widgets import project_file
from app.widgets.markdown import escaped
from app.widgets.refusal import refusal_line
from diagnostics.language import _
from diagnostics.model.messages import format_value
from diagnostics.model.run import Run
from diagnostics.rules import CATALOG
from diagnostics.rules.limits import LimitDoc

_PROBLEM = "limits.problem"  # a rule, and why its limits could not be changed


def rule_limits(run: Run, rule: str) -> None:
    """Draw the limits of a rule; as fields where they can be changed."""
    limits = next((known.limit_docs for known in CATALOG if known.name == rule), ())
    if not limits:
        return
    st.markdown(_("**Limits**"))
    if project_file.may_change(run):
        _form(run, rule, limits)
    else:
        for item in limits:
            st.caption(_words(run, rule, item))


def _form(run: Run, rule: str, limits: Sequence[LimitDoc]) -> None:
    own, key = run.project.limits.get(rule, {}), f"limits.{run.run_id}.{rule}"
    with st.form(key, border=False):
        for item in limits:
            # Named by its value too: after a reset from elsewhere the field shows what holds, not what was typed.
            value = _plain(own.get(item.name, item.value))
            label = escaped(f"{item.name}, {_(item.unit)}")
            st.text_input(label, value=value, key=_field(run, rule, item), placeholder=_("default"))
            usual = _("default {value}").format(value=format_value(item.value))
            st.caption(escaped(f"{usual} · {_(item.source)}"))
        asked, problem = st.session_state.get(_PROBLEM, ("", ""))
        if problem and asked == rule:
            refusal_line(problem)
        with st.container(horizontal=True):
            st.form_submit_button(_("Save"), on_click=_save, args=(run, rule, limits))
            if own:
                st.form_submit_button(_("Reset to the defaults"), on_click=_reset, args=(run, rule, limits))
        file = escaped(str(project_file.file_of(run)))
        st.caption(_("Kept in {file}, for all runs below it.").format(file=file))


def _save(run: Run, rule: str, limits: Sequence[LimitDoc]) -> None:
    speak()
    typed = {item.name: str(st.session_state.get(_field(run, rule, item), "")) for item in limits}
    st.session_state[_PROBLEM] = (rule, project_file.change_limits(run, rule, typed))


def _reset(run: Run, rule: str, limits: Sequence[LimitDoc]) -> None:
    speak()
    st.session_state[_PROBLEM] = (rule, project_file.change_limits(run, rule, {item.name: "" for item in limits}))


def _field(run: Run, rule: str, item: LimitDoc) -> str:
    own = run.project.limits.get(rule, {}).get(item.name, item.value)
    return f"limits.{run.run_id}.{rule}.{item.name}.{own}"


def _words(run: Run, rule: str, item: LimitDoc) -> str:
    own = run.project.limits.get(rule, {}).get(item.name)
    told = f"**{escaped(item.name)}** {escaped(f'{format_value(item.value)} {_(item.unit)} · {_(item.source)}')}"
    if own is None:
        return told
    return _("{limit} · this project: **{value}**").format(limit=told, value=escaped(_plain(own)))


def _plain(value: object) -> str:
    """A number with all of its digits."""
    return repr(value).removesuffix(".0")
