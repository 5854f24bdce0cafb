"""What points at a cause: a rule, and what must be true of its outcome for it to count."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from diagnostics.diagnosis import Outcome, Severity
from diagnostics.metrics import MAIN_REWARD
from diagnostics.run import Run

TIGHT_CLIP_RANGE = 0.1  # PPO and GRPO use 0.2; below half of it clipping is the rule
START = 5  # logged points that show how a run began
CLIP_PARAMETERS = ("cliprange", "epsilon")
SMALL_BATCH = 32  # answers; TRL's maintainers advise 256


@dataclass(frozen=True, slots=True)
class Clue:
    """A rule that points at a cause, where `counts` says that it does in this run."""

    rule: str
    counts: Callable[[Outcome, Run], bool] = lambda outcome, run: True


def clips_tightly(outcome: Outcome, run: Run) -> bool:
    stated = [run.config[name] for name in CLIP_PARAMETERS if isinstance(run.config.get(name), int | float)]
    return any(value < TIGHT_CLIP_RANGE for value in stated)


def clips_as_usual(outcome: Outcome, run: Run) -> bool:
    return not clips_tightly(outcome, run)


def grew(outcome: Outcome, run: Run) -> bool:
    """Whether few completions were cut off at the start, against what it came to."""
    series = run.get("truncated_fraction")
    if series is None or outcome.measured is None:
        return False
    start = series.values[:START][series.finite[:START]]
    return len(start) > 0 and float(np.median(start)) < outcome.measured / 2


def stood_from_the_start(outcome: Outcome, run: Run) -> bool:
    return not grew(outcome, run)


def is_critical(outcome: Outcome, run: Run) -> bool:
    return outcome.severity is Severity.CRITICAL


def is_warning(outcome: Outcome, run: Run) -> bool:
    return outcome.severity is Severity.WARNING


def is_paid(outcome: Outcome, run: Run) -> bool:
    """Whether the check of samples itself found that the score pays for it."""
    return outcome.message.template in ("smp-exclaim-emoji.fired", "smp-nonlanguage.paid")


def are_null_tokens(outcome: Outcome, run: Run) -> bool:
    """Whether exclamation marks are what NaN logits decode to: they fill whole answers, and nothing pays for them."""
    return outcome.message.template == "smp-exclaim-emoji.broken"


def reward_rose(outcome: Outcome, run: Run) -> bool:
    """Whether the score is higher now than it was at the start."""
    series = run.get("score", *MAIN_REWARD.get(run.algorithm, ("reward", "rlhf_reward")))
    if series is None or series.finite.sum() < 2 * START:
        return False
    finite = series.values[series.finite]
    return bool(np.median(finite[-START:]) > np.median(finite[:START]) + np.std(finite[:START]))


def reward_did_not_rise(outcome: Outcome, run: Run) -> bool:
    return not reward_rose(outcome, run)


def is_small_and_noisy(outcome: Outcome, run: Run) -> bool:
    """Whether few answers make an update, and the reward moves more from step to step than it gained in the run."""
    sizes = [run.config.get(name, 1) for name in ("per_device_train_batch_size", "gradient_accumulation_steps")]
    stated = [size for size in sizes if isinstance(size, int)]
    series = run.get("score", *MAIN_REWARD.get(run.algorithm, ("reward", "rlhf_reward")))
    if "per_device_train_batch_size" not in run.config or math.prod(stated) > SMALL_BATCH or series is None:
        return False
    finite = series.values[series.finite]
    gained = abs(float(np.median(finite[-START:])) - float(np.median(finite[:START])))
    return float(np.std(np.diff(finite))) / math.sqrt(2) > gained
