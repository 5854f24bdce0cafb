"""The reward has not moved since the first step, and no answer differs from another: there never was a signal.

What it checks
    The reward from the first logged point on: exactly the same (to rounding) at every point, for at least 20 steps and
    until now, is critical. Where its spread or the share of groups without one is logged, they agree; where neither is,
    the mean alone proves it, because means of different answers do not agree in every batch; so does a spread of 0
    alone. At full marks it is a warning: a task that was solved before the training, or a function that says so of
    every answer. TRL's PPO takes a penalty off answers without an end and logs no spread: there a score is critical too
    that is exactly the same in half of the steps, in the first ten and in each third of the run, never higher, and has
    not risen. A score of PPO that is exactly the same in half of fifty steps or more, and in the same way seldom above
    that, is a warning: success is too rare to learn from. So is the reward of a group algorithm that has stayed, over
    as many steps, below a fiftieth of full marks in the same way, and has not risen; or, where full marks are not
    known, that is at its lowest in the first step and in nine of ten others, in the first ten and in each third of the
    run. Where its first points lie far above all that followed, and above a tenth of full marks, the reward was there
    and is gone, and the finding begins where it went. Where PPO's log counts end tokens, a score that follows from
    their number at every point, to rounding and over at least three numbers, is critical as well, and a warning at full
    marks: nothing but an end was ever paid for.

Why it matters
    All advantages are 0, so nothing is learned, and the run looks calm. It is the most common silent failure of a first
    run: answers cut off before they count, a pattern that never matches, a task out of reach.

When it is wrong
    A sparse reward may wait longer than 20 steps for its first success; the rule is quiet from then on. A policy that
    is distilled from a teacher needs no reward; where the log names a teacher, the rule does not apply.

What to try
    Call the reward on an answer that must score and on one that must not. Look at the share of answers that are cut
    off, raise the limit. Start with easier prompts, partial credit, or a model that sometimes succeeds.

References
    TRL issue 5697 (the default limit cut 97 to 99 %, so the reward was 0) · autocontext issue 1067.
"""

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from diagnostics.detectors.averages import finite_median, finite_points
from diagnostics.detectors.episodes import Episode
from diagnostics.detectors.extremes import finite_range
from diagnostics.model.algorithms import GROUP_FAMILY, PPO_FAMILY
from diagnostics.model.alignment import last_known
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.rules.cadence import paced
from diagnostics.rules.limits import RuleLimits, limit
from diagnostics.rules.rewards import SCORES, full_marks, has_risen
from diagnostics.rules.rule import Fired, Quiet, RuleResult, english
from diagnostics.rules.run.run_rule import RunRule, series_of, too_few

SPREADS = ("reward_std", "score_std")
TEACHER = "teacher"  # in the tags of distillation, as in teacher_kl
PARTS = 3  # of a run: what holds in each holds throughout
FOR_SOLVED = ("checked-reward", "harder-prompts")
ALL_GROUPS = 1.0  # of the groups are without a difference

Mask = npt.NDArray[np.bool_]


class Limits(RuleLimits):
    """How long the same reward for all answers is not chance."""

    patience: int = limit(20, "logged points", "engineering default")
    rounding: float = limit(1e-6, "reward", "float noise of equal rewards")
    lasting: int = limit(50, "logged points", "engineering default: a sparse reward takes some steps to rise")
    early: int = limit(10, "logged points", "engineering default: before much is learned")
    most: float = limit(0.5, "of the logged points", "means of different answers agree in hardly any")
    little: float = limit(0.02, "of full marks", "one answer in fifty: a group of eight has a success in one of seven")
    earned: float = limit(0.1, "of full marks", "five times what is little: so much at the start is no lucky answer")
    nearly: float = limit(0.9, "of the logged points", "engineering default: half of the prompts may be too hard")
    full_marks: float = limit(0.95, "of the highest reward", "engineering default")
    numbers_of_ends: int = limit(3, "numbers of end tokens", "any two points lie on a line; engineering default")


class RewardStuckAtFloor(RunRule[Limits]):
    """Judges the reward and its spread from the first point on."""

    code = "RV406"
    name = "reward-stuck-at-floor"
    grade = "I"
    source = "TRL issue 5697; autocontext issue 1067"
    inputs = ((*SCORES, *SPREADS),)
    limits = Limits()
    remedies = ("checked-reward", "longer-completions", "easier-prompts")
    telling_samples = "equal-groups"
    texts = english(
        headline="The reward has been the same for every answer since the first step.",
        headline_rarely="Hardly any answer earns more than the least.",
        fired="Every answer has earned {measured} since step {first} (until step {last}): there is no signal.",
        unmeasured="No answer has earned more than another since step {first} (until step {last}): there is no signal.",
        ended="In {percent} % of the steps from {first} to {last} every answer earned {measured}, and in none more: "
        "nothing but a missing end makes a difference.",
        but_for_ends="From step {first} to {last} the score follows from the number of end tokens alone: it is "
        "{measured} where there are {tokens}, and {less} less for each that is missing. Nothing else makes a "
        "difference.",
        rarely="In {percent} % of the steps from {first} to {last} answers earned no more than {measured} on average, "
        "and that has not become less: there is hardly any signal.",
        seldom="In {percent} % of the steps from {first} to {last} answers earned at most {limit} of {highest} on "
        "average, and the reward has not risen: success is too rare to learn from.",
        headline_lost="The reward of the first steps is gone.",
        lost="In {percent} % of the steps from {first} to {last} answers earned no more than {limit} on average, and "
        "up to {earned} before that: the reward was there and is gone.",
        solved="Every answer has earned full marks, {measured}, since step {first} (until step {last}): there is "
        "nothing to learn from. Either the task was solved before, or the reward says so of any answer.",
    )

    def applies(self, run: Run) -> bool:
        """A policy that is distilled learns from its teacher's probabilities, whatever the reward."""
        return super().applies(run) and not any(TEACHER in name for name in run.series)

    def check(self, run: Run, limits: Limits) -> RuleResult:
        reward = series_of(run, *SCORES, *SPREADS)
        limits = paced(limits, run, reward, patience=5, lasting=10)
        if len(reward) < limits.patience or not math.isfinite(reward.values[0]):
            return too_few(limits.patience, finite_points(reward.values))
        moved = _has_moved(run, reward, limits.rounding)
        if moved.any():
            quiet = Quiet(float(np.argmax(moved)), float(len(reward)), "points", reward.name, reward.tag)
            of_ends = self._but_for_ends(run, reward, limits)
            return of_ends or self._but_for_few(run, reward, limits) or self._hardly_any(run, reward, limits) or quiet
        first, highest, is_spread = float(reward.values[0]), full_marks(run), reward.name in SPREADS
        is_solved = not is_spread and highest is not None and first >= limits.full_marks * highest
        found = self.fired(
            reward,
            Episode(0, len(reward) - 1, still=True),
            Severity.WARNING if is_solved else Severity.CRITICAL,
            measured=first,
            limit=None,
            key="solved" if is_solved else "unmeasured" if is_spread else "fired",
        )
        return replace(found, remedies=FOR_SOLVED if is_solved else None)

    def _but_for_ends(self, run: Run, reward: Series, limits: Limits) -> Fired | None:
        """The finding that PPO's scores follow from how many answers end, and from nothing else."""
        ends, marks = run.get("eos_tokens"), full_marks(run)
        if run.algorithm not in PPO_FAMILY or ends is None or not np.array_equal(ends.steps, reward.steps):
            return None
        counts, rows = np.unique(ends.values, return_index=True)
        if len(counts) < limits.numbers_of_ends or not np.isfinite([*counts, *reward.values]).all():
            return None
        lowest, highest = reward.values[rows[[0, -1]]].tolist()
        each = (highest - lowest) / float(counts[-1] - counts[0])
        explained = highest - each * (counts[-1] - ends.values)
        if each <= limits.rounding or np.abs(reward.values - explained).max() > limits.rounding:
            return None
        is_solved = marks is not None and highest >= limits.full_marks * marks
        found = self.fired(
            reward,
            Episode(0, len(reward) - 1, still=True),
            Severity.WARNING if is_solved else Severity.CRITICAL,
            measured=highest,
            limit=None,
            key="but_for_ends",
            tokens=float(counts[-1]),
            less=each,
        )
        return replace(found, remedies=FOR_SOLVED if is_solved else None)

    def _but_for_few(self, run: Run, reward: Series, limits: Limits) -> Fired | None:
        """The finding that PPO's scores differ by the penalty for a missing end alone, or by a rare success."""
        if run.algorithm not in PPO_FAMILY or not bool(reward.finite.all()) or has_risen(reward):
            return None
        usual, highest = _usual(reward), finite_range(reward.values)[1]
        marks = full_marks(run)
        is_solved = marks is not None and highest >= limits.full_marks * marks
        takes_a_penalty = run.algorithm == "ppo" and not any(run.get(name) for name in SPREADS)
        if takes_a_penalty and not is_solved and _is_mostly(_is_at(reward, highest, limits), limits.most, limits.early):
            return self._of_few(reward, highest, Severity.CRITICAL, "ended", _is_at(reward, highest, limits))
        is_no_more = np.asarray(reward.values <= usual + limits.rounding)
        is_usual = float(_is_at(reward, usual, limits).mean()) >= limits.most
        if (
            len(reward) >= limits.lasting
            and usual < highest
            and is_usual
            and _is_mostly(is_no_more, limits.most, limits.early)
        ):
            if lost := self._lost(reward, is_no_more, limits.earned * (marks or 0.0), most=usual):
                return lost
            found = self._of_few(reward, usual, Severity.WARNING, "rarely", is_no_more)
            return replace(found, headline=self.message("headline_rarely"))
        return None

    def _hardly_any(self, run: Run, reward: Series, limits: Limits) -> Fired | None:
        """The finding that hardly any answer of a group algorithm earns anything, and that none has learned to."""
        highest = full_marks(run)
        if run.algorithm not in GROUP_FAMILY or len(reward) < limits.lasting or has_risen(reward):
            return None
        if highest is None:
            return self._hardly_off_the_floor(reward, limits)
        is_little = np.asarray(reward.values <= limits.little * highest)
        if not _is_mostly(is_little, limits.most, limits.early):
            return None
        if lost := self._lost(reward, is_little, limits.earned * highest, most=limits.little * highest):
            return lost
        found = self.fired(
            reward,
            Episode(0, len(reward) - 1, still=True),
            Severity.WARNING,
            measured=finite_median(reward.values),
            limit=limits.little * highest,
            key="seldom",
            percent=100 * float(is_little.mean()),
            highest=highest,
        )
        return replace(found, headline=self.message("headline_rarely"))

    def _hardly_off_the_floor(self, reward: Series, limits: Limits) -> Fired | None:
        """The finding that a reward without known marks is at its lowest in nearly every step."""
        lowest, highest = finite_range(reward.values)
        is_lowest = _is_at(reward, lowest, limits)
        if (
            reward.name in SPREADS
            or not lowest < highest
            or not is_lowest[0]
            or not _is_mostly(is_lowest, limits.nearly, limits.early)
        ):
            return None
        found = self._of_few(reward, lowest, Severity.WARNING, "rarely", is_lowest)
        return replace(found, headline=self.message("headline_rarely"))

    def _lost(self, reward: Series, is_least: Mask, least: float, *, most: float) -> Fired | None:
        """The finding that the first points, up to the first of the least, earned what has not been earned since."""
        first = int(np.argmax(is_least))
        before, behind = reward.values[:first], reward.values[first:]
        if not (finite_median(before) >= least and _is_far_above(finite_median(before), behind)):
            return None
        found = self.fired(
            reward,
            Episode(first, len(reward) - 1, still=True),
            Severity.WARNING,
            measured=finite_median(behind),
            limit=most,
            key="lost",
            percent=100 * float(is_least[first:].mean()),
            earned=finite_range(before)[1],
        )
        return replace(found, headline=self.message("headline_lost"))

    def _of_few(self, reward: Series, level: float, severity: Severity, key: str, is_there: Mask) -> Fired:
        episode = Episode(0, len(reward) - 1, still=True)
        percent = 100 * float(is_there.mean())
        return self.fired(reward, episode, severity, measured=level, limit=None, key=key, percent=percent)


def _usual(reward: Series) -> float:
    """The value that a reward has most often."""
    values, counts = np.unique(reward.values, return_counts=True)
    return float(values[np.argmax(counts)])


def _is_mostly(is_there: Mask, share: float, early: int) -> bool:
    """Whether a reward is somewhere at this share of the points, of the first ones and of each part of the run."""
    parts = (is_there[:early], *np.array_split(is_there, PARTS))
    return min(float(part.mean()) for part in parts) >= share


def _is_far_above(earned: float, behind: Values) -> bool:
    """Whether a level is farther above the highest of what followed than that lies above its median, as luck does."""
    highest = finite_range(behind)[1]
    return earned - highest > highest - finite_median(behind)


def _is_at(reward: Series, level: float, limits: Limits) -> Mask:
    """(N,) Whether a reward is at a level, to rounding."""
    return np.asarray(np.abs(reward.values - level) <= limits.rounding)


def _has_moved(run: Run, reward: Series, rounding: float) -> Mask:
    """(N,) Whether answers differ, or it is not known that they do not."""
    moved = ~(np.abs(reward.values - reward.values[0]) <= rounding)
    spread, silent = run.get(*SPREADS), run.get("zero_std_fraction")
    if spread is not None:
        moved |= ~(last_known(spread, reward.steps) <= rounding)
    if silent is not None:
        moved |= last_known(silent, reward.steps) < ALL_GROUPS
    return np.asarray(moved)
