"""The adaptive KL coefficient keeps rising: the controller is losing against the policy.

What it checks
    `objective/kl_coef`: 1.5 times its lowest value within the last 100 logged points. Where batch size and horizon are
    known, growth at 80 % of the controller's maximum for 20 points in a row is info: it shows the same early, and may
    end once the KL has reached its target.

Why it matters
    The controller raises the coefficient while the KL is above its target. When it does so at full speed for long, the
    KL does not respond, and numerical instabilities often follow.

When it is wrong
    A coefficient that started far too low rises for a good reason, and stops rising when the KL has reached the target.

What to try
    Lower the learning rate, start with a higher coefficient, shorten the controller's horizon.

References
    Old TRL logging page: objective/kl_coef "often increases before numerical instabilities" · TRL
    AdaptiveKLController (at most 0.2·batch/horizon per update).
"""

import dataclasses

import numpy as np

from diagnostics.detectors.rolling import rolling_minimum
from diagnostics.model.alignment import finite_only
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.levels import Breach, Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rule import Fired, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of
from diagnostics.rules.stretch_phrases import compared

SMALLEST = 1e-12  # a coefficient of 0 would make any later one infinitely high
CONTROLLER_CLIP = 0.2  # AdaptiveKLController clips its proportional error at ±0.2


class Limits(RuleLimits):
    """Which rise is too much."""

    growth: float = limit(1.5, "× the lowest of the window", "engineering default")
    window: int = limit(100, "logged points", "engineering default")
    of_maximum: float = limit(0.8, "× the controller's fastest growth", "engineering default")
    patience: int = limit(20, "logged points", "engineering default")


class KlCoefRising(RunRule[Limits]):
    """Judges `objective/kl_coef` where a controller adapts it."""

    code = "RV303"
    name = "kl-coef-rising"
    grade = "S"
    source = "old TRL logging page: objective/kl_coef"
    inputs = ("kl_coef",)
    limits = Limits()
    remedies = ("lower-learning-rate", "stronger-kl", "fewer-epochs")
    texts = english(
        headline="The KL coefficient keeps rising: the policy does not obey the penalty.",
        grown="The KL coefficient rose to {measured} at step {peak}, {compared} its lowest value within "
        "{window} logged points (limit {limit}).",
        fastest="The KL coefficient grew by {measured} a step from step {first} to {last}, near the "
        "controller's maximum.",
    )

    def applies(self, run: Run) -> bool:
        """A fixed coefficient is not logged, and is then not missed."""
        return run.algorithm == "ppo-legacy" or not self.missing(run)

    def check(self, run: Run, limits: Limits) -> RuleResult:
        logged = series_of(run, "kl_coef")
        series = finite_only(logged)
        lowest = np.maximum(rolling_minimum(series.values, limits.window), SMALLEST)
        times = dataclasses.replace(series, values=series.values / lowest)
        reading = read_levels(times, (Level(Severity.WARNING, limits.growth, 1),), smooth=False)
        if isinstance(reading, Reading) and reading.breach:
            return self._overall_rise(series, lowest, reading, reading.breach, limits)
        return self._fastest_rise(run, series, limits) or self.judged(reading, unit="× its lowest")

    def _overall_rise(self, series: Series, lowest: Values, reading: Reading, breach: Breach, limits: Limits) -> Fired:
        return self.fired_by(
            series,
            reading,
            measured=float(series.values[breach.peak]),
            limit=limits.growth * float(lowest[breach.peak]),
            key="grown",
            peak=int(series.steps[breach.peak]),
            compared=compared(float(series.values[breach.peak]), float(lowest[breach.peak]), SMALLEST),
            window=limits.window,
        )

    def _fastest_rise(self, run: Run, series: Series, limits: Limits) -> Fired | None:
        batch, horizon = run.settings.value("batch_size"), run.settings.value("kl_horizon")
        if not isinstance(batch, int) or not isinstance(horizon, int | float) or len(series) < 2:
            return None
        rates = np.diff(np.log(np.maximum(series.values, SMALLEST))) / np.diff(series.steps)
        growth = dataclasses.replace(series, steps=series.steps[1:], values=rates)
        level = Level(Severity.INFO, limits.of_maximum * CONTROLLER_CLIP * batch / horizon, limits.patience)
        finding = self.judged(read_levels(growth, (level,), smooth=False), key="fastest", unit="per step")
        return finding if isinstance(finding, Fired) else None
