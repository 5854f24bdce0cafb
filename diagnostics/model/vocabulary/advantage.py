"""Metrics of the advantages beside their mean: before whitening, and within groups."""

from diagnostics.model.metric import Metric
from diagnostics.model.vocabulary.sources import ROLL
from diagnostics.model.vocabulary.statistics import statistics

ADVANTAGE_METRICS: tuple[Metric, ...] = (
    *statistics(
        "advantages",
        "Advantage",
        "reward",
        "advantage of a token",
        "update",
        source=ROLL,
        which=("std",),
    ),
    *statistics(
        "raw_advantages",
        "Raw advantage",
        "reward",
        "advantage of a token before it is whitened",
        "update",
        source=ROLL,
        which=("mean", "min", "max", "std"),
    ),
    *statistics(
        "group_advantage_range",
        "Range of advantages in a group",
        "reward",
        "difference of a group's highest and lowest advantage",
        "update",
        source=ROLL,
        which=("mean", "min", "max"),
        low=0,
    ),
    *statistics(
        "group_advantage_gap",
        "Advantage of right answers over wrong ones",
        "reward",
        "difference of the advantages of a group's right answers and of its wrong ones",
        "update",
        source=ROLL,
        which=("mean", "std"),
    ),
)
