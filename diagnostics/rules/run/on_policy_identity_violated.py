"""Old and new probabilities differ although nothing was updated between them.

What it checks
    Runs whose configuration makes one update per batch (PPO: one epoch, one mini-batch, no accumulation; GRPO:
    `num_iterations` 1 and no generation that is used for several updates; verl and OpenRLHF: one pass, one mini-batch),
    and whose old probabilities are not a separate rollout engine's. There the ratio is 1 by identity. A mean ratio
    0.001 away from 1, a size of the update of 0.001 nats per token or a clip fraction of 0.001, for three logged
    points, is a warning.

Why it matters
    A difference under the same weights is noise in every update: dropout that stays on, position ids that shift with
    padding, low precision. It grows with the length of the answers.

When it is wrong
    Kernels alone cause such differences, but smaller ones: a clip fraction of about 0.0006 in a public report.

What to try
    Turn dropout off (`disable_dropout`), pad on the left, compute the head's logits in float32.

References
    TRL issue 454: the ratio should be exactly 1 during the first update epoch · tunix issue 2061 (size of kernel
    noise).
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from diagnostics.detectors.averages import finite_points
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.levels import Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Fired, Quiet, RuleResult, Skipped, english
from diagnostics.rules.run.run_rule import RunRule, too_few

JUDGED = ("ratio_mean", "approx_kl", "policy_kl", "clip_fraction", "clip_ratio_region_mean")
ONCE = {"ppo": ("epochs", "num_mini_batches", "gradient_accumulation_steps"), "grpo": ("epochs",)}


class Limits(RuleLimits):
    """How far from identity is more than the noise of kernels."""

    ratio: float = limit(0.001, "away from 1", "above kernel noise as reported for tunix")
    update: float = limit(0.001, "nats/token", "above kernel noise as reported for tunix")
    clipped: float = limit(0.001, "fraction", "kernel noise alone gives 0.0006")
    patience: int = limit(3, "logged points", "engineering default")


class OnPolicyIdentityViolated(RunRule[Limits]):
    """Judges ratio, size of the update and clip fraction where all must be trivial."""

    code = "RV205"
    name = "on-policy-identity-violated"
    grade = "C"
    source = "TRL issue 454: the ratio should be exactly 1 during the first update epoch"
    algorithms = frozenset(ONCE)
    inputs = (JUDGED,)
    limits = Limits()
    remedies = ("no-dropout", "exact-head")
    texts = english(
        headline="Old and new probabilities differ although nothing was updated between them.",
        fired="{title} was {measured} at step {peak}, and off its trivial value{mostly} from step {first} to {last}, "
        "although each batch is used for one update only.",
        unstated="The configuration does not say how many updates are made of one batch.",
        enable="Log the configuration with the run.",
    )

    def applies(self, run: Run) -> bool:
        """Where a batch is used for several updates, the ratio leaves 1 by design."""
        return run.algorithm in ONCE and _makes_one_update(run) is not False

    def check(self, run: Run, limits: Limits) -> RuleResult:
        if _makes_one_update(run) is None:
            return Skipped(self.message("unstated"), self.message("enable"))
        level = Level(Severity.WARNING, 1.0, limits.patience)
        pairs = [(series, read_levels(replace(series, values=off), (level,), smooth=False))
                 for series, off in _distances(run, limits)]  # fmt: skip
        readings = [(series, reading) for series, reading in pairs if isinstance(reading, Reading)]
        if not readings:
            return too_few(limits.patience, max(finite_points(series.values) for series, _ in pairs))
        series, worst = max(readings, key=lambda pair: (pair[1].breach is not None, pair[1].worst))
        return self._fired(series, worst) or Quiet(worst.worst, 1.0, "× the limit", series.name, series.tag)

    def _fired(self, series: Series, reading: Reading) -> Fired | None:
        if reading.breach is None:
            return None
        peak = reading.breach.peak
        measured, step = float(series.values[peak]), int(series.steps[peak])
        return self.fired_by(series, reading, measured=measured, limit=None, peak=step)


def _makes_one_update(run: Run) -> bool | None:
    """Whether each batch is used for one update only, and old probabilities are the policy's own, not an engine's.

    None where the configuration does not say.
    """
    if run.settings.is_on("use_vllm") or run.settings.is_on("bypass_mode"):
        return False
    if (updates := run.settings.updates_per_batch) is not None:
        return updates == 1
    stated = [run.settings.value(name) for name in ONCE[run.algorithm]]
    if any(not isinstance(value, int) for value in stated):
        return None
    accumulated = run.settings.value("gradient_accumulation_steps") or 1
    reused = run.settings.value("steps_per_generation")
    is_reused = isinstance(reused, int) and reused > accumulated
    return all(value == 1 for value in stated) and not is_reused


def _distances(run: Run, limits: Limits) -> Iterator[tuple[Series, Values]]:
    """Each logged metric with (N,) its distance from the trivial value, in limits."""
    least = (limits.ratio, limits.update, limits.update, limits.clipped, limits.clipped)
    allowed = dict(zip(JUDGED, least, strict=True))
    for name, most in allowed.items():
        if (series := run.get(name)) is not None:
            yield series, np.abs(series.values - (1.0 if name == "ratio_mean" else 0.0)) / most
