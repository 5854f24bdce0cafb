"""What TRL's current trainers take from transformers' Trainer: its metrics, and how a log shows its length and end."""

from diagnostics.producers.log import Log

TRAINER_TAGS = {
    "loss": "loss",
    "grad_norm": "grad_norm",
    "learning_rate": "learning_rate",
    "epoch": "epoch",
}
_END_TAG = "train_runtime"  # the Trainer's last row


def total_steps(log: Log) -> int | None:
    """The planned number of steps; None where the settings do not state it."""
    for key in ("max_steps", "num_total_batches"):
        value = log.config.get(key)
        if isinstance(value, int) and value > 0:
            return value
    return None


def has_finished(log: Log) -> bool:
    """Whether the Trainer's closing row is the last one logged."""
    end = log.series.get(_END_TAG)
    return end is not None and all(series.steps[-1] <= end.steps[-1] for series in log.series.values())
