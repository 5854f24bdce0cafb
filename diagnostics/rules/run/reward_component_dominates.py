"""One reward function about form decides nearly all of the advantages.

What it checks
    With two or more reward functions: (weight × spread)² of each over the sum of all. A function whose name says that
    it rewards form (format, tags, length, penalties, language) at 0.9 of the sum for 20 logged points is info.

Why it matters
    Advantages follow the differences in the total. The function that varies most decides, however small its mean: a
    length penalty of 0 to 10 beside an accuracy of 0 to 1 is the whole objective.

When it is wrong
    What a function rewards is guessed from its name. The sum of squares ignores that functions may vary together. Once
    the task is solved, form is rightly what remains.

What to try
    Bring all functions to one scale, change the weights, or normalise each function on its own
    (`multi_objective_aggregation`).

References
    GDPO (arXiv 2601.05242) · rewardspy, component dominance.
"""

import operator
from collections.abc import Mapping
from dataclasses import replace
from functools import reduce

import numpy as np

from diagnostics.model.algorithms import GROUP_FAMILY
from diagnostics.model.alignment import at_common_steps, finite_only
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.levels import Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.missing_metrics import GDPO
from diagnostics.rules.rewards import reward_weights, rewards_form
from diagnostics.rules.rule import Quiet, RuleResult, Skipped, english
from diagnostics.rules.run.run_rule import RunRule, too_few


class Limits(RuleLimits):
    """Which share of the variance is domination."""

    share: float = limit(0.9, "of the summed variance", "engineering default")
    patience: int = limit(20, "logged points", "engineering default")


class RewardComponentDominates(RunRule[Limits]):
    """Judges the spreads of the reward functions against each other."""

    code = "RV413"
    name = "reward-component-dominates"
    grade = "P"
    source = "GDPO (arXiv 2601.05242)"
    algorithms = GROUP_FAMILY
    inputs = ("reward_func_std",)
    limits = Limits()
    remedies = ("normalised-rewards", "reweighted-rewards")
    telling_samples = "top-scored"
    texts = english(
        headline="The reward function {function} decides nearly all of the advantages.",
        fired="Reward function {function} made up {percent} % of the rewards' variance at step {peak}, and most of "
        "it{mostly} from step {first} to {last}.",
        weights="The reward functions have weights, and the log does not say which is whose.",
        enable="Log the names of the reward functions, in the order of their weights.",
    )

    def applies(self, run: Run) -> bool:
        """A single reward function dominates by definition, and functions that are normalised separately cannot."""
        is_alone = len(run.by_reward_function("reward_func_std")) == 1
        return super().applies(run) and not is_alone and run.settings.value("reward_aggregation") != GDPO

    def check(self, run: Run, limits: Limits) -> RuleResult:
        spreads = run.by_reward_function("reward_func_std")
        weights = _weights(run, tuple(spreads))
        if weights is None:
            return Skipped(self.message("weights"), self.message("enable"))
        shares = _shares(spreads, weights)
        level = Level(Severity.INFO, limits.share, limits.patience)
        readings = {name: read_levels(series, (level,)) for name, series in shares.items() if rewards_form(name)}
        judged = {name: reading for name, reading in readings.items() if isinstance(reading, Reading)}
        if not readings:
            return Quiet(0.0, limits.share, "of the summed variance")
        if not judged:
            return too_few(limits.patience, min(len(series) for series in shares.values()))
        name = max(judged, key=lambda name: (judged[name].breach is not None, judged[name].worst))
        breach = judged[name].breach
        percent = 100 * float(shares[name].values[breach.peak]) if breach else 0.0
        return self.judged(judged[name], unit="of the summed variance", function=name, percent=percent)


def _weights(run: Run, functions: tuple[str, ...]) -> dict[str, float] | None:
    """Each function's weight; None where weights are stated, but not which function each belongs to."""
    stated, names = reward_weights(run), run.settings.value("reward_funcs")
    if not stated:
        return dict.fromkeys(functions, 1.0)
    if not isinstance(names, list | tuple) or set(names) < set(functions) or len(names) != len(stated):
        return None
    return dict(zip(map(str, names), stated, strict=True))


def _shares(spreads: Mapping[str, Series], weights: Mapping[str, float]) -> dict[str, Series]:
    aligned = dict(zip(spreads, at_common_steps(*map(finite_only, spreads.values())), strict=True))
    variances = {name: (weights.get(name, 1.0) * series.values) ** 2 for name, series in aligned.items()}
    total = reduce(operator.add, variances.values())
    return {name: replace(series, values=_share(variances[name], total)) for name, series in aligned.items()}


def _share(part: Values, total: Values) -> Values:
    return np.asarray(part / np.where(total > 0, total, np.nan))
