"""The run goes on elsewhere than where it was interrupted: several metrics jump at a resumption.

What it checks
    The reward, the KL to the reference, the entropy and the gradient norm at each of the latest twenty resumptions: the
    median of the five logged points since against that of the five before. A change of more than four robust deviations
    of the twenty points before, and of 0.2 of their median, in two of them or more is a warning.

Why it matters
    A resumption that restores everything cannot be seen in a log. If several metrics jump there, something was not
    restored: an adapter, the optimiser, the reference model, the sampling, or the place in the data.

When it is wrong
    A setting, a reward or a set of prompts that was changed on purpose between two attempts looks the same.

What to try
    Compare the settings of the two attempts. Check that the checkpoint holds the adapter and the optimiser, and that
    the reference is still the model that the run began with.

References
    open-r1 issue 450 · TRL issue 3247.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from diagnostics.detectors.episodes import Episode
from diagnostics.detectors.rolling import MAD_TO_DEVIATION
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.attempts import resumptions
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rewards import ANY_SCORE
from diagnostics.rules.rule import Fired, Quiet, RuleResult, Skipped, english
from diagnostics.rules.run.run_rule import RunRule, title_of

JUDGED = (ANY_SCORE, ("kl_per_token", "kl_per_sequence"), ("entropy_per_token", "entropy_per_sequence"), ("grad_norm",))


class Limits(RuleLimits):
    """Which change at a resumption is a jump."""

    deviations: float = limit(4.0, "robust deviations", "open-r1 issue 450; engineering default")
    share: float = limit(0.2, "of the median before", "engineering default: a deviation of nearly 0 proves nothing")
    metrics: int = limit(2, "metrics", "engineering default: one may have a reason of its own")
    points: int = limit(5, "logged points", "engineering default")
    before: int = limit(20, "logged points", "engineering default")
    fewest: int = limit(10, "logged points", "engineering default")
    latest: int = limit(20, "resumptions", "engineering default: earlier ones are no news")


@dataclass(frozen=True, slots=True)
class Shift:
    """The change of a metric at a resumption: `place` is the first point since, `size` is in robust deviations."""

    series: Series
    place: int
    before: float
    after: float
    size: float


class ResumeJump(RunRule[Limits]):
    """Judges metrics on both sides of each resumption."""

    code = "RV115"
    name = "resume-jump"
    grade = "I"
    source = "open-r1 issue 450; TRL issue 3247"
    inputs = (tuple(name for names in JUDGED for name in names),)
    limits = Limits()
    told_at_once = True
    remedies = ("compared-attempts", "earlier-checkpoint")
    texts = english(
        headline="Several metrics jump where the run was resumed.",
        fired="Where the run was resumed after step {border}, {count} metrics jumped: {title} from {before} to "
        "{measured}, {size} deviations of the points before, and {others}.",
        short="No resumption has {fewest} logged points before it and {points} since.",
        short_enable="Log every step.",
    )

    def applies(self, run: Run) -> bool:
        """Only a run that was resumed."""
        return super().applies(run) and bool(resumptions(run))

    def check(self, run: Run, limits: Limits) -> RuleResult:
        latest = resumptions(run)[-limits.latest :]
        shifts = {border: list(_shifts(run, border, limits)) for border in latest}
        judged = {border: found for border, found in shifts.items() if len(found) >= limits.metrics}
        if not judged:
            needed = {"fewest": limits.fewest, "points": limits.points}
            return Skipped(self.message("short", **needed), self.message("short_enable"))
        jumps = {border: _jumps(found, limits) for border, found in judged.items()}
        border = max(jumps, key=lambda border: len(jumps[border]))
        if len(jumps[border]) < limits.metrics:
            return self._quiet(judged, limits)
        return self._fired(border, jumps[border])

    def _quiet(self, judged: dict[int, list[Shift]], limits: Limits) -> Quiet:
        """The second largest change: with it two metrics would have jumped."""
        second = max(sorted(shift.size for shift in found)[-limits.metrics] for found in judged.values())
        return Quiet(min(second, limits.deviations), limits.deviations, "robust deviations")

    def _fired(self, border: int, jumps: list[Shift]) -> Fired:
        first, *others = sorted(jumps, key=lambda shift: -shift.size)
        return self.fired(
            first.series,
            Episode(first.place, first.place, still=False),
            Severity.WARNING,
            measured=first.after,
            limit=None,
            border=border,
            count=len(jumps),
            before=first.before,
            size=first.size,
            others=", ".join(title_of(shift.series) for shift in others),
        )


def _shifts(run: Run, border: int, limits: Limits) -> Iterator[Shift]:
    """The change of each metric with enough points on both sides of a resumption."""
    logged = (run.get(*names) for names in JUDGED)
    for series in (item for item in logged if item is not None):
        before = series.values[(series.steps <= border) & series.finite][-limits.before :]
        since = np.flatnonzero((series.steps > border) & series.finite)[: limits.points]
        if len(before) >= limits.fewest and len(since) == limits.points:
            yield _shift(series, before, since, limits)


def _shift(series: Series, before: Values, since: npt.NDArray[np.intp], limits: Limits) -> Shift:
    level, after = float(np.median(before[-limits.points :])), float(np.median(series.values[since]))
    middle = float(np.median(before))
    deviation = MAD_TO_DEVIATION * float(np.median(np.abs(before - middle)))
    least = max(deviation, limits.share * abs(middle) / limits.deviations)
    return Shift(series, int(since[0]), level, after, abs(after - level) / least if least else 0.0)


def _jumps(shifts: list[Shift], limits: Limits) -> list[Shift]:
    return [shift for shift in shifts if shift.size > limits.deviations]
