"""The value model explains little of the returns: advantages are mostly noise.

What it checks
    The explained variance (`ppo/val/var_explained`), as the median of five logged points, for five points: −0.5 or
    below after the first 50 points is a warning. It is info where the score has risen nevertheless, or may have gained
    a fifth of the spread from answer to answer as far as its noise tells, and where the critic is still learning (what
    it leaves unexplained falls over the run, by more than chance explains, and has not begun to rise). 0.2 or below
    after the first 200 points is info.

Why it matters
    At 1 the critic predicts the returns, at 0 only their mean. Below 0 it does harm: advantages are noisier with it
    than without.

When it is wrong
    Where all answers earn about the same there is hardly any variance to explain, and a low share says little. A critic
    that knows only the mean lies a little below 0, even in healthy runs of short tasks.

What to try
    Train the value model before the policy, raise `vf_coef`, bring rewards to a common scale.

References
    Old TRL logging page: ppo/val/var_explained · VC-PPO (arXiv 2503.01491).
"""

from dataclasses import replace

import numpy as np

from diagnostics.detectors.stillness import change_of_level
from diagnostics.model.algorithms import PPO_FAMILY
from diagnostics.model.outcome import Severity, regraded
from diagnostics.model.run import Run
from diagnostics.model.series import Series
from diagnostics.rules.cadence import paced
from diagnostics.rules.levels import Level, TooFew, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rewards import SCORES, may_be_rising
from diagnostics.rules.rule import Fired, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of

SMALLEST = 1e-6  # of the variance: all of it explained


class Limits(RuleLimits):
    """How little is too little."""

    warning: float = limit(-0.5, "fraction", "below 0 a constant predicts better; half as much error again is no noise")
    info: float = limit(0.2, "fraction", "engineering default")
    warm_up: int = limit(50, "logged points", "engineering default: a new value head starts below 0")
    late: int = limit(200, "logged points", "engineering default")
    patience: int = limit(5, "logged points", "engineering default")
    small: float = limit(0.2, "of the spread from answer to answer", "Cohen 1988: a small effect")
    standard_errors: float = limit(2.0, "standard errors of the gain", "engineering default")


class ExplainedVarianceLow(RunRule[Limits]):
    """Judges `ppo/val/var_explained`."""

    code = "RV702"
    name = "explained-variance-low"
    grade = "C"
    source = "below 0 the value model predicts returns worse than their mean does"
    algorithms = PPO_FAMILY
    inputs = ("explained_variance",)
    limits = Limits()
    remedies = (
        "whitened-rewards",
        "wider-value-clip-range",
    )
    texts = english(
        headline="The value model explains little of the returns.",
        fired="The explained variance {stayed} {limit}{mostly} from step {first} to {last} (lowest {measured} at step "
        "{peak}).",
        worse="The explained variance {stayed} {limit}{mostly} from step {first} to {last} (lowest {measured} at step "
        "{peak}): a constant would predict the returns better.",
    )

    def applies(self, run: Run) -> bool:
        """TRL's newer PPO does not log it and cannot be made to."""
        return super().applies(run) and (run.algorithm == "ppo-legacy" or not self.missing(run))

    def check(self, run: Run, limits: Limits) -> RuleResult:
        series = series_of(run, "explained_variance")
        limits = paced(limits, run, series, warm_up=5, late=20)
        level = Level(Severity.WARNING, limits.warning, limits.patience)
        worse = read_levels(series, (level,), above=False, warm_up=limits.warm_up)
        if isinstance(worse, TooFew) or worse.breach:
            found = self.judged(worse, key="worse")
            if isinstance(found, Fired) and (_may_be_rising(run, limits) or _is_learning(series)):
                return replace(found, severity=Severity.INFO, episodes=regraded(found.episodes, Severity.INFO))
            return found
        level = Level(Severity.INFO, limits.info, limits.patience)
        little = read_levels(series, (level,), above=False, warm_up=limits.late)
        return self.judged(worse if isinstance(little, TooFew) else little)


def _may_be_rising(run: Run, limits: Limits) -> bool:
    return may_be_rising(run, run.get(*SCORES), limits.small, limits.standard_errors)


def _is_learning(series: Series) -> bool:
    """Whether the share of the variance that is left unexplained falls over the run, and has not begun to rise.

    It is its logarithm that is compared, as the share may be ten at the start.
    """
    unexplained = np.log(np.maximum(1.0 - series.values, SMALLEST))
    whole, lately = change_of_level(unexplained), change_of_level(unexplained[len(unexplained) // 2 :])
    has_fallen = whole is not None and whole.is_proven and whole.after < whole.before
    has_turned = lately is not None and lately.is_proven and lately.after > lately.before
    return has_fallen and not has_turned
