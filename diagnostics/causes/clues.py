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
END_SETTINGS = ("min_new_tokens", "min_length")
LIMIT_SETTINGS = ("response_length", "max_completion_length", "max_new_tokens")
COLD = 0.3  # temperature below which sampling is as good as greedy, as before a launch
TOO_FAR = 0.1  # nats per token between one policy and the next: where update-too-large is critical
UPDATES_OF_A_LEAP = 3  # one alone may be an outlier token
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


def end_is_forbidden(outcome: Outcome, run: Run) -> bool:
    """Whether sampling may not end an answer before half of its limit: then it is no wonder that few ends are seen."""
    fewest, limit = (_largest(run, names) for names in (END_SETTINGS, LIMIT_SETTINGS))
    return fewest > 0 and fewest >= limit / 2


def limit_cuts(outcome: Outcome, run: Run) -> bool:
    """Whether completions were cut off from the start on, and nothing but the limit keeps them from ending."""
    return stood_from_the_start(outcome, run) and not end_is_forbidden(outcome, run)


def another_end_is_set(outcome: Outcome, run: Run) -> bool:
    """Whether the settings name another token than the model's own end: few answers end at it, so it is suspect."""
    return run.config.get("stop_token_id") is not None and stood_from_the_start(outcome, run)


def stops_at_no_token(outcome: Outcome, run: Run) -> bool:
    """Whether PPO is told to write every answer to the limit: the end token is then one like any other."""
    named = run.config.get("stop_token", "the end") is not None or run.config.get("stop_token_id") is not None
    return not named


def stops_at_a_token(outcome: Outcome, run: Run) -> bool:
    return not stops_at_no_token(outcome, run)


def samples_coldly(outcome: Outcome, run: Run) -> bool:
    temperature = run.config.get("temperature")
    return isinstance(temperature, int | float) and temperature < COLD


def some_end_by_themselves(outcome: Outcome, run: Run) -> bool:
    """Whether a few answers have ended all along: the model knows how to, so that the limit cuts off the others."""
    ends = _ends_at_start_and_end(run)
    return ends is not None and ends[1] > 0 and ends[0] <= 2 * ends[1] and stops_at_a_token(outcome, run)


def ends_became_rare(outcome: Outcome, run: Run) -> bool:
    """Whether answers ended by themselves at the start: what they no longer do, the policy has unlearned."""
    ends = _ends_at_start_and_end(run)
    return ends is not None and ends[0] > 2 * ends[1]


def none_has_learned_to_end(outcome: Outcome, run: Run) -> bool:
    known = (some_end_by_themselves, ends_became_rare, end_is_forbidden)
    return not any(explains(outcome, run) for explains in known)


def leapt(outcome: Outcome, run: Run) -> bool:
    """Whether so few updates carried the policy so far that each of them was too large.

    KL grows with the square of the way: n updates of KL δ each, all in one direction, move √KL by n √δ at most. With
    one update per generation this is all that shows an update's size, for the probability ratio is then 1 by
    construction. A median over three points keeps a single outlier token from counting.
    """
    series = run.get("kl_per_token")
    if series is None or not series.finite.all() or len(series) < START + UPDATES_OF_A_LEAP:
        return False
    way = np.median(np.lib.stride_tricks.sliding_window_view(np.sqrt(np.maximum(series.values, 0.0)), 3), axis=1)
    return float(np.max(way[UPDATES_OF_A_LEAP:] - way[:-UPDATES_OF_A_LEAP])) > UPDATES_OF_A_LEAP * math.sqrt(TOO_FAR)


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


def _largest(run: Run, names: tuple[str, ...]) -> float:
    stated = [run.config[name] for name in names if isinstance(run.config.get(name), int | float)]
    return max(stated, default=0.0)


def _ends_at_start_and_end(run: Run) -> tuple[float, float] | None:
    """End tokens per step, as medians over the first and the last points; None where too few are logged."""
    ends = run.get("eos_tokens")
    if ends is None or ends.finite.sum() < 2 * START:
        return None
    finite = ends.values[ends.finite]
    return float(np.median(finite[:START])), float(np.median(finite[-START:]))
