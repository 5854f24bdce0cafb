"""Options of the training's length and batch size."""

from dataclasses import dataclass

from trainer.config.options import Section, options_under

option = options_under(Section.OPTIMIZER)


@dataclass(frozen=True, kw_only=True)
class StepOptions:
    """The seed, the number of steps and the completions per step."""

    seed: int = option(42, "Seed of prompts and sampling; the same seed gives the same run.", minimum=0, main=True)
    max_steps: int = option(
        100, "Steps to train; one step is one generation and all updates made from it.", minimum=1, main=True
    )
    per_device_train_batch_size: int = option(
        64,
        "Completions per pass and process; times gradient_accumulation_steps and num_processes, those of one step.",
        minimum=1,
        main=True,
    )
    gradient_accumulation_steps: int = option(1, "Passes whose gradients are accumulated before an update.", minimum=1)
