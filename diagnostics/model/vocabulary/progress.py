"""Metrics of the progress of the training."""

from diagnostics.model.metric import Metric
from diagnostics.model.vocabulary.sources import GRPO_PAGE, TRAINER

PROGRESS_METRICS: tuple[Metric, ...] = (
    Metric("episodes", "Episodes", "episodes", "Episodes so far.", "progress", low=0),
    Metric("episodes_per_second", "Speed", "episodes/s", "Episodes per second since the start.", "progress", low=0),
    Metric("epoch", "Epoch", "epochs", "Passes over the dataset so far.", "progress", low=0, source=TRAINER),
    Metric(
        "tokens",
        "Tokens",
        "tokens",
        "Tokens processed so far.",
        "progress",
        low=0,
        slip="The logging page says 'input tokens'; the code counts prompt and completion tokens.",
    ),
    Metric(
        "step_time",
        "Step time",
        "s",
        "Seconds per optimizer step, generation included.",
        "progress",
        low=0,
        source=GRPO_PAGE,
    ),
)
