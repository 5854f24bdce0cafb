"""The KL penalty that a run asks for: what its reward gained for each nat that the policy moved from the reference."""

import functools
import math
from typing import Any

import numpy as np

from diagnostics.causes.discriminators.shapes import medians_of_windows
from diagnostics.causes.remedies.remedy import Keep, Suggestion
from diagnostics.causes.remedies.suggestions import is_number, stronger_kl_weight
from diagnostics.model.algorithms import MAIN_REWARD
from diagnostics.model.run import Run
from diagnostics.model.series import Series, Values
from diagnostics.model.settings import UNSCALED_REWARDS

FAR = 0.2  # nats per token, where kl-too-high begins: TRL's 10 nats for an answer of some 50 tokens
NEAR = FAR / 10  # nats per token: still at the reference
WINDOW = 5  # logged points of a running median
NORMALISED = ("grpo", "rloo")  # algorithms that divide rewards by their standard deviation before the penalty counts
USUAL_KL_WEIGHT = {"ppo": 0.05, "ppo-legacy": 0.2, "grpo": 0.04, "rloo": 0.05}  # TRL's own; GRPO's up to 0.18
FAR_OFF = 10.0  # times the usual weight: then a third of the current one is still far off


def fitted_kl_weight(current: Any, run: Run) -> Any:
    """The weight at which going beyond 0.2 nats per token costs what it earns; as is where that is not known, or less.

    Score minus weight times KL is highest where another nat earns just the weight. What a nat earns falls with the
    distance (Gao et al. 2022: reward grows with the root of KL), so that the mean gain up to that distance is more than
    it earns beyond.
    """
    gained = _gain_per_nat(run)
    least = stronger_kl_weight(current, run)
    if gained is None or not is_number(least) or gained <= least:
        return Keep.AS_IS
    return Suggestion(float(f"{gained:.2g}"), {"gain": gained})


def usual_kl_weight(current: Any, run: Run) -> Any:
    """A third of the KL penalty; the trainer's own default where even that would be far beyond it."""
    if not is_number(current) or current <= 0:
        return Keep.AS_IS
    usual = USUAL_KL_WEIGHT.get(run.algorithm, math.inf)
    return usual if current > FAR_OFF * usual else float(f"{current / 3:.2g}")


def may_have_kl_penalty(run: Run) -> bool:
    """Whether a weight may count: not where every switch of a penalty is known to be off."""
    return run.settings.kl_weight != 0 or run.settings.get("use_kl_loss") is None


def switch_on_if_there_is_no_penalty(current: Any, run: Run) -> Any:
    """True where the switches of all penalties are off."""
    return Keep.AS_IS if may_have_kl_penalty(run) else True


def _gain_per_nat(run: Run) -> float | None:
    """What the reward, as the loss sees it, gained per nat and answer; None where the policy did not go that far."""
    score = run.get("score", *MAIN_REWARD.get(run.algorithm, ("reward",)))
    kl, tokens = run.get("kl_per_sequence", "kl_per_token"), run.get("length_mean")
    if score is None or kl is None or tokens is None:
        return None
    medians = _medians_at_common_steps(score, kl, tokens)
    reward, moved, length = (values[medians[2] > 0] for values in medians)  # nothing is per token where there is none
    moved = moved * length if kl.name == "kl_per_token" else moved
    far = np.flatnonzero(moved >= FAR * length)
    spread = _reward_divisor(run, far[0] + WINDOW) if len(far) else None
    if spread is None:
        return None
    near = np.flatnonzero(moved[: far[0]] < NEAR * length[: far[0]])
    start = near[-1] if len(near) else 0  # a reward that changed before was not earned by moving
    return float(np.max((reward[far[0] :] - reward[start]) / np.maximum(moved, FAR * length)[far[0] :])) / spread


def _reward_divisor(run: Run, points: int) -> float | None:
    """What rewards were divided by, when the policy became far, before the penalty counts; None where not logged."""
    if run.algorithm not in NORMALISED or run.settings.value("scale_rewards") in UNSCALED_REWARDS:
        return 1.0
    series = run.get("reward_std")
    known = series.values[series.finite][:points][-WINDOW:] if series is not None else np.zeros(0)
    spread = float(np.median(known)) if len(known) else 0.0
    return spread if spread > 0 else None


def _medians_at_common_steps(*parts: Series) -> list[Values]:
    """(N,) each: running medians at the steps at which all of them are finite; empty where those are too few."""
    steps = functools.reduce(np.intersect1d, (series.steps[series.finite] for series in parts))
    if len(steps) < WINDOW:
        return [np.zeros(0) for _ in parts]
    aligned = [series.values[np.isin(series.steps, steps)] for series in parts]
    return [medians_of_windows(values, WINDOW) for values in aligned]
