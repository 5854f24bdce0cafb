"""The options of what a training looks at beside its metrics: held-out prompts and histograms; no torch here."""

from dataclasses import dataclass

from trainer.config.options import ConfigError, option
from trainer.config.options.optimizer import OptimizerOptions
from trainer.data.sources import DATASET_SUFFIXES, is_path


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationOptions(OptimizerOptions):
    """When held-out prompts are answered, how, and how often histograms are logged."""

    eval_strategy: str = option(
        "no",
        "Answer held-out prompts every eval_steps and at the end, or never; their rewards are logged as eval/….",
        choices=("no", "steps"),
    )
    eval_steps: int = option(10, "Steps between evaluations.", minimum=1)
    num_eval_prompts: int = option(64, "Held-out prompts of an evaluation, the same ones each time.", minimum=1)
    eval_temperature: float | None = option(
        None, "Temperature of evaluations; 0: the likeliest token; empty: sample as in training.", minimum=0
    )
    num_sample_generations: int = option(
        10,
        "How often, evenly spread, the same few prompts are answered and logged, to follow them; 0: never.",
        minimum=0,
    )
    histogram_steps: int = option(
        10,
        "Steps between histograms of rewards, KL, ratio, advantages, lengths and log-probabilities; 0: never.",
        minimum=0,
    )

    @property
    def has_held_out_prompts(self) -> bool:
        """Whether prompts kept out of training are sure to be there: the task's, or an eval_dataset."""
        return self.dataset is None or self.eval_dataset is not None

    def check_evaluation(self) -> None:
        """Raise ConfigError where an evaluation is asked for and nothing is kept out of training."""
        if self.eval_strategy == "no" or self.has_held_out_prompts or self.dataset is None:
            return
        if is_path(self.dataset, DATASET_SUFFIXES) and self.dataset.endswith(DATASET_SUFFIXES):
            raise ConfigError(
                f"eval_strategy is {self.eval_strategy}, but the dataset {self.dataset} is a file without a split that "
                "is kept out of training; name an eval_dataset"
            )
