"""A Plotly chart that is updated in place.

Streamlit's own chart is rebuilt whenever its data change, which loses the zoom and makes a live page flicker. This one
passes the figure to the plotly.js of the plotly package, which redraws only what changed.
"""

import plotly.graph_objects as go
import streamlit as st

from app import state
from app.assets import asset
from app.charts.routes import PLOTLY
from app.charts.words import not_loaded
from diagnostics.visible_text import one_line

_NAME = "rlvitals_plot"
_SCRIPT = asset("charts/scripts/filled.js") + asset("widgets/plot.js")
_CONFIG = {"displayModeBar": False, "responsive": True, "doubleClick": "reset"}
_SOURCE = f"{PLOTLY}/plotly.min.js"


def plot(figure: go.Figure, words: str, key: str, *, has_steps: bool = True) -> None:
    """Draw a figure; `words` are its text alternative.

    Where it has steps, a click on a point chooses its step, and it is zoomed to the steps that all charts of the page
    show.

    The figure's layout needs a height and, to keep its zoom, a constant `uirevision`.
    """
    component = st.components.v2.component(_NAME, js=_SCRIPT, isolate_styles=False)
    component(
        key=key,
        data={
            "figure": figure.to_json(),
            "words": one_line(words),
            "source": _SOURCE,
            "not_loaded": not_loaded(),
            "config": _CONFIG,
            "has_steps": has_steps,
            "steps": state.shown_steps(),
        },
        on_step_change=lambda: state.take_step_of(key),
        on_zoom_change=lambda: state.take_zoom_of(key),
    )
