"""The reward has not moved since the first step, and no answer differs from another: there never was a signal.

What it checks
    The reward and its spread from the first logged point on: the same reward at every point (to rounding), with a
    spread of 0, for at least 20 logged points and until now, is critical. A reward at full marks is not judged.

Why it matters
    All advantages are 0, so nothing is learned, and the run looks calm. It is the most common silent failure of a first
    run: answers cut off before they count, a pattern that never matches, a task out of reach.

When it is wrong
    A sparse reward may wait longer than 20 points for its first success; the rule is quiet from then on.

What to try
    Call the reward on an answer that must score. Look at the share of answers that are cut off, raise the limit.
    Start with easier prompts, partial credit, or a model that sometimes succeeds.

References
    TRL issue 5697 (the default limit cut 97 to 99 %, so the reward was 0) · autocontext issue 1067.
"""

import math

import numpy as np
import numpy.typing as npt

from diagnostics.detectors.averages import finite_points
from diagnostics.detectors.episodes import Episode
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Values
from diagnostics.rules.alignment import at_common_steps
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rewards import full_marks
from diagnostics.rules.rule import Quiet, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of, too_few

SCORES = ("reward", "score")
SPREADS = ("reward_std", "score_std")


class Limits(RuleLimits):
    """How long the same reward for all answers is not chance."""

    patience: int = limit(20, "logged points", "engineering default")
    rounding: float = limit(1e-6, "reward", "float noise of equal rewards")
    full_marks: float = limit(0.95, "of the highest reward", "engineering default")


class RewardStuckAtFloor(RunRule[Limits]):
    """Judges the reward and its spread from the first point on."""

    code = "RV406"
    name = "reward-stuck-at-floor"
    grade = "I"
    source = "TRL issue 5697; autocontext issue 1067"
    inputs = (SCORES, SPREADS)
    limits = Limits()
    remedies = ("checked-reward", "longer-completions", "easier-prompts")
    telling_samples = "equal-groups"
    texts = english(
        headline="The reward has been the same for every answer since the first step.",
        fired="Every answer has earned {measured} since step {first} (until step {last}): there is no signal.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        reward, spread = at_common_steps(series_of(run, *SCORES), series_of(run, *SPREADS))
        if len(reward) < limits.patience or not math.isfinite(reward.values[0]):
            return too_few(limits.patience, finite_points(reward.values))
        first, highest = float(reward.values[0]), full_marks(run)
        moved = _has_moved(reward.values, spread.values, first, limits.rounding)
        stuck = int(np.argmax(moved)) if moved.any() else len(moved)
        is_high = highest is not None and first >= limits.full_marks * highest
        if stuck < len(reward) or is_high:
            return Quiet(float(0 if is_high else stuck), float(len(reward)), "points", reward.name, reward.tag)
        episode = Episode(0, len(reward) - 1, still=True)
        return self.fired(reward, episode, Severity.CRITICAL, measured=first, limit=None)


def _has_moved(reward: Values, spread: Values, first: float, rounding: float) -> npt.NDArray[np.bool_]:
    """(N,) Whether answers differ, or it is not known that they do not."""
    moved = (np.abs(reward - first) > rounding) | (spread > rounding)
    return np.asarray(moved | ~np.isfinite(reward) | np.isnan(spread))
