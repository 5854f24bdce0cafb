"""The policy does not change at all: no gradient, no learning rate, or updates that leave it as it was.

What it checks
    For ten logged points in a row, not counting the first five: a gradient norm of exactly 0, a learning rate of
    exactly 0, or, where several updates are made per batch, a size of the update and a clip fraction of exactly 0.
    Points at which no group has a signal (`frac_reward_zero_std` 1, or a spread of the reward of 0) do not count: there
    a gradient of 0 is correct, and other rules apply. Where some updates between them do change the policy, it is a
    warning: so it is where later passes over the same samples are clipped away. An entropy and a KL to the reference
    that are the same to the last digit in all of fifteen points or more, and not 0, show it as well where the loss is
    exactly 0 in each: of a policy that moves no two batches agree in all of that.

Why it matters
    The run costs as much as any other and nothing is learned.

When it is wrong
    The last points of a schedule that ends at 0 are no fault, and too few to count. A policy frozen on purpose (while a
    value model is trained first) looks the same. Where a log rounds, a small number reads 0: then the rule is skipped.

What to try
    Count the parameters that require a gradient, look at the adapter's target modules, at `lr_scheduler_type` and
    `max_steps`.

References
    TRL logging page: collapse to 0 · ms-swift issues 5571, 5890 (gradient norm 0 although rewards differ).
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from diagnostics.detectors.episodes import Episode
from diagnostics.model.alignment import at_common_steps, last_known
from diagnostics.model.outcome import Severity, regraded
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.levels import Breach, Level, Reading, TooFew, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Fired, Input, Quiet, RuleResult, Skipped, english
from diagnostics.rules.run.run_rule import RunRule, too_few

UPDATES_PER_BATCH = ("epochs", "num_mini_batches")
SPREADS = ("reward_std", "score_std")


class Limits(RuleLimits):
    """How long the policy may stay unchanged."""

    patience: int = limit(10, "logged points", "engineering default; a linear schedule ends with one point at 0")
    warm_up: int = limit(5, "logged points", "a warm-up of the learning rate starts at 0")
    no_signal: float = limit(1.0, "fraction", "with no signal in any group the gradient is 0 by right")


class PolicyNotUpdating(RunRule[Limits]):
    """Judges `grad_norm`, the learning rate, and the size of the updates."""

    code = "RV106"
    name = "policy-not-updating"
    grade = "C"
    source = "TRL logging page: collapse to 0; ms-swift issues 5571, 5890"
    inputs = (("grad_norm", "learning_rate", "approx_kl"),)
    is_of_policies = True
    limits = Limits()
    remedies = ("raised-learning-rate", "checked-parameters")
    texts = english(
        headline="Nothing is being learned: the policy does not change.",
        grad_norm="The gradient norm was exactly 0 from step {first} to {last}.",
        learning_rate="The learning rate was exactly 0 from step {first} to {last}.",
        approx_kl="The updates left the policy exactly as it was from step {first} to {last}.",
        headline_mostly="Most updates change nothing.",
        grad_norm_mostly="The gradient norm was exactly 0 at {share} % of the points from step {first} to {last}.",
        learning_rate_mostly="The learning rate was exactly 0 at {share} % of the points from step {first} to {last}.",
        approx_kl_mostly="The updates left the policy exactly as it was at {share} % of the points from step {first} "
        "to {last}.",
        unchanged="The loss was 0, the entropy {entropy} nats/token and the KL to the reference {measured} {unit}, to "
        "the last digit, at each point from step {first} to {last}: the policy does not change, or nothing is "
        "measured.",
        rounded="The log rounds its numbers: what reads 0 for long in {tag} may be anything below {least}.",
        rounded_enable="Log through a tracker, or with a version of the trainer that prints all digits.",
    )

    def missing(self, run: Run) -> tuple[Input, ...]:
        """The inputs that the run does not log; a loss, an entropy and a KL together are enough."""
        return () if _what_is_measured(run) else super().missing(run)

    def check(self, run: Run, limits: Limits) -> RuleResult:
        readings = [_read(run, item, limits) for item in _judged_series(run)]
        judged = [reading for reading in readings if isinstance(reading, Reading)]
        if unchanged := self._unchanged(run, limits):
            return unchanged
        if not judged:
            points = [item.found for item in _too_few(readings)] or [len(item) for item in _what_is_measured(run)]
            needed, most = limits.warm_up + limits.patience, max(points, default=0)
            return too_few(needed, most) if most < needed else Quiet()
        for reading in judged:
            if reading.breach is not None:
                return self._unless_rounded(run, reading.series, self._fired(reading, reading.breach))
        nearest = min(judged, key=lambda reading: reading.worst).series
        return Quiet(min(reading.worst for reading in judged), 0.0, nearest.unit, nearest.name, nearest.tag)

    def _fired(self, reading: Reading, breach: Breach) -> Fired:
        """The finding of a stretch; where some of its updates do change the policy, something is being learned."""
        series, share = reading.series, breach.share
        told = partial(self.fired_by, series, reading, measured=0.0, limit=0.0, tell_limits=True)
        if share is None or share == 1:
            return told(key=series.name)
        found = told(key=f"{series.name}_mostly", share=int(100 * share))
        stretches = regraded(found.episodes, Severity.WARNING)
        headline = self.message("headline_mostly")
        return replace(found, severity=Severity.WARNING, episodes=stretches, headline=headline)

    def _unchanged(self, run: Run, limits: Limits) -> Fired | None:
        """The finding that what is measured of the policy is the same at every point."""
        measured = _what_is_measured(run)
        if run.data_health.rounded_to or not measured:
            return None
        loss, entropy, kl = measured
        if loss.values.any() or not _is_one_value(entropy) or not _is_one_value(kl):
            return None
        if min(map(len, measured)) < limits.warm_up + limits.patience:
            return None
        return self.fired(
            kl,
            Episode(0, len(kl) - 1, still=True),
            Severity.CRITICAL,
            measured=float(kl.values[0]),
            limit=None,
            key="unchanged",
            entropy=float(entropy.values[0]),
        )

    def _unless_rounded(self, run: Run, series: Series, fired: Fired) -> RuleResult:
        if least := run.data_health.rounded_to:
            return Skipped(self.message("rounded", tag=series.tag, least=least), self.message("rounded_enable"))
        return fired


def _what_is_measured(run: Run) -> tuple[Series, ...]:
    """The loss, the entropy and the KL to the reference, where all three are logged."""
    found = run.get("policy_loss", "loss"), run.get("entropy_per_token"), run.get("kl_per_sequence", "kl_per_token")
    return tuple(series for series in found if series is not None) if None not in found else ()


def _is_one_value(series: Series) -> bool:
    """Whether a metric has one value, other than 0, at all points."""
    return bool(np.isfinite(series.values).all() and np.ptp(series.values) == 0 and series.values[0] != 0)


def _judged_series(run: Run) -> Iterator[Series]:
    """The series that must not be 0 while there is something to learn."""
    for name in ("grad_norm", "learning_rate"):
        if (series := run.get(name)) is not None:
            yield series
    size, clipped = run.get("approx_kl"), run.get("clip_fraction")
    if size is not None and clipped is not None and _updates_per_batch(run) > 1:
        size, clipped = at_common_steps(size, clipped)
        yield replace(size, values=np.maximum(size.values, clipped.values))


def _updates_per_batch(run: Run) -> int:
    stated = [value for name in UPDATES_PER_BATCH if isinstance(value := run.settings.value(name), int)]
    return run.settings.updates_per_batch or int(np.prod(stated, dtype=int))


def _read(run: Run, series: Series, limits: Limits) -> Reading | TooFew:
    """The reading of one series, NaN (not known) where no group has a signal."""
    if series.name != "learning_rate":
        series = replace(series, values=_with_signal(run, series, limits))
    level = Level(Severity.CRITICAL, 0.0, limits.patience)
    return read_levels(series, (level,), above=False, smooth=False, warm_up=limits.warm_up)


def _with_signal(run: Run, series: Series, limits: Limits) -> Values:
    """(N,) The values, NaN where no group has a signal."""
    silent = run.get("zero_std_fraction")
    if silent is not None:
        return np.where(last_known(silent, series.steps) < limits.no_signal, series.values, np.nan)
    spread = run.get(*SPREADS)
    if spread is not None:
        return np.where(last_known(spread, series.steps) > 0, series.values, np.nan)
    return series.values


def _too_few(readings: list[Reading | TooFew]) -> list[TooFew]:
    return [reading for reading in readings if isinstance(reading, TooFew)]
