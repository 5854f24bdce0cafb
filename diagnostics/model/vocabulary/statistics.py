"""Statistics of a quantity beside its mean: one entry of the vocabulary for each."""

from diagnostics.model.metric import Metric, Section

_STATISTICS = {
    "mean": ("", "Mean {quantity}."),
    "min": (", least", "Smallest {quantity}."),
    "max": (", most", "Largest {quantity}."),
    "std": (", spread", "Standard deviation of the {quantity}."),
    "median": (", median", "Median {quantity}."),
    "p10": (", 10th percentile", "10th percentile of the {quantity}."),
    "p90": (", 90th percentile", "90th percentile of the {quantity}."),
    "p95": (", 95th percentile", "95th percentile of the {quantity}."),
    "p99": (", 99th percentile", "99th percentile of the {quantity}."),
}
"""By the end of a name: the end of the title, and the meaning."""


def statistics(
    stem: str,
    title: str,
    unit: str,
    quantity: str,
    section: Section,
    *,
    source: str,
    which: tuple[str, ...] = ("min", "max"),
    low: float | None = None,
    high: float | None = None,
) -> tuple[Metric, ...]:
    """The entries `<stem>_min`, `<stem>_max`, …; `quantity` completes "Smallest …" and "Median …"."""
    return tuple(
        Metric(
            f"{stem}_{name}",
            title + _STATISTICS[name][0],
            unit,
            _STATISTICS[name][1].format(quantity=quantity),
            section,
            low=0 if name == "std" else low,
            high=None if name == "std" else high,
            source=source,
        )
        for name in which
    )
