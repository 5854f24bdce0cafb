"""The settings of a run and where it was read from."""

import pandas as pd
import streamlit as st

from diagnostics.model.run import Run
from diagnostics.visible_text import one_line
from diagnostics.wording.times import date_and_time


def config(run: Run) -> None:
    """Draw the settings as a table, and the run's origin beside it."""
    settings, origin = st.columns([3, 2], gap="medium")
    with settings:
        if run.config:
            rows = {
                "setting": list(map(one_line, run.config)),
                "value": [_text(value) for value in run.config.values()],
            }
            st.dataframe(pd.DataFrame(rows), hide_index=True, key="config.table")
        else:
            st.caption("The log holds no configuration.")
    with origin:
        facts = {
            "run id": run.run_id,
            "created": date_and_time(run.created),
            "relaunched from": run.parent or "",
            **{source.format: str(source.path) for source in run.sources},
        }
        st.dataframe(
            pd.DataFrame([(name, one_line(fact)) for name, fact in facts.items() if fact], columns=["origin", " "]),
            hide_index=True,
            key="config.origin",
        )


def _text(value: object) -> str:
    return "not set" if value is None else one_line(str(value))
