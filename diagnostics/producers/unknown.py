"""The producer of logs that no other one recognises.

Canonical names keep their meaning, and so do those that can mean nothing else; other tags stay unmapped.
"""

from diagnostics.language import N_
from diagnostics.producers.log import Log
from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import LogTraits, Trainer
from diagnostics.producers.trl.trainer_rows import has_finished, total_steps
from diagnostics.told import first_of, told

SHOWN_TAGS = 4
NO_METRIC = N_("The log holds no metric, by which the producer and the algorithm are known")
NO_LOG = N_("This is no log of PPO, GRPO, RLOO or online DPO that is known here: it holds {found}")


def recognise(log: Log) -> float:
    """The last resort: below every other trainer, above none at all."""
    return 0.01


def read_traits(log: Log) -> LogTraits:
    """No algorithm, and a note that says what the log holds instead."""
    tags = sorted(log.series)
    note = told(NO_METRIC)
    if tags:
        note = told(NO_LOG, found=first_of(tags, SHOWN_TAGS))
    return LogTraits(algorithm="unknown", total=total_steps(log), has_finished=has_finished(log), notes=(note,))


TAGS = {"reward_mean": "reward", "mean_reward": "reward"}

PRODUCER = Producer("unknown", (Trainer("unknown", TAGS, recognise, read_traits),))
