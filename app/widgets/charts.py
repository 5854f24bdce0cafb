"""Charts of several metrics in a grid that fills the page; the browser asks for their points by itself."""

from collections.abc import Sequence
from dataclasses import asdict

import streamlit as st

from app import state
from app.assets import asset
from app.charts.routes import POINTS, SCRIPTS
from app.figures.curve import curve
from app.load.runs import is_live
from diagnostics.curves.axes import axes_of
from diagnostics.model.outcome import Outcome
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.model.vocabulary import EVAL_PREFIX

CRUCIAL = "crucial"
"""The key of the charts above which the view options of the page stand."""

_NAME = "rlvitals_charts"
_SCRIPT, _STYLE = asset("widgets/charts.js"), asset("widgets/charts.css")


def charts(run: Run, outcomes: Sequence[Outcome], chosen: Sequence[Series], chosen_step: int | None, key: str) -> None:
    """Draw the series side by side, in as many columns as the window has room for.

    A click chooses a step for the whole page; dragging zooms every chart, shift and dragging moves them, and a double
    click shows everything again. While a run is live, a series without points keeps its place. The view options stand
    above the run's crucial charts.
    """
    steps = run.steps
    shown = [series for series in chosen if len(series) or is_live(run)]
    place = f"{key}.{run.run_id}"
    st.components.v2.component(_NAME, js=_SCRIPT, css=_STYLE, isolate_styles=False)(
        key=place,
        data={
            "page": str(run.path),
            "palette": asdict(state.palette()),
            "points": POINTS,
            "scripts": SCRIPTS,
            "step": chosen_step,
            "first": int(steps[0]) if len(steps) else 0,
            "last": int(steps[-1]) if len(steps) else 0,
            "axes": axes_of(run) if key == CRUCIAL else None,
            "charts": [
                curve(
                    run,
                    series,
                    outcomes,
                    chosen_step=chosen_step,
                    held_out=run.get(EVAL_PREFIX + series.name),
                ).as_json()
                for series in shown
            ],
        },
        on_step_change=lambda: state.take_step_of(place),
    )
