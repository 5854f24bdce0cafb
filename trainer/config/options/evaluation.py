"""Options of evaluation, sampled prompts and histograms."""

from dataclasses import dataclass

from trainer.config.options import Section, options_under

option = options_under(Section.EVALUATION)
_outputs = options_under(Section.OUTPUTS)


@dataclass(frozen=True, kw_only=True)
class EvaluationOptions:
    """When and how held-out prompts are answered, and how often histograms are logged."""

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
    num_sample_generations: int = _outputs(
        10,
        "How many times, evenly spaced, the same few prompts are answered and logged, to follow them; 0: never.",
        minimum=0,
    )
    histogram_steps: int = _outputs(
        10,
        "Steps between histograms of rewards, KL, ratio, advantages, lengths and log-probabilities; 0: never.",
        minimum=0,
    )
