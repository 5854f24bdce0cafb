"""The options of what a training leaves behind: logs, sampled completions, checkpoints; no torch here."""

from dataclasses import dataclass

from trainer.config.options import option
from trainer.config.options.sampling import SamplingOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordOptions(SamplingOptions):
    """Where metrics go, how many samples are kept, and which checkpoints."""

    report_to: tuple[str, ...] = option(
        ("tensorboard",), "Where metrics go besides the run directory.", choices=("tensorboard", "wandb", "none")
    )
    save_strategy: str = option(
        "steps", "Save checkpoints every save_steps and at the end, or never.", choices=("steps", "no")
    )
    save_steps: int = option(500, "Steps between checkpoints.", minimum=1)
    save_total_limit: int | None = option(
        None,
        "Newest checkpoints to keep, besides the best one and the last ones before a finding; empty: all.",
        minimum=1,
    )
    num_completions_to_log: int = option(
        64, "Sampled completions written at each step: the best, the worst, the rest at random.", minimum=0
    )
