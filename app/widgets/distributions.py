"""The histograms of a run, drawn over its steps."""

import streamlit as st

from app import state
from app.figures.distribution import distribution, distribution_description, not_finite
from app.widgets.markdown import escaped
from app.widgets.plot import plot
from diagnostics.model.histograms import Histograms
from diagnostics.model.run import Run
from diagnostics.model.vocabulary import METRICS

_WIDTH = 273  # pixels: four stand side by side on a screen of 1280, two on one of 800
_ORDER = {metric.name: index for index, metric in enumerate(METRICS)}


def distributions(run: Run) -> None:
    """Draw every histogram, known metrics first, as many side by side as fit."""
    if not run.histograms:
        st.caption("The run logged no histograms; rlvitals' trainer does every histogram_steps.")
        return
    st.caption("Line: median. Bands: half of the values, nine in ten, all. A value is known to the width of its bin.")
    with st.container(horizontal=True):
        for histograms in sorted(run.histograms.values(), key=_rank):
            with st.container(width=_WIDTH, gap="xxsmall"):
                _chart(histograms)


def _chart(histograms: Histograms) -> None:
    figure = distribution(histograms, state.palette(), chosen_step=state.chosen_step())
    plot(figure, distribution_description(histograms), f"distribution.{histograms.name}")
    if words := not_finite(histograms):
        st.caption(escaped(f"{words}; no band shows them."))


def _rank(histograms: Histograms) -> tuple[int, str]:
    return _ORDER.get(histograms.name, len(_ORDER)), histograms.name
