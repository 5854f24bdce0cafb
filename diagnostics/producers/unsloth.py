"""Unsloth: TRL's GRPOTrainer, patched; it logs completion lengths under the old and the new name.

In a notebook its table has a column for every metric, spaces around the slash of a name.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from diagnostics.producers.log import Log
from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import SURE, LogTraits, Trainer, recognised_by
from diagnostics.producers.transport import HEADINGS, SPACED
from diagnostics.producers.trl import PRODUCER as TRL
from diagnostics.producers.trl import grpo, training_arguments

_BATCH = "per_device_train_batch_size"
_LOGS_BOTH_LENGTHS = recognised_by(("completion_length", "completions/mean_length"))


def recognise(log: Log) -> float:
    """Sure of both lengths, and of rewards in a notebook's table: the table of transformers has only the loss."""
    names = log.recording.tags
    is_table = any(heading in names for heading in HEADINGS) or any(SPACED in name for name in names)
    return SURE if is_table and log.has("reward", "reward_std") else _LOGS_BOTH_LENGTHS(log)


def read_traits(log: Log) -> LogTraits:
    """As TRL's; a KL of 0 throughout was never computed, because beta is 0."""
    traits = grpo.read_traits(log)
    kl = log.series.get("kl")
    is_absent = kl is not None and not kl.values.any()
    return replace(traits, ignored=traits.ignored | ({"kl"} if is_absent else set()), notes=())


def with_whole_groups(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """The settings with a batch of one group where it did not divide into groups: Unsloth makes it so, and says it."""
    batch, group = config.get(_BATCH), config.get("num_generations")
    passes = config.get("gradient_accumulation_steps") or 1
    if not (isinstance(batch, int) and isinstance(group, int) and isinstance(passes, int)) or group <= 0:
        return config
    return {**config, _BATCH: group} if batch * passes % group else config


TRAINER = Trainer(
    "unsloth", grpo.TAGS, recognise, read_traits, grpo.FAMILIES, grpo.CAVEATS, as_trained=with_whole_groups
)
PRODUCER = Producer(
    "unsloth",
    (TRAINER,),
    has_reward_columns=True,
    quirks=TRL.quirks,
    settings=training_arguments.ARGUMENTS,
    notation="keyword",
    arguments=training_arguments.OF_TRAINERS,
    first_arguments=training_arguments.FIRST_ARGUMENTS,
)
