"""The producer of logs that no other one recognises: canonical names keep their meaning, other tags stay unmapped."""

from diagnostics.producers.log import Log
from diagnostics.producers.producer import Producer
from diagnostics.producers.trainer import LogTraits, Trainer
from diagnostics.producers.trl.trainer_rows import has_finished, total_steps

SHOWN_TAGS = 4
NO_METRIC = "The log holds no metric, by which the producer and the algorithm are known"


def recognise(log: Log) -> float:
    """The last resort: below every other trainer, above none at all."""
    return 0.01


def read_traits(log: Log) -> LogTraits:
    """No algorithm, and a note that says what the log holds instead."""
    tags = sorted(log.series)
    found = ", ".join(tags[:SHOWN_TAGS]) + (f" and {len(tags) - SHOWN_TAGS} more" if len(tags) > SHOWN_TAGS else "")
    note = (
        f"This is no log of PPO, GRPO, RLOO or online DPO that is known here: it holds {found}" if tags else NO_METRIC
    )
    return LogTraits(algorithm="unknown", total=total_steps(log), has_finished=has_finished(log), notes=(note,))


PRODUCER = Producer("unknown", (Trainer("unknown", {}, recognise, read_traits),))
