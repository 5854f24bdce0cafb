"""All metrics of a run: a table at the chosen step, and the curves beside the crucial ones, with a filter."""

from collections.abc import Sequence

import streamlit as st

from app import state
from app.widgets.charts import charts
from app.widgets.markdown import escaped
from app.widgets.metric_table import metric_table
from diagnostics.language import N_, _
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.wording.series import series_title

_FILTER = "metrics.filter"
_TITLES = {
    "reward": N_("Reward"),
    "kl": N_("KL"),
    "update": N_("Update"),
    "policy": N_("Policy"),
    "value": N_("Value"),
    "length": N_("Length"),
    "engine": N_("Engine"),
    "staleness": N_("Staleness"),
    "environment": N_("Environment"),
    "time": N_("Time"),
    "memory": N_("Memory"),
    "progress": N_("Progress"),
    "eval": N_("Evaluation"),
    "other": N_("Other names that the log holds"),
}


def metrics(
    run: Run, outcomes: Sequence[Outcome], others: Sequence[Series], chosen_step: int | None, ghost: Run | None = None
) -> None:
    """Draw the table of all metrics, and the curves of the others, as far as the filter lets them through."""
    words = _filter().lower().split()
    metric_table(run, outcomes, chosen_step, words)
    found = [series for series in others if all(word in _searched(series) for word in words)]
    if not found:
        st.caption(_("Nothing matches the filter.") if others else _("The run logs nothing but its crucial values."))
    for section, title in _TITLES.items():
        members = [series for series in found if _section(series) == section]
        if members:
            st.markdown(f"**{escaped(_(title))}**")
            charts(run, outcomes, members, chosen_step, f"all.{section}", ghost)


def _filter() -> str:
    state.follow_address(_FILTER, state.in_address(state.METRIC))
    return st.text_input(
        _("Filter"),
        key=_FILTER,
        placeholder=_("part of a name"),
        width=320,
        on_change=lambda: state.write_into_address(state.METRIC, st.session_state[_FILTER]),
    )


def _searched(series: Series) -> str:
    return f"{series.name} {series.tag} {series_title(series)}".lower()


def _section(series: Series) -> str:
    if series.is_eval:
        return "eval"
    return series.metric.section if series.metric else "other"
