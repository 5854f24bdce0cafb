"""Charts of several metrics in a grid that fills the page; the browser asks for their points by itself."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import streamlit as st

from app import state
from app.asked_language import in_current_language
from app.assets import asset
from app.charts.routes import POINTS, SCRIPTS
from app.charts.words import chart_words
from app.figures.curve import Curve, curve
from app.load.runs import is_live
from app.widgets.reference import reference_chooser, take_reference_of
from diagnostics.curves.axes import Axis, axes_of
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.model.vocabulary import EVAL_PREFIX

CRUCIAL = "crucial"
"""The key of the charts above which the view options of the page stand."""

_STEPS_TO_WAIT = 3  # logged steps: what a trainer logs with each step is there by then
_NAME = "rlvitals_charts"
_SCRIPT = asset("charts/scripts/filled.js") + asset("widgets/charts.js")
_STYLE = asset("widgets/charts.css")


def charts(
    run: Run,
    outcomes: Sequence[Outcome],
    chosen: Sequence[Series],
    chosen_step: int | None,
    key: str,
    ghost: Run | None = None,
) -> None:
    """Draw the series side by side, in as many columns as the window has room for.

    A click chooses a step for the whole page; dragging zooms every chart, shift and dragging moves them, and a double
    click shows everything again. In the first steps of a live run a series without points keeps its place. The view
    options stand above the run's crucial charts. `ghost` is a run that is drawn grey behind this one.
    """
    curves = [
        curve(
            run,
            series,
            outcomes,
            chosen_step=chosen_step,
            held_out=run.get(EVAL_PREFIX + series.name),
            ghost=ghost,
        )
        for series in with_a_chart(run, chosen)
    ]
    chart_grid(
        curves,
        f"{key}.{run.run_id}",
        page=str(run.path),
        steps=_extent(run, ghost),
        chosen_step=chosen_step,
        axes=axes_of(run) if key == CRUCIAL else None,
        reference=reference_chooser([run.algorithm], [str(run.path)]),
        follows=is_live(run),
    )


def with_a_chart(run: Run, chosen: Sequence[Series]) -> list[Series]:
    """The series that get a chart: those with points and, in the first steps of a live run, those that may get some."""
    keeps_places = is_live(run) and len(run.steps) < _STEPS_TO_WAIT
    return [series for series in chosen if len(series) or keeps_places]


def chart_grid(
    curves: Sequence[Curve],
    key: str,
    *,
    page: str,
    steps: tuple[int, int],
    chosen_step: int | None,
    axes: Sequence[Axis] | None,
    reference: Mapping[str, Any],
    legend: Sequence[Mapping[str, Any]] = (),
    follows: bool = False,
) -> None:
    """Draw charts that share zoom and cursor with all others of the same `page`.

    `steps` are the first and the last one to show; with `axes` the view options and the legend stand above the charts.
    Charts that follow ask for new points by themselves.
    """
    st.components.v2.component(_NAME, js=_SCRIPT, css=_STYLE, isolate_styles=False)(
        key=key,
        data={
            "page": page,
            "palette": asdict(state.palette()),
            "points": in_current_language(POINTS),
            "scripts": SCRIPTS,
            "words": chart_words(),
            "step": chosen_step,
            "first": steps[0],
            "last": steps[1],
            "axes": axes,
            "reference": reference,
            "legend": legend,
            "follows": follows,
            "charts": [item.as_json() for item in curves],
        },
        on_step_change=lambda: state.take_step_of(key),
        on_ghost_change=lambda: take_reference_of(key),
    )


def _extent(run: Run, ghost: Run | None) -> tuple[int, int]:
    """From the first step to the last one; with a reference on to the planned end, as far as the reference goes."""
    first, last = run.first_step, run.last_step
    if first is None or last is None:
        return 0, 0
    planned = min(run.status.total or 0, ghost.last_step or 0) if ghost is not None else 0
    return first, max(last, planned)
