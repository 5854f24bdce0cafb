"""Trainers built on TRL's GRPOTrainer that log names of their own besides: Unsloth and ms-swift."""

from diagnostics.producers import trl_grpo
from diagnostics.producers.producer import Caveat, Dialect, Findings, Log, shows

SWIFT_TAGS = {
    "entropy/mean": "entropy_per_token",
    "rollout_correction/kl": "engine_logprob_difference",
    "rollout_correction/log_ppl_abs_diff": "engine_logprob_difference",
}
SWIFT_CAVEATS = (Caveat(("rollout_correction/kl",), "A KL estimate between engines, which may be below 0."),)


def _examine_unsloth(log: Log) -> Findings:
    """Unsloth logs a KL of 0 where there is none: with beta 0 it was never computed."""
    found = trl_grpo.examine(log)
    kl = log.series.get("kl")
    is_absent = kl is not None and not kl.values.any()
    ignored = found.ignored | ({"kl"} if is_absent else set())
    return Findings(found.algorithm, ignored=ignored, total=found.total, has_finished=found.has_finished)


UNSLOTH = Dialect(
    "unsloth",
    "unsloth",
    trl_grpo.TAGS,
    shows(("completion_length", "completions/mean_length")),
    _examine_unsloth,
    trl_grpo.FAMILIES,
    trl_grpo.CAVEATS,
    is_verified=False,
)
SWIFT = Dialect(
    "ms-swift",
    "ms-swift",
    trl_grpo.TAGS | SWIFT_TAGS,
    shows("entropy/mean", "rollout_correction/kl"),
    trl_grpo.examine,
    trl_grpo.FAMILIES,
    trl_grpo.CAVEATS + SWIFT_CAVEATS,
    is_verified=False,
)
