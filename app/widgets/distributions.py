"""The histograms of a run: drawn over its steps, and their bins at the chosen one."""

import streamlit as st

from app import state
from app.figures.distribution import bins_at, distribution, distribution_description, not_finite
from app.widgets.markdown import escaped
from app.widgets.plot import plot
from diagnostics.language import _
from diagnostics.model.histograms import Histograms
from diagnostics.model.run import Run
from diagnostics.model.vocabulary import METRICS

_COLUMNS = 3
_ORDER = {metric.name: index for index, metric in enumerate(METRICS)}


def distributions(run: Run) -> None:
    """Draw every histogram, known metrics first, side by side over the whole width."""
    if not run.histograms:
        st.caption(_("The run logged no histograms; rlvitals' trainer does every histogram_steps."))
        return
    st.caption(
        _("Line: median. Bands: half of the values, nine in ten, all. A value is known to the width of its bin.")
    )
    found = sorted(run.histograms.values(), key=_rank)
    for first in range(0, len(found), _COLUMNS):
        for column, histograms in zip(st.columns(_COLUMNS), found[first : first + _COLUMNS], strict=False):
            with column, st.container(gap="xxsmall"):
                _chart(histograms)


def _chart(histograms: Histograms) -> None:
    palette, step = state.palette(), state.chosen_step()
    words = distribution_description(histograms)
    plot(distribution(histograms, palette, chosen_step=step), words, f"distribution.{histograms.name}")
    plot(bins_at(histograms, palette, chosen_step=step), words, f"bins.{histograms.name}", has_steps=False)
    if words := not_finite(histograms):
        st.caption(escaped(_("{values}; no band shows them.").format(values=words)))


def _rank(histograms: Histograms) -> tuple[int, str]:
    return _ORDER.get(histograms.name, len(_ORDER)), histograms.name
