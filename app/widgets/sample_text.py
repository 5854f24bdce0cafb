"""The full text of one sample; model output is never rendered as Markdown or HTML."""

from collections.abc import Iterator

import streamlit as st

from app.widgets.markdown import escaped
from app.widgets.sample_table import end_of
from diagnostics.language import N_, _
from diagnostics.model.messages import format_value
from diagnostics.model.samples import Sample
from diagnostics.visible_text import visible
from diagnostics.wording.values import optional_value

_ENDS = {"ends": N_("ends"), "cut": N_("cut")}


def sample_text(sample: Sample) -> None:
    """Draw the facts about a sample, its query and its response."""
    st.caption(escaped(" · ".join(_facts(sample))))
    st.text(_("Query"))
    st.code(visible(sample.query), language=None, wrap_lines=True)
    st.text(_("Model response, cut off at the limit") if sample.terminated is False else _("Model response"))
    st.code(visible(sample.response), language=None, wrap_lines=True)


def _facts(sample: Sample) -> Iterator[str]:
    """Everything about a sample but its texts."""
    yield _("step {step}").format(step=sample.step)
    yield _("score {score}").format(score=optional_value(sample.score) or _("not logged"))
    yield from (f"{name} {format_value(value)}" for name, value in sample.rewards.items())
    if sample.advantage is not None:
        yield _("advantage {advantage}").format(advantage=format_value(sample.advantage))
    if sample.length is not None:
        yield _("{count} tokens").format(count=sample.length)
    if end := end_of(sample):
        yield _(_ENDS[end])
