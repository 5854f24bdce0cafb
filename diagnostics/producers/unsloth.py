"""Unsloth: TRL's GRPOTrainer, patched; it logs completion lengths under the old and the new name."""

from dataclasses import replace

from diagnostics.producers.log import Log
from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import LogTraits, Trainer, recognised_by
from diagnostics.producers.trl import grpo


def read_traits(log: Log) -> LogTraits:
    """As TRL's; a KL of 0 throughout was never computed, because beta is 0."""
    traits = grpo.read_traits(log)
    kl = log.series.get("kl")
    is_absent = kl is not None and not kl.values.any()
    return replace(traits, ignored=traits.ignored | ({"kl"} if is_absent else set()), notes=())


TRAINER = Trainer(
    "unsloth",
    grpo.TAGS,
    recognised_by(("completion_length", "completions/mean_length")),
    read_traits,
    grpo.FAMILIES,
    grpo.CAVEATS,
    is_verified=False,
)
PRODUCER = Producer("unsloth", (TRAINER,), has_reward_columns=True)
