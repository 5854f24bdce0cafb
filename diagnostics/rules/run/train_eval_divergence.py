"""The training reward rises while the evaluation falls: what is optimised is no longer what is wanted.

What it checks
    The last five evaluations, each worse than the one before, by four standard errors together, while the smoothed
    training reward is higher at the last than at the first of them. It is critical. Without the spread of an evaluation
    and its size, the error is estimated from at least four evaluations before.

Why it matters
    This is over-optimisation itself: the proxy goes up and the true objective goes down. Every further step makes the
    model worse.

When it is wrong
    Five values in a row fall by chance in one of 120 windows, but by four standard errors only in one of 3000, and the
    training reward must rise as well. Evaluating on new prompts each time makes the error larger than it seems.

What to try
    Keep the checkpoint of the best evaluation. Strengthen the KL penalty; fix the reward.

References
    Gao et al. 2022 (arXiv 2210.10760) · rlhf-book, over-optimisation · Secrets of RLHF (arXiv 2307.04964).
"""

import math

import numpy as np

from diagnostics.detectors.averages import ewma, finite_median, finite_points, start_level
from diagnostics.detectors.episodes import Episode
from diagnostics.detectors.noise import estimate_noise
from diagnostics.model.alignment import last_known
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rewards import EVALUATED, REWARDS, main_reward
from diagnostics.rules.rule import Quiet, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of, too_few

LATEST = 1000  # evaluations that count: how they scattered long ago says little about now
EVALUATED_PROMPTS = "num_eval_prompts"


class Limits(RuleLimits):
    """How long an evaluation may fall."""

    evaluations: int = limit(5, "evaluations", "one of 120 windows falls all the way by chance")
    standard_errors: float = limit(4.0, "standard errors", "simulated: reached by chance in one of 3000 windows")
    earlier: int = limit(4, "evaluations", "fewer say little about how evaluations scatter")
    deviations: float = limit(1.0, "deviations of the smoothed reward", "engineering default")


class TrainEvalDivergence(RunRule[Limits]):
    """Judges the evaluation's reward against the training's."""

    code = "RV415"
    name = "train-eval-divergence"
    grade = "P"
    source = "Gao et al. 2022 (arXiv 2210.10760)"
    inputs = (REWARDS, EVALUATED)
    limits = Limits()
    remedies = ("earlier-checkpoint", "stronger-kl", "checked-reward")
    telling_samples = "top-scored"
    texts = english(
        headline="The training reward rises while the evaluation falls.",
        fired="The last {count} evaluations fell from {before} at step {first} to {measured} at step {last}, while the "
        "training reward rose from {low} to {high}.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        held_out, reward = series_of(run, *EVALUATED), main_reward(run)
        start = max(0, len(held_out) - LATEST)
        where = np.flatnonzero(np.isfinite(held_out.values[start:])) + start
        if len(where) < limits.evaluations:
            return too_few(limits.evaluations, len(where))
        recent, error = where[-limits.evaluations :], _error(run, held_out)
        if error is None and len(where) < limits.evaluations + limits.earlier:
            return too_few(limits.evaluations + limits.earlier, len(where))
        error = _scatter(held_out.values[where[: -limits.evaluations + 1]]) if error is None else error
        values, steps = held_out.values[recent], held_out.steps[recent]
        smoothed = last_known(Series("", "", reward.steps, _means(reward.values)), steps)
        low, high = float(smoothed[0]), float(smoothed[-1])
        needed = limits.deviations * estimate_noise(reward.values).error_of_mean(limits.evaluations)
        allowed = limits.standard_errors * error
        fall = float(values[0] - values[-1])
        if not (np.all(np.diff(values) < 0) and fall > allowed and high > low + needed):
            return Quiet(max(fall, 0.0), allowed, held_out.unit, held_out.name, held_out.tag)
        return self.fired(
            held_out,
            Episode(int(recent[0]), int(recent[-1]), still=True),
            Severity.CRITICAL,
            measured=float(values[-1]),
            limit=float(values[0]) - allowed,
            count=limits.evaluations,
            before=float(values[0]),
            low=low,
            high=high,
        )


def _means(values: Values) -> Values:
    """(N,) The smoothed values, with the first mean wherever there is none."""
    means = ewma(values)
    return np.where(np.isfinite(means), means, start_level(means, 1))


def _error(run: Run, held_out: Series) -> float | None:
    """The standard error of one evaluation by its spread and size; None where either is not known."""
    spread, size = run.get(f"{held_out.name}_std"), run.settings.value(EVALUATED_PROMPTS)
    if spread is None or not finite_points(spread.values) or not isinstance(size, int) or size <= 0:
        return None
    return finite_median(spread.values) / math.sqrt(size)


def _scatter(evaluations: Values) -> float:
    """The standard error of one evaluation by how those before the fall differ from one to the next."""
    return float(np.std(np.diff(evaluations))) / math.sqrt(2)
