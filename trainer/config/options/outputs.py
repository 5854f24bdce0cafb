"""Options of what a training writes: logs, sampled completions, checkpoints."""

from dataclasses import dataclass

from trainer.config.options import Section, options_under

option = options_under(Section.OUTPUTS)


@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """Where metrics go, and how many samples and checkpoints are kept."""

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
        64, "Sampled completions logged at each step: the best, the worst, the rest at random.", minimum=0
    )
