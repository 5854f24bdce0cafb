"""One reward function rises while the task's own falls: the cheap part is bought at the cost of the answer.

What it checks
    With two or more reward functions: over the last 50 logged points, and over the 50 that ended 20 points earlier, one
    function's mean has a rising trend (Mann–Kendall, corrected for autocorrelation, p < 0.01) and another's a falling
    one, by at least a tenth of its level: a warning. So it is in a run of fewer points, 20 at least, where one's last
    third lies above its first third by three standard errors, and another's below by as many and by three tenths of its
    level. Functions whose name says that they reward form (format, tags, length, penalties, language) may fall.

Why it matters
    The total may keep rising meanwhile. In one public experiment a format reward went from 0.44 to 1.0 while the
    accuracy fell from 0.23 to 0.03.

When it is wrong
    What a function rewards is guessed from its name. Prompts that get harder make accuracy fall too. Of 60 simulated
    healthy runs of 1000 points with three functions none fires up to an autocorrelation of 0.95.

What to try
    Make form a condition of the task's reward instead of a separate term, or give it less weight.

References
    TRL logging page: rewards/{reward_func_name}/mean · a public testbed of verifiable rewards (format against
    accuracy) · open-r1 issue 403.
"""

from collections.abc import Mapping

import numpy as np

from diagnostics.detectors.averages import finite_points, median
from diagnostics.detectors.episodes import Episode
from diagnostics.detectors.stillness import PARTS, Change, change_of_level
from diagnostics.detectors.trend import lasting_slope
from diagnostics.model.algorithms import GROUP_FAMILY
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rewards import rewards_form
from diagnostics.rules.rule import Fired, Quiet, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, too_few


class Limits(RuleLimits):
    """What counts as rising and falling."""

    window: int = limit(50, "logged points", "engineering default")
    patience: int = limit(20, "logged points", "engineering default")
    significance: float = limit(0.01, "probability", "engineering default; 2 false trends in 1000 steps of plain noise")
    loss: float = limit(0.1, "of its level before", "engineering default")
    fewest: int = limit(20, "logged points", "engineering default: thirds of them have their own spread")
    loss_by_thirds: float = limit(0.3, "of its level before", "engineering default: looked at anew in each step")


class RewardComponentsDiverge(RunRule[Limits]):
    """Judges the means of the reward functions against each other."""

    code = "RV412"
    name = "reward-components-diverge"
    grade = "I"
    source = "a public testbed of verifiable rewards; open-r1 issue 403"
    algorithms = GROUP_FAMILY
    inputs = ("reward_func_mean",)
    limits = Limits()
    remedies = ("gated-format", "reweighted-rewards", "checked-reward")
    telling_samples = "top-scored"
    texts = english(
        headline="The model gives up {falling} to raise {rising}.",
        fired="From step {first} to {last} reward function {rising} rose, while {falling} fell from {before} to "
        "{measured}.",
    )

    def applies(self, run: Run) -> bool:
        """A single reward function has nothing to diverge from."""
        return super().applies(run) and len(run.by_reward_function("reward_func_mean")) != 1

    def check(self, run: Run, limits: Limits) -> RuleResult:
        functions = run.by_reward_function("reward_func_mean")
        needed = limits.window + limits.patience
        fewest = min(finite_points(series.values) for series in functions.values())
        if fewest < limits.fewest:
            return too_few(limits.fewest, fewest)
        if fewest < needed:
            return self._by_thirds(functions, limits)
        slopes = {name: _slope(series, limits) for name, series in functions.items()}
        rising = max(slopes, key=lambda name: slopes[name])
        fallen = [
            name for name in functions if slopes[name] < 0 and _relative_loss(functions[name], limits) >= limits.loss
        ]
        judged = [name for name in fallen if not rewards_form(name)]
        if slopes[rising] > 0 and judged:
            return self._fired(
                functions, rising, max(judged, key=lambda name: _relative_loss(functions[name], limits)), limits
            )
        worst = max(
            (_relative_loss(series, limits) for name, series in functions.items() if not rewards_form(name)), default=0
        )
        return Quiet(max(0.0, float(worst)) if slopes[rising] > 0 else 0.0, limits.loss, "of its level before")

    def _by_thirds(self, functions: Mapping[str, Series], limits: Limits) -> RuleResult:
        """The result for a run that is too short for trends."""
        changes = {
            name: change for name, series in functions.items() if (change := change_of_level(series.values)) is not None
        }
        proven = {name: change for name, change in changes.items() if change.is_proven}
        losses = {name: _share_lost(change) for name, change in proven.items() if not rewards_form(name)}
        rising = max(proven, key=lambda name: proven[name].after - proven[name].before, default="")
        falling = max(losses, key=lambda name: losses[name], default="")
        worst = losses.get(falling, 0.0)
        if not rising or proven[rising].after <= proven[rising].before:
            return Quiet(0.0, limits.loss_by_thirds, "of its level before")
        if worst < limits.loss_by_thirds:
            return Quiet(max(0.0, worst), limits.loss_by_thirds, "of its level before")
        series, change = functions[falling], changes[falling]
        return self.fired(
            series,
            Episode(len(series) // PARTS, len(series) - 1, still=True),
            Severity.WARNING,
            measured=change.after,
            limit=(1 - limits.loss_by_thirds) * change.before,
            rising=rising,
            falling=falling,
            before=change.before,
        )

    def _fired(self, functions: Mapping[str, Series], rising: str, falling: str, limits: Limits) -> Fired:
        series = functions[falling]
        before, now = _start_and_end(series, limits)
        episode = Episode(len(series) - limits.window - limits.patience, len(series) - 1, still=True)
        return self.fired(
            series,
            episode,
            Severity.WARNING,
            measured=now,
            limit=(1 - limits.loss) * before,
            rising=rising,
            falling=falling,
            before=before,
        )


def _share_lost(change: Change) -> float:
    return (change.before - change.after) / abs(change.before) if change.before else 0.0


def _slope(series: Series, limits: Limits) -> float:
    return lasting_slope(series.steps, series.values, limits.window, limits.patience, limits.significance)


def _start_and_end(series: Series, limits: Limits) -> tuple[float, float]:
    """The level before the stretch that is judged, and at its end."""
    part = series.values[-limits.window - limits.patience :]
    before, now = part[: limits.patience], part[-limits.patience :]
    return _median(before), _median(now)


def _relative_loss(series: Series, limits: Limits) -> float:
    before, now = _start_and_end(series, limits)
    return (before - now) / abs(before) if before else 0.0


def _median(values: Values) -> float:
    finite = values[np.isfinite(values)]
    return median(finite) if len(finite) else 0.0
