"""What tells apart causes in the reward functions: one that is dead, or none that tells answers apart."""

from collections.abc import Collection

import numpy as np

from diagnostics.causes.indicator import is_critical
from diagnostics.detectors.averages import finite_median
from diagnostics.detectors.extremes import finite_range
from diagnostics.model.outcome import Outcome, Severity
from diagnostics.model.run import Run
from diagnostics.model.series import NO_VALUES, Series

ENOUGH = 10  # logged points at which a function told answers apart: fewer are chance
ROUNDING = 1e-6  # of means in float32
FULL = 1.0  # marks
NEARLY = 0.95  # of full marks
SELDOM = 0.02  # of full marks, 1: one answer in fifty


def all_is_paid_in_full(outcome: Outcome, run: Run) -> bool:
    """Whether every function gives every answer its full marks from the start."""
    return outcome.message.template == "reward-func-constant.full"


def function_is_dead(outcome: Outcome, run: Run) -> bool:
    """Whether a function of several tells no answers apart, and not because all of them earn everything.

    Where by now no function does, it is dead all the same if others told answers apart while it did not.
    """
    if all_is_paid_in_full(outcome, run):
        return False
    return outcome.severity is Severity.WARNING or (is_critical(outcome, run) and _others_told_apart(outcome, run))


def no_function_tells_apart(outcome: Outcome, run: Run) -> bool:
    """Whether no function does, and none did while the one that is told of was silent."""
    return is_critical(outcome, run) and not _others_told_apart(outcome, run)


def there_was_no_signal(outcome: Outcome, run: Run) -> bool:
    """Whether a reward without differences was so from the first step on, and not lost in the first steps."""
    return outcome.message.template != "reward-stuck-at-floor.lost"


def every_answer_is_full(run: Run, core: Collection[str]) -> bool:
    """Whether the reward is the same for every answer because each of them has always had full marks."""
    alone = run.get("score", "reward")
    graders = [*run.by_reward_function("reward_func_mean").values()] or ([] if alone is None else [alone])
    ranges = [finite_range(grader.values) for grader in graders]
    return "reward-stuck-at-floor" in core and all(lowest >= NEARLY and highest <= FULL for lowest, highest in ranges)


def function_was_always_dead(run: Run, core: Collection[str]) -> bool:
    """Whether a function has not told answers apart at any point: no weight makes an advantage of that."""
    return set(core) == {"reward-func-constant"} and any(
        _never_varies(run, name) and not _is_full(run, name) for name in _functions(run)
    )


def most_functions_were_always_dead(run: Run) -> bool:
    """Whether most functions have told no answers apart at any point, so that they push a policy nowhere."""
    dead = [name for name in _functions(run) if _never_varies(run, name) and not _is_full(run, name)]
    return len(dead) > len(_functions(run)) / 2


def most_are_dead(run: Run, core: Collection[str]) -> bool:
    """Whether it is functions without differences that indicate it, and most have none."""
    return set(core) == {"reward-func-constant"} and most_functions_were_always_dead(run)


def _functions(run: Run) -> tuple[str, ...]:
    """The reward functions whose spread or mean is logged."""
    return tuple({**run.by_reward_function("reward_func_std"), **run.by_reward_function("reward_func_mean")})


def _never_varies(run: Run, name: str) -> bool:
    """Whether a function's spread was 0 at every point; where it is not logged, whether its mean never changed."""
    spread, mean = (run.by_reward_function(f"reward_func_{what}").get(name) for what in ("std", "mean"))
    lowest, highest = finite_range(NO_VALUES if mean is None else mean.values)
    return highest - lowest <= ROUNDING if spread is None else finite_range(spread.values)[1] <= ROUNDING


def _is_full(run: Run, name: str) -> bool:
    mean = run.by_reward_function("reward_func_mean").get(name)
    return mean is not None and abs(finite_median(mean.values) - FULL) <= ROUNDING


def _others_told_apart(outcome: Outcome, run: Run) -> bool:
    """Whether other functions told answers apart at many points since the one that is told of is constant.

    Their spread shows it, or where none is logged a mean that moves. One that is hardly ever earned tells nothing
    apart: of answers to hopeless prompts a few earn something by chance.
    """
    first, told = outcome.first_step or 0, outcome.message.values.get("function")
    spreads, means = (run.by_reward_function(f"reward_func_{what}") for what in ("std", "mean"))
    return any(
        _points_told_apart(spreads.get(name), means.get(name), first) >= ENOUGH
        and not _is_hardly_earned(means.get(name), first)
        for name in {*spreads, *means} - {told}
    )


def _points_told_apart(spread: Series | None, mean: Series | None, first: int) -> int:
    """At how many points since a step a function told answers apart."""
    if spread is not None:
        return int((spread.values[spread.steps >= first] > ROUNDING).sum())
    since = NO_VALUES if mean is None else mean.values[mean.steps >= first]
    return int((np.abs(np.diff(since)) > ROUNDING).sum())


def _is_hardly_earned(mean: Series | None, first: int) -> bool:
    """Whether a function that gives 0 to 1 has mostly given next to nothing since a step."""
    since = NO_VALUES if mean is None else mean.values[mean.steps >= first]
    lowest, highest = finite_range(since)
    return bool(len(since)) and lowest >= 0.0 and highest <= 1.0 and finite_median(since) <= SELDOM


def full_marks_were_never_earned(run: Run, core: Collection[str]) -> bool:
    """Whether it is equal rewards from the start that say that nothing is left to learn."""
    return "reward-func-constant" in core
