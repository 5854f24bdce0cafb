"""Metrics of what the update clips: the bound, and how many tokens reach it; the shares are metrics of the update."""

from diagnostics.model.metric import Metric
from diagnostics.model.vocabulary.indicators import any_and_all
from diagnostics.model.vocabulary.sources import AREAL, ROLL

CLIPPING_METRICS: tuple[Metric, ...] = (
    Metric(
        "clip_range",
        "Clip range",
        "ratio",
        "How far the probability ratio may be from 1 before the loss clips it.",
        "update",
        low=0,
        source=AREAL,
    ),
    Metric(
        "clipped_tokens",
        "Clipped tokens",
        "tokens",
        "Tokens of a step whose policy update was clipped.",
        "update",
        low=0,
        source=AREAL,
    ),
    Metric(
        "dual_clipped_tokens",
        "Tokens clipped by the second bound",
        "tokens",
        "Tokens of a step whose loss the second bound of dual clipping cuts off.",
        "update",
        low=0,
        source=AREAL,
    ),
    *any_and_all("clipped", "Clipped tokens", "token's policy update was clipped", "update", source=AREAL),
    *any_and_all(
        "dual_clipped",
        "Tokens clipped by the second bound",
        "token's loss was cut off by the second bound of dual clipping",
        "update",
        source=AREAL,
    ),
    Metric(
        "advantage_clipped_fraction",
        "Clipped advantages",
        "fraction",
        "Share of tokens whose advantage was cut to a bound.",
        "update",
        low=0,
        high=1,
        source=ROLL,
    ),
)
