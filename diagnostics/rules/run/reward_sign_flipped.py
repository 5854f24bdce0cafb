"""The reward falls where its own function rises: it counts with the wrong sign.

What it checks
    The reward that is trained on (`objective/scores`, GRPO's `reward`) against the mean of its only reward function
    (`rewards/{name}/mean`), in the latest thousand points: over ten logged points, five times in a row, they move in
    opposite directions (correlation −0.9 or below). And each function whose name speaks of what is right: a mean that
    lies between −1 and 0 at every point, with a spread that no answer above 0 leaves room for, says that a right answer
    earns no more than nothing. Where that holds of every function, whatever its name, and the reward rises while the
    entropy grows by half until the last third of the run, it is noise that earns the most; and so it is where over that
    third four fifths of the answers are cut off, or the policy is 1 nat per token from the reference or more.

Why it matters
    A weight below 0 reverses the objective: the policy learns to fail, and the log shows a rising reward.

When it is wrong
    A function that measures something unwanted, such as repetition or length, rightly counts negative: one whose name
    says that it rewards form is not judged. With several functions each may have its own sign, so that only their names
    and their ranges are judged. A function may give 0 to a right answer and less to a wrong one on purpose; answers
    then come to agree, and the entropy falls.

What to try
    Correct the sign in reward_weights, or in what the function returns.

References
    By definition: what is trained on is the weighted sum of the reward functions · Bhatia and Davis 2000: numbers from
    −1 to 0 with a mean of m have a variance of −m (1 + m) at most.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from diagnostics.detectors.averages import finite_median, start_level
from diagnostics.detectors.episodes import Episode
from diagnostics.detectors.extremes import finite_range
from diagnostics.detectors.stillness import PARTS, change_of_level
from diagnostics.model.alignment import at_common_steps, finite_only, latest
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.cadence import paced
from diagnostics.rules.levels import Level, Reading, read_levels
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rewards import SCORES, START, has_risen, rewards_form, speaks_of_what_is_right
from diagnostics.rules.rule import Fired, RuleResult, Skipped, english
from diagnostics.rules.run.run_rule import RunRule, series_of


class Limits(RuleLimits):
    """When reward and function move in opposite directions."""

    correlation: float = limit(0.9, "correlation, negative", "engineering default; without a penalty it is 1 exactly")
    window: int = limit(10, "logged points", "engineering default")
    patience: int = limit(5, "logged points", "engineering default")
    below: float = limit(0.01, "reward", "a mean of exactly 0 has no sign")
    surplus: float = limit(0.5, "of the largest variance", "few answers estimate it; rewards of ±1 have twice as much")
    latest: int = limit(1000, "logged points", "engineering default: so far back a sign is no news")
    noise: float = limit(
        1.5, "× the entropy before", "measured on trainings of TRL: it falls where a reward is learned"
    )
    cut_off: float = limit(0.8, "of the answers", "where truncation-high has its graver limit")
    far: float = limit(1.0, "nats/token", "where kl-too-high has its graver limit")


class RewardSignFlipped(RunRule[Limits]):
    """Judges the reward against its only function."""

    code = "RV418"
    name = "reward-sign-flipped"
    grade = "C"
    source = "what is trained on is the weighted sum of the reward functions"
    inputs = (SCORES, "reward_func_mean")
    limits = Limits()
    remedies = ("positive-weights", "checked-reward")
    telling_samples = "lowest-scored"
    texts = english(
        headline="The reward falls where its own function rises.",
        headline_named="A reward function for right answers never gives more than 0.",
        fired="{title} and the mean of {function} went opposite ways from step {first} to {last} (correlation "
        "−{correlation}): the function counts negative.",
        named="The function {function} gave between {lowest} and {highest} on average from step {first} to {last}, and "
        "its spread leaves no room for an answer that earned more than 0: a right one earns nothing, a wrong one less.",
        headline_noise="No answer earns more than 0, and noise earns the most.",
        noise="The reward rose from {before} to {after} from step {first} to {last}, and no reward function ever "
        "gave more than 0; meanwhile the entropy grew from {entropy_before} to {entropy_after}: the less an answer "
        "says, the more it earns.",
        headline_ruin="No answer earns more than 0, and answers that are worth nothing earn the most.",
        cut_off="The reward rose from {before} to {after} from step {first} to {last}, and no reward function ever "
        "gave more than 0; meanwhile {percent} % of the answers have come to be cut off.",
        far="The reward rose from {before} to {after} from step {first} to {last}, and no reward function ever "
        "gave more than 0; meanwhile the policy went {kl} nats per token away from the reference.",
        several="{count} reward functions make up the reward; each may have a sign of its own.",
        form="{function} is about the form of an answer, of which there may rightly be less.",
        form_enable="Nothing is missing; the rule is about a reward for the task.",
        several_enable="Nothing is missing; the rule is about a single reward function.",
    )

    def check(self, run: Run, limits: Limits) -> RuleResult:
        functions = run.by_reward_function("reward_func_mean")
        for name, function in functions.items():
            if speaks_of_what_is_right(name) and (found := self._of_name(run, name, function, limits)):
                return found
        if found := self._of_noise(run, functions, limits):
            return found
        if len(functions) != 1:
            return Skipped(self.message("several", count=len(functions)), self.message("several_enable"), applies=False)
        ((name, function),) = functions.items()
        if rewards_form(name):
            return Skipped(self.message("form", function=name), self.message("form_enable"), applies=False)
        reward, function = at_common_steps(finite_only(series_of(run, "score", "reward")), finite_only(function))
        reward, function = (latest(item, limits.latest) for item in (reward, function))
        opposed = replace(reward, values=-_correlations(reward.values, function.values, limits.window))
        level = Level(Severity.WARNING, limits.correlation, limits.patience)
        reading = read_levels(opposed, (level,), smooth=False)
        if not isinstance(reading, Reading) or reading.breach is None:
            return self.judged(reading, unit="correlation, negative")
        return self.fired_by(
            reward,
            reading,
            measured=float(reward.values[reading.breach.peak]),
            limit=None,
            function=name,
            correlation=float(opposed.values[reading.breach.peak]),
        )

    def _of_name(self, run: Run, name: str, mean: Series, limits: Limits) -> Fired | None:
        """The finding that a function for what is right gives no answer more than 0."""
        limits = paced(limits, run, mean, window=5, patience=3)
        lowest, highest = finite_range(mean.values)
        if len(mean) < limits.window + limits.patience or not _is_never_above_0(run, name, mean, limits):
            return None
        found = self.fired(
            mean,
            Episode(0, len(mean) - 1, still=True),
            Severity.WARNING,
            measured=highest,
            limit=None,
            key="named",
            function=name,
            lowest=lowest,
            highest=highest,
        )
        return replace(found, headline=self.message("headline_named"))

    def _of_noise(self, run: Run, functions: Mapping[str, Series], limits: Limits) -> Fired | None:
        """The finding that rewards which are never above 0 rise while the policy turns into noise."""
        reward = run.get(*SCORES)
        gained = None if reward is None else change_of_level(reward.values)
        if reward is None or gained is None or not has_risen(reward):
            return None
        shown = _noise(run.get("entropy_per_token"), limits) or _ruin(run, limits)
        if shown is None or not functions:
            return None
        if not all(_is_never_above_0(run, *item, limits) for item in functions.items()):
            return None
        key, numbers = shown
        found = self.fired(
            reward,
            Episode(0, len(reward) - 1, still=True),
            Severity.WARNING,
            measured=gained.after,
            limit=None,
            key=key,
            before=min(gained.before, start_level(reward.values, START)),
            after=gained.after,
        )
        return replace(
            found,
            headline=self.message("headline_noise" if key == "noise" else "headline_ruin"),
            message=self.message(key, **{**found.message.values, **numbers}),
        )


def _noise(entropy: Series | None, limits: Limits) -> tuple[str, dict[str, float]] | None:
    """Which text tells that the entropy has grown, and its numbers; None where it has not."""
    level = None if entropy is None else change_of_level(entropy.values)
    if entropy is None or level is None:
        return None
    soon = start_level(entropy.values, START)  # it may double within the first third
    before = min(level.before, start_level(entropy.values), soon)
    lowest, _ = finite_range(_last_part(entropy))
    is_certain = level.is_proven or lowest >= limits.noise * soon
    if not is_certain or level.after < limits.noise * before:
        return None
    return "noise", {"entropy_before": before, "entropy_after": level.after}


def _ruin(run: Run, limits: Limits) -> tuple[str, dict[str, float]] | None:
    """Which text tells that the answers end no more, or that the policy went far away, and its number; else None."""
    for key, name, number, times, least in (
        ("cut_off", "truncated_fraction", "percent", 100, limits.cut_off),
        ("far", "kl_per_token", "kl", 1, limits.far),
    ):
        series = run.get(name)
        if series is not None and (level := finite_median(_last_part(series))) >= least:
            return key, {number: times * level}
    return None


def _last_part(series: Series) -> Values:
    return series.values[-max(1, len(series) // PARTS) :]


def _is_never_above_0(run: Run, name: str, mean: Series, limits: Limits) -> bool:
    """Whether a function's means lie between −1 and 0, and its spreads leave no room for an answer above 0."""
    spread = run.by_reward_function("reward_func_std").get(name)
    lowest, highest = finite_range(mean.values)
    if spread is None or not mean.finite.all() or not (-1 <= lowest < -limits.below and highest <= 0):
        return False
    means, spreads = at_common_steps(finite_only(mean), finite_only(spread))
    most = -means.values * (1 + means.values)
    varies = spreads.values > 0
    return bool(varies.any()) and bool((spreads.values**2 <= (1 + limits.surplus) * most)[varies].all())


def _correlations(first: Values, second: Values, window: int) -> Values:
    """(N,) The correlation of the latest `window` points of (N,) and (N,); 0 where one of them does not vary.

    NaN where fewer points exist or one of them is NaN.
    """
    found = np.full(len(first), np.nan)
    if len(first) < window:
        return found
    parts = [np.lib.stride_tricks.sliding_window_view(item, window) for item in (first, second)]
    one, other = (part - part.mean(axis=1, keepdims=True) for part in parts)
    spread = np.sqrt((one**2).sum(axis=1) * (other**2).sum(axis=1))
    found[window - 1 :] = (one * other).sum(axis=1) / np.where(spread > 0, spread, 1.0)
    return found
