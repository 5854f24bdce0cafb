"""The counts in the bar of sections, by the style sheet.

A label that changed with the run would come back from the browser as a choice that nobody made.
"""

from collections.abc import Iterable, Mapping

import streamlit as st

from app.load.default_settings import default_settings
from app.widgets.charts import with_a_chart
from app.widgets.config import chosen_settings
from diagnostics.curves.selection import crucial_series, logged_series
from diagnostics.language import _
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.wording.values import counted

_LABEL = '.st-key-sections [role="radio"]:nth-child({place}) p::after'


def section_counts(diagnosis: Diagnosis) -> Mapping[str, str]:
    """How much there is in each section, by its name; numbers and words of our own alone."""
    run = diagnosis.run
    chosen = len(chosen_settings(run.config, default_settings(run)))
    steps = len(run.samples.steps)
    counts = {
        "charts": f"{len(with_a_chart(run, crucial_series(run))):,}",
        "samples": counted(steps, "step") if steps else _("none"),
        "metrics": f"{len(logged_series(run, diagnosis.outcomes)):,}",
        "checks": _("{fired} of {all}").format(
            fired=f"{len(diagnosis.fired):,}", all=f"{sum(outcome.applies for outcome in diagnosis.outcomes):,}"
        ),
    }
    return {**counts, "config": _("{count} set").format(count=f"{chosen:,}")} if chosen else counts


def draw_section_counts(sections: Iterable[str], counts: Mapping[str, str]) -> None:
    """Write each count behind the label of its section."""
    rules = (
        f'{_LABEL.format(place=place)} {{ content: " {counts[name]}"; }}'
        for place, name in enumerate(sections, start=1)
        if name in counts
    )
    st.html(f"<style>{' '.join(rules)}</style>")
