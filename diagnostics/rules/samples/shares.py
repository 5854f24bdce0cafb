"""Judging the share of rows with some property: as it is, or as it rose since the first tables."""

import math
from collections.abc import Callable, Mapping, Sequence

from diagnostics.detectors.proportions import lower_bound_of_share
from diagnostics.model.messages import Value
from diagnostics.model.outcome import Severity
from diagnostics.rules.rule import Skipped
from diagnostics.rules.samples.sample_rule import Judgement, nothing_to_compare
from diagnostics.rules.samples.tables import Row, Rows, View

STANDARD_ERRORS = 3.0  # about one false alarm in 700 looks at a share that did not change


def judge_share(
    seen: View,
    is_hit: Callable[[Row], bool],
    levels: Mapping[Severity, float],
    *,
    order: Callable[[Row], float] = lambda row: 0.0,
    each_is_wrong: bool = False,
) -> Judgement:
    """The judgement on the share of the newest rows that are hits. Levels are mildest first.

    A few rows say little about a share, so its lower Wilson bound counts; with `each_is_wrong`, where no sound run has
    a single such row, the share itself. `order`: the largest are shown first. Messages may use count, rows, and before:
    the share at the start, in percent.
    """
    hits = [row for row in seen.recent if is_hit(row)]
    counted = len(hits) / len(seen.recent) if each_is_wrong else lower_bound_of_share(len(hits), len(seen.recent))
    return _share(seen, hits, counted, share_of(seen.first, is_hit), levels, order)


def risen_shares(
    seen: View,
    is_hit: Callable[[Row], bool],
    levels: Mapping[Severity, float],
    *,
    order: Callable[[Row], float] = lambda row: 0.0,
) -> Judgement | Skipped:
    """As `judge_share`, for the rise of the share since the first tables, so that what the task asks for is no finding.

    A rise counts where chance does not explain it (three standard errors of the difference of two shares).
    """
    if not seen.can_compare:
        return nothing_to_compare()
    hits = [row for row in seen.recent if is_hit(row)]
    before, now = share_of(seen.first, is_hit), len(hits) / len(seen.recent)
    mean = (len(hits) + before * len(seen.first)) / (len(seen.recent) + len(seen.first))
    error = math.sqrt(mean * (1 - mean) * (1 / len(seen.recent) + 1 / len(seen.first)))
    rise = now - before
    return _share(seen, hits, rise if rise >= STANDARD_ERRORS * error else 0.0, before, levels, order)


def _share(
    seen: View,
    hits: Sequence[Row],
    counted: float,
    before: float,
    levels: Mapping[Severity, float],
    order: Callable[[Row], float],
) -> Judgement:
    reached = [severity for severity, limit in levels.items() if counted >= limit]
    limit = levels[reached[-1]] if reached else next(iter(levels.values()))
    values: dict[str, Value] = {"count": len(hits), "rows": len(seen.recent), "before": 100 * before}
    shown = sorted(hits, key=lambda row: (order(row), row.step), reverse=True)
    return Judgement(counted, limit, reached[-1] if reached else None, values=values, samples=shown)


def share_of(rows: Rows, is_hit: Callable[[Row], bool]) -> float:
    """The share of rows that are hits; 0 of no rows."""
    return sum(map(is_hit, rows)) / len(rows) if rows else 0.0
