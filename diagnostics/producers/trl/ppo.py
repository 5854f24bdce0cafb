"""TRL's PPOv2Trainer, the PPOTrainer that it became (0.12 to 1.12), and their relatives: old RLOO, online DPO.

Names, formulas and versions: `ppov2_trainer.py`, `ppo_trainer.py`, `rloo_trainer.py` and `online_dpo_trainer.py` of the
releases named.
"""

import math

import numpy as np

from diagnostics.producers.log import Log
from diagnostics.producers.trainer import Caveat, LogTraits, Trainer
from diagnostics.producers.trl.trainer_rows import TRAINER_TAGS, has_finished, total_steps

TAGS = TRAINER_TAGS | {
    "eps": "episodes_per_second",
    "episode": "episodes",
    "lr": "learning_rate",
    "objective/kl": "kl_per_sequence",
    "objective/entropy": "entropy_per_sequence",
    "objective/non_score_reward": "non_score_reward",
    "objective/rlhf_reward": "rlhf_reward",
    "objective/scores": "score",
    "policy/approxkl_avg": "approx_kl",
    "policy/clipfrac_avg": "clip_fraction",
    "policy/entropy_avg": "entropy_per_token",
    "loss/policy_avg": "policy_loss",
    "loss/value_avg": "value_loss",
    "val/clipfrac_avg": "value_clip_fraction",
    "val/ratio": "ratio_mean",
    "val/ratio_var": "ratio_variance",
    "val/num_eos_tokens": "eos_tokens",
}

VALUE_MODEL_TAGS = frozenset({"loss/value_avg", "val/clipfrac_avg"})
"""Logged as 0 by old RLOO, which has no value model."""

DILUTED = (
    "policy/approxkl_avg",
    "policy/clipfrac_avg",
    "policy/entropy_avg",
    "loss/policy_avg",
    "loss/value_avg",
    "val/clipfrac_avg",
    "val/ratio",
)
"""Averages over a table of epochs × mini-batches × accumulation steps, which TRL 0.17 to 1.12 may fill in part."""
DILUTED_SINCE, DILUTED_BEFORE = (0, 17), (1, 13)
MOST_PARTS = 64  # mini-batches in practical use
DILUTION_TOLERANCE = 0.2  # of 1/factor: how near to it the first ratio, in truth about 1, counts as diluted


def dilution(log: Log) -> float:
    """The factor by which the averages are too small, by version and settings, or by the data where those are silent.

    A mini-batch is made in as many passes as hold its rows, but has a place in the table for every accumulation step:
    with `gradient_accumulation_steps` 1 every place is filled, whatever `num_mini_batches` is.
    """
    if not log.is_between(DILUTED_SINCE, DILUTED_BEFORE):
        return 1.0
    parts, steps = _count(log, "num_mini_batches"), _count(log, "gradient_accumulation_steps")
    if parts and steps:
        factor = steps / math.ceil(steps / parts)
        return factor if log.release is not None or _is_diluted_by(log, factor) else 1.0
    if parts:
        return float(parts) if _is_diluted_by(log, parts) else 1.0
    return 1.0 if log.config else float(_shown_dilution(log))


def _count(log: Log, name: str) -> int:
    value = log.config.get(name)
    return value if isinstance(value, int) and value > 0 else 0


def _is_diluted_by(log: Log, factor: float) -> bool:
    """Whether the first logged ratio, which should be about 1, is too small by this factor."""
    ratio = log.series.get("val/ratio")
    return ratio is not None and len(ratio.values) > 0 and bool(abs(ratio.values[0] * factor - 1) <= DILUTION_TOLERANCE)


def _shown_dilution(log: Log) -> int:
    """The number m of places of which only one is filled: a ratio of about 1 beside m − 1 zeros has mean 1/m.

    Their variance, (1/m)(1 − 1/m), is what no ratio that is truly 1/m has.
    """
    ratio, variance = log.series.get("val/ratio"), log.series.get("val/ratio_var")
    if ratio is None or variance is None or not len(ratio.values) or not len(variance.values):
        return 1
    mean = float(ratio.values[0])
    parts = max(1, round(1 / mean)) if math.isfinite(mean) and mean > 1 / MOST_PARTS else 1
    expected = (1 - 1 / parts) / parts
    return (
        parts if _is_diluted_by(log, parts) and bool(variance.values[0] >= expected * (1 - DILUTION_TOLERANCE)) else 1
    )


def is_diluted(log: Log) -> bool:
    """Whether the averages are too small."""
    return dilution(log) > 1


def counts_rows(log: Log) -> bool:
    """Whether every point is logged at step 0, as by TRL 0.9."""
    episode = log.series.get("episode")
    has_rows = episode is not None and len(episode.steps) > 1
    return has_rows and not any(np.any(series.steps) for series in log.series.values())


def is_rloo(log: Log) -> bool:
    """Whether this is RLOO before 0.22: by its settings or, without any, by a value loss that is always 0."""
    value_loss = log.series.get("loss/value_avg")
    if log.config or value_loss is None:
        return "rloo_k" in log.config
    return len(value_loss.values) > 1 and not np.any(value_loss.values)


def _is_online_dpo(log: Log) -> bool:
    return log.has("rewards/chosen")


def _is_not_online_dpo(log: Log) -> bool:
    return not _is_online_dpo(log)


CAVEATS = (
    Caveat(DILUTED, "TRL divides it once more by the number of mini-batches; multiplied back here.", holds=is_diluted),
    Caveat(
        ("val/ratio_var",),
        "Meaningless with num_mini_batches and gradient_accumulation_steps above 1 in TRL 0.17 to 1.12.",
        holds=is_diluted,
    ),
    Caveat(("val/ratio_var",), "Variance over the micro-batches' means, not over tokens; NaN with one micro-batch."),
    Caveat(
        ("objective/entropy",),
        "TRL up to 1.9 adds −1 for each padding token, so it can be far below 0.",
        before=(1, 10),
        holds=_is_not_online_dpo,
    ),
    Caveat(("val/ratio", "policy/approxkl_avg"), "Padding counts as unchanged tokens and pulls it towards no change."),
    Caveat(("policy/entropy_avg",), "Includes the positions after the end of a response."),
    Caveat(("val/num_eos_tokens",), "Counted on one process only, in raw responses."),
    Caveat(("objective/kl", "objective/entropy"), "Includes padding positions.", holds=_is_online_dpo),
)


def recognise(log: Log) -> float:
    """Sure of the ratio beside the RLHF reward (PPO), or of chosen rewards beside the KL objective (online DPO)."""
    if log.has("objective/rlhf_reward", "val/ratio"):
        return 0.9
    return 0.8 if log.has("objective/kl", "rewards/chosen") else 0.0


def read_traits(log: Log) -> LogTraits:
    """PPO, RLOO or online DPO; dilution by mini-batches undone; steps recovered where all are 0."""
    factor, in_rows = dilution(log), counts_rows(log)
    notes = []
    if in_rows:
        notes.append("Every point stands at step 0, as TRL 0.9 logs them: steps are counted in the order of the file")
    if factor > 1:
        notes.append(f"TRL logs averages {factor:g} times too small (num_mini_batches): multiplied back here")
    return LogTraits(
        algorithm=_algorithm(log),
        ignored=VALUE_MODEL_TAGS if is_rloo(log) else frozenset(),
        scales=dict.fromkeys(DILUTED, factor) if factor > 1 else {},
        total=total_steps(log),
        has_finished=has_finished(log),
        counts_rows=in_rows,
        notes=tuple(notes),
    )


def _algorithm(log: Log) -> str:
    if _is_online_dpo(log):
        return "online-dpo"
    return "rloo" if is_rloo(log) else "ppo"


TRAINER = Trainer("trl-ppo", TAGS, recognise, read_traits, caveats=CAVEATS)
